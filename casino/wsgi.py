"""The web server's door: gunicorn loads `application` in each of its workers, after the fork."""

import os
import threading

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
# Threads of one web process share connections; workers and commands open one and close it again.
os.environ.setdefault("DATABASE_POOL_SIZE", "8")

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from casino.proxies import BehindProxies
from casino.runtime.guard import look_at_the_door
from tables.rules.odds import enumerate_shoe

application = BehindProxies(get_wsgi_application(), settings.WEB_PROXIES)
look_at_the_door()
# Counting every coup of eight decks takes a second, which whoever opens a rulebook first need not wait for.
threading.Thread(target=enumerate_shoe, args=(8,), name="odds", daemon=True).start()

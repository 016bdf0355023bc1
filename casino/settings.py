"""Settings. What differs between machines comes from the environment, read in the one block below."""

import os
from datetime import timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from kombu.entity import Exchange, Queue

from casino.complaint_settings import check_complaint_settings
from casino.runtime.database_url import database_from_url, database_url
from casino.runtime.places import ROOT, socket_folder, state_folder


def _read(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def _is_set(name: str) -> bool:
    return _read(name).lower() in {"1", "true", "yes", "on"}


def _number(name: str, default: int, least: int = 1, most: int = 2**31 - 1) -> int:
    try:
        number = int(_read(name, str(default)))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} has to be a whole number, not {_read(name)!r}") from error
    if not least <= number <= most:
        raise ImproperlyConfigured(f"{name} has to be from {least} to {most}, not {number}")
    return number


# --- The environment (docs/settings.md has the table) -----------------------------------------------
BLUECARD_MODE = _read("BLUECARD_MODE", "development")
BLUECARD_STATE = state_folder(_read("BLUECARD_STATE"))
BLUECARD_AS_OWNER = _is_set("BLUECARD_AS_OWNER")
DATABASE_URL = _read("DATABASE_URL")
DATABASE_OWNER_URL = _read("DATABASE_OWNER_URL")
DATABASE_POOL_SIZE = _number("DATABASE_POOL_SIZE", 0, least=0)
PG_BIN_DIR = _read("PG_BIN_DIR")
BROKER_URL = _read("BROKER_URL")
SECRET_KEY = _read("SECRET_KEY")
ALLOWED_HOSTS = _read("ALLOWED_HOSTS").replace(",", " ").split()
CSRF_TRUSTED_ORIGINS = _read("CSRF_TRUSTED_ORIGINS").replace(",", " ").split()
SIGN_IN_TRIES = _number("SIGN_IN_TRIES", 5)
SIGN_IN_WAIT_MINUTES = _number("SIGN_IN_WAIT_MINUTES", 15)
SECOND_FACTOR = _read("SECOND_FACTOR")
DEBUG = _is_set("DEBUG")
LOG_LEVEL = _read("LOG_LEVEL", "INFO").upper()
WEB_HOST = _read("WEB_HOST", "127.0.0.1")
WEB_PORT = _number("WEB_PORT", 0, least=0, most=65_535)
WEB_WORKERS = _number("WEB_WORKERS", 2)
WEB_PROXIES = _number("WEB_PROXIES", 0, least=0, most=9)
WORKER_PROCESSES = _number("WORKER_PROCESSES", 2)
DEMO_DAYS = _number("DEMO_DAYS", 1, most=30)
WALLET_URL = _read("WALLET_URL")
WALLET_SECRET = _read("WALLET_SECRET")
RECORDER_URL = _read("RECORDER_URL")
RECORDER_SECRET = _read("RECORDER_SECRET")
EVIDENCE_FOLDER = _read("EVIDENCE_FOLDER", str(BLUECARD_STATE / "evidence"))
EVIDENCE_NAME = _read("EVIDENCE_NAME", "bluecard.localhost/evidence")
EVIDENCE_KEY_FILE = _read("EVIDENCE_KEY_FILE", str(BLUECARD_STATE / "keys" / "evidence.key"))
ATTACHMENT_MAX_BYTES = _number("ATTACHMENT_MAX_BYTES", 10_000_000)
ATTACHMENT_MAX_PIXELS = _number("ATTACHMENT_MAX_PIXELS", 40_000_000)
ATTACHMENT_MAX_COUNT = _number("ATTACHMENT_MAX_COUNT", 50)
COMPLAINT_FILING_WINDOW = _read("COMPLAINT_FILING_WINDOW")
COMPLAINT_ANSWER_WITHIN = _read("COMPLAINT_ANSWER_WITHIN", "10 days")
COMPLAINT_HOLIDAYS = _read("COMPLAINT_HOLIDAYS").replace(",", " ").split()
COMPLAINT_WHEN_INCOMPLETE = _read("COMPLAINT_WHEN_INCOMPLETE", "refuse")
JOURNAL_NAME = _read("JOURNAL_NAME", "bluecard.localhost/journal")
JOURNAL_KEY_FILE = _read("JOURNAL_KEY_FILE", str(BLUECARD_STATE / "keys" / "journal.key"))
WITNESS_URL = _read("WITNESS_URL")
WITNESS_KEY = _read("WITNESS_KEY")
# --- end of the environment -------------------------------------------------------------------------

if BLUECARD_MODE not in {"development", "production"}:
    raise ImproperlyConfigured(f"BLUECARD_MODE is development or production, not {BLUECARD_MODE!r}")
if LOG_LEVEL not in {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}:
    raise ImproperlyConfigured(f"LOG_LEVEL is DEBUG, INFO, WARNING, ERROR or CRITICAL, not {LOG_LEVEL!r}")
IS_PRODUCTION = BLUECARD_MODE == "production"
#: True while nobody named a wallet or recorder: `make run` then starts the small one of casino/counterparts.
WALLET_IS_OURS = not IS_PRODUCTION and not WALLET_URL
RECORDER_IS_OURS = not IS_PRODUCTION and not RECORDER_URL
SECOND_FACTOR = SECOND_FACTOR or ("deciding" if IS_PRODUCTION else "optional")
if SECOND_FACTOR not in {"deciding", "optional"}:
    raise ImproperlyConfigured(f"SECOND_FACTOR is deciding or optional, not {SECOND_FACTOR!r}")
check_complaint_settings(
    window=COMPLAINT_FILING_WINDOW,
    answer=COMPLAINT_ANSWER_WITHIN,
    holidays=COMPLAINT_HOLIDAYS,
    when_incomplete=COMPLAINT_WHEN_INCOMPLETE,
)
#: The same of a witness: the one of audit/witness.py, with a key and a file of its own.
WITNESS_IS_OURS = not IS_PRODUCTION and not WITNESS_URL

if IS_PRODUCTION:
    _needed = {
        "BROKER_URL": BROKER_URL,
        "SECRET_KEY": SECRET_KEY,
        "ALLOWED_HOSTS": ALLOWED_HOSTS,
        "WALLET_URL": WALLET_URL,
        "WALLET_SECRET": WALLET_SECRET,
        "RECORDER_URL": RECORDER_URL,
        "RECORDER_SECRET": RECORDER_SECRET,
    } | ({"DATABASE_OWNER_URL": DATABASE_OWNER_URL} if BLUECARD_AS_OWNER else {"DATABASE_URL": DATABASE_URL})
    _missing = ", ".join(sorted(name for name, value in _needed.items() if not value))
    if _missing:
        raise ImproperlyConfigured(f"BLUECARD_MODE=production needs {_missing} (see docs/settings.md)")
else:
    # Nothing below protects anything: the development server listens on this machine only.
    SECRET_KEY = SECRET_KEY or "development-only-never-in-production-0123456789abcdef"
    WALLET_SECRET = WALLET_SECRET or "development-only-wallet-secret"
    WALLET_URL = WALLET_URL or "http://127.0.0.1:8101"
    RECORDER_URL = RECORDER_URL or "http://127.0.0.1:8102"
    RECORDER_SECRET = RECORDER_SECRET or "development-only-recorder-secret"
    # The small witness of `make run` writes into its folder where it listens and what it signs with.
    WITNESS_URL = WITNESS_URL or str(BLUECARD_STATE / "witness" / "url")
    WITNESS_KEY = WITNESS_KEY or str(BLUECARD_STATE / "witness" / "witness.pub")
    ALLOWED_HOSTS = ALLOWED_HOSTS or ["localhost", "127.0.0.1", "[::1]", "testserver"]

# --- The database -----------------------------------------------------------------------------------
#: True while PostgreSQL is ours to start: nobody named another.
DATABASE_IS_EMBEDDED = not DATABASE_URL
if DATABASE_IS_EMBEDDED:
    _host = str(socket_folder(BLUECARD_STATE))
    DATABASE_URL = database_url(host=_host, dbname="bluecard", user="bluecard_app")
    DATABASE_OWNER_URL = database_url(host=_host, dbname="bluecard", user="bluecard_owner")

if BLUECARD_AS_OWNER and not DATABASE_OWNER_URL:
    raise ImproperlyConfigured("this command changes the schema: name its owner's DATABASE_OWNER_URL")
DATABASES = {
    "default": database_from_url(
        DATABASE_OWNER_URL if BLUECARD_AS_OWNER else DATABASE_URL, pool_size=DATABASE_POOL_SIZE
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery -----------------------------------------------------------------------------------------
#: Without a broker of its own, PGMQ in the same PostgreSQL carries the messages.
BROKER_IS_PGMQ = not BROKER_URL or BROKER_URL.startswith("pgmq:")
IS_RABBITMQ = BROKER_URL.startswith("amqp")
CELERY_BROKER_URL = BROKER_URL or "pgmq://same-database"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "bluecard"
#: What a person asked for and waits for: it does not stand in line behind what machines want.
PERSONS_QUEUE = "bluecard.persons"
CELERY_TASK_ROUTES = {
    name: {"queue": PERSONS_QUEUE}
    for name in ("audit.apply_rulings", "audit.help_ruling", "audit.make_packs")
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# A task that kills its process is tried three times more and then given up; its promise in the outbox stays.
CELERY_TASK_RETRY_ON_WORKER_LOST = True
# How long the answer of a killed process may still lie in its pipe; until then nobody repeats its task.
CELERY_WORKER_LOST_WAIT = 2.0
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_CONCURRENCY = WORKER_PROCESSES
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "casino.beat:OneAtATimeScheduler"
#: A bell that names nothing only says: look. After so many seconds the next one says it better, and it is
#: dropped instead of letting what a person asked for wait behind hundreds.
LOOK_LAPSES_SECONDS = 60
#: RabbitMQ lays what lapsed among a queue's dead letters: there such bells have a queue without any.
LOOKS_QUEUE = "bluecard.looks"
LOOK_OPTIONS: dict[str, Any] = {"queue": LOOKS_QUEUE} if IS_RABBITMQ else {}
#: What the clock rings: name -> {"task": ..., "schedule": seconds}. Sweeps, never anything with a date.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sweep": {"task": "tables.sweep", "schedule": 5.0},
    "clear-sessions": {"task": "casino.clear_sessions", "schedule": 3600.0},
    "reconcile-wallet": {"task": "tables.ask_for_reconciliation", "schedule": 3600.0},
    "sweep-decisions": {"task": "audit.sweep", "schedule": 2.0},
    "verify-journal": {"task": "audit.verify_journal", "schedule": 600.0},
    "deliver-decisions": {"task": "audit.deliver_decisions", "schedule": 2.0},
    "ask-recorder": {"task": "audit.ask_recorder", "schedule": 2.0},
}
for _tick in CELERY_BEAT_SCHEDULE.values():
    _tick["options"] = {"expires": max(LOOK_LAPSES_SECONDS, _tick["schedule"]), **LOOK_OPTIONS}
if BROKER_IS_PGMQ:
    # One long task may not outlive the visibility timeout, or it is delivered again while it runs.
    # kombu's own polling interval of a second would let four tasks through in a second. Reading does not wait
    # at an empty queue, or the other of the two would be read once a second.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 1800,
        "wait_time_seconds": 0,
        "polling_interval": 0.05,
        "pool_size": 4,
        "pool_timeout": 5,
        "init_extension": False,
    } | ({} if BROKER_URL else {"conn_string": DATABASE_URL})
    CELERY_WORKER_PREFETCH_MULTIPLIER = 4
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"confirm_publish": True}
    CELERY_WORKER_PREFETCH_MULTIPLIER = 1
#: Where RabbitMQ keeps messages that were delivered too often; the outbox rings again for what they meant.
DEAD_LETTERS = "bluecard.dead"
_QUEUE_ARGUMENTS: dict[str, Any] = {
    "x-queue-type": "quorum",
    "x-delivery-limit": 5,
    "x-consumer-timeout": 3_600_000,
}
_DEAD_LETTER: dict[str, Any] = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD_LETTERS}
# A worker reads all in turn: what a person asked for waits for no more than what it has fetched already.
_QUEUES = {
    PERSONS_QUEUE: _QUEUE_ARGUMENTS | _DEAD_LETTER,
    CELERY_TASK_DEFAULT_QUEUE: _QUEUE_ARGUMENTS | _DEAD_LETTER,
}
if IS_RABBITMQ:
    _QUEUES[LOOKS_QUEUE] = _QUEUE_ARGUMENTS
CELERY_TASK_QUEUES = [
    Queue(name, Exchange(name), routing_key=name, queue_arguments=arguments if IS_RABBITMQ else None)
    for name, arguments in _QUEUES.items()
]

# --- Django -----------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "casino.admin_apps.BluecardAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "casino",
    "tables",
    "audit",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "casino.sessions.PlainSessionMiddleware",
    "casino.language.AccountLanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "casino.first_password.FirstPasswordMiddleware",
    "casino.second_factor.SecondFactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "casino.content_policy.ContentPolicyMiddleware",
    "audit.looking.LooksMiddleware",
    "axes.middleware.AxesMiddleware",  # the last: it puts its own page in place of the sign-in's
]
ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "admin:login"
# Who signs in without having been on the way anywhere begins at the first page.
LOGIN_REDIRECT_URL = "admin:index"
SESSION_ENGINE = "casino.sessions"
SESSION_COOKIE_AGE = 12 * 60 * 60  # a shift and its handing over

# Who guesses passwords waits: an account from one address, so that nobody shuts a manager out from elsewhere.
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = SIGN_IN_TRIES
AXES_COOLOFF_TIME = timedelta(minutes=SIGN_IN_WAIT_MINUTES)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # a wait that was told is kept
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "casino.sign_in.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
OTP_TOTP_ISSUER = "Bluecard"

# --- Languages, time, files -------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("th", _("Thai"))]
LOCALE_PATHS = [ROOT / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"
ROOT_FOLDER = ROOT
STATIC_URL = "static/"
STATIC_ROOT = BLUECARD_STATE / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# --- The admin's pages ------------------------------------------------------------------------------
HOUSE_ZONE = "Asia/Bangkok"  # of the clock in the top bar and of days in filters; each table has its own
UNFOLD = {
    "SITE_TITLE": "Bluecard",
    "SITE_HEADER": "Bluecard",
    "SITE_URL": None,
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    # Colours stand in static/bluecard/css/tokens.css: Unfold would write them into a <style> of every page.
    "COLORS": {},
    "SIDEBAR": {"show_search": False, "command_search": False, "navigation": "casino.admin_site.menu"},
}

# --- The API ----------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tables.api.authentication.KeyAuthentication",
        "tables.api.authentication.StaffSession",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "EXCEPTION_HANDLER": "casino.errors.problem_handler",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Bluecard",
    "DESCRIPTION": (
        "Send what happens at a table; read what was dealt, what was bet and what it paid.\n\n"
        "Sign a request with `Authorization: Bearer bc_…`. Every error is an RFC 9457 problem "
        "(`application/problem+json`). Money is in minor units, times are UTC. Lists come in pages: "
        "follow `next` until it is null."
    ),
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "TableStatus": ["open", "closed", "closed_by_fault"],
        "ShoeStatus": ["open", "ended", "replaced", "cancelled"],
        "RoundStatus": ["betting", "dealing", "insurance", "resulted", "settled", "voided"],
        "BetStatus": ["accepted", "refused", "cancelled"],
        "DeliveryStatus": ["waiting", "delivered", "dead", "closed"],
        "IncidentStatus": ["open", "ruled", "closed"],
        "PackStatus": ["waiting", "making", "ready", "failed"],
        "PackSubject": ["round", "shoe", "complaint"],
        "RulingStatus": [
            "requested",
            "approved",
            "applying",
            "stopped",
            "applied",
            "refused",
            "expired",
            "stale",
            "withdrawn",
        ],
        "RulingRoundStatus": ["waiting", "applied"],
        "ComplaintStatus": [
            "received",
            "waiting",
            "accepted",
            "refused",
            "under_review",
            "upheld",
            "rejected",
            "closed",
        ],
        "ComplaintSource": ["person", "api"],
        "VideoHoldStatus": ["asked", "held", "refused", "lapsed", "releasing", "released"],
        "RulingKind": [
            "stand",
            "void_round",
            "void_kinds",
            "re_deal",
            "correct",
            "void_range",
            "void_shoe",
            "replace_shoe",
            "reshuffle",
            "cancel_shoe",
            "close_table",
            "reinstate",
        ],
        "DecisionKind": [
            "hold",
            "stand",
            "void",
            "void_kinds",
            "re_deal",
            "corrected",
            "shoe_replaced",
            "table_closed",
            "table_opened",
            "resume",
        ],
        "EventAnswerStatus": ["accepted", "repeat", "refused", "conflict", "gap", "unreadable"],
    },
}

# --- Security and logging ---------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
if IS_PRODUCTION:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "filters": {
        "not_health": {"()": "casino.log_filters.NotHealth"},
        "refusals": {"()": "casino.log_filters.RefusalInOneLine"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["not_health", "refusals"],
        },
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # A line for each call of the wallet, and three a sign-in, would push everything else out of sight.
    "loggers": {name: {"level": "WARNING"} for name in ("httpx", "httpcore", "axes")},
}

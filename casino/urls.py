"""Where a path leads."""

from importlib import import_module
from importlib.util import find_spec

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from casino import health

admin_site = import_module("casino.admin_site").admin_site if find_spec("casino.admin_site") else admin.site

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin_site.urls),
    path("api/", include("tables.api.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
]

handler400 = "casino.errors.bad_request"
handler403 = "casino.errors.permission_denied"
handler404 = "casino.errors.page_not_found"
handler500 = "casino.errors.server_error"

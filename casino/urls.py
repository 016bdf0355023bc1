"""Where a path leads."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from casino import health, language

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("lookup", RedirectView.as_view(pattern_name="admin:lookup", query_string=True)),
    path("admin/", admin.site.urls),
    path("api/", include("audit.api.urls")),
    path("api/", include("tables.api.urls")),  # the last below api/: it answers every path left over
    path("i18n/setlang/", language.choose, name="set_language"),
    path("health/live", health.live, name="health-live"),
    path("health/ready", health.ready, name="health-ready"),
]

handler400 = "casino.errors.bad_request"
handler403 = "casino.errors.permission_denied"
handler404 = "casino.errors.page_not_found"
handler500 = "casino.errors.server_error"

"""Django's admin with our site: in a module of its own, or the app `casino` would take it for its own."""

from django.contrib.admin.apps import AdminConfig


class BluecardAdminConfig(AdminConfig):
    """The admin app, whose pages hang on our site."""

    default_site = "casino.admin_site.BluecardAdminSite"

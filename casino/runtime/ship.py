"""What the product brings along, put in place at run time's rights: static files, the shipped rulebooks."""

import hashlib
import os

from casino.runtime.places import ROOT


def ship() -> None:
    """Collect the static files if they changed, and publish the shipped rulebooks not published yet."""
    from django.conf import settings
    from django.core.management import call_command, get_commands

    stamp = settings.STATIC_ROOT / ".collected"
    fingerprint = _static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", "--no-input", "--clear", verbosity=0)
        stamp.write_text(fingerprint)
    if "rulebook" in get_commands():
        call_command("rulebook", "publish", "--shipped")


def _static_fingerprint() -> str:
    """Return a digest of our own static files and of the versions of those that packages bring."""
    digest = hashlib.sha256((ROOT / "constraints.txt").read_bytes())
    for path in sorted((ROOT / "static").rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    import django

    django.setup()
    ship()

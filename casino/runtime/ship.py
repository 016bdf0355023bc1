"""Put in place what the product brings along, with the run-time role's rights."""

import hashlib
import os
import sys

from casino.runtime.places import ROOT

#: The demo's day lies in the past, and has to have its rules.
IN_FORCE_SINCE = "2020-01-01T00:00:00+00:00"


def ship() -> None:
    """Collect the static files if they changed; for development also the roles' people and the rulebooks."""
    from django.conf import settings
    from django.core.management import CommandError, call_command

    stamp = settings.STATIC_ROOT / ".collected"
    fingerprint = _static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", "--no-input", "--clear", verbosity=0)
        stamp.write_text(fingerprint)
    if settings.IS_PRODUCTION:
        call_command("set_up_roles")
        return
    try:
        call_command("rulebook", "publish", "--shipped", "--from", IN_FORCE_SINCE)
    except CommandError as error:
        # Somebody published a version of their own after it: theirs is in force, and all else runs.
        print(f"a rulebook of ours was not published: {error}", file=sys.stderr)
    # After the rulebooks: once two persons are there, a rulebook takes both of them.
    call_command("set_up_roles", "--demo")


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

"""Wait until the product is ready, then say where it is and how to log in."""

import json
import sys
import time
import urllib.error
import urllib.request

from casino import settings
from casino.roles import DEMO_PASSWORD, DEMO_PEOPLE

PATIENCE_SECONDS = 180.0


def main() -> int:
    """Print the address and the demo log-ins; return 1 if the product does not get ready, and say why."""
    host = "127.0.0.1" if settings.WEB_HOST in {"0.0.0.0", "::"} else settings.WEB_HOST
    url = f"http://{host}:{settings.WEB_PORT}"
    missing = wait_until_ready(url)
    if missing:
        print(f"not ready after {PATIENCE_SECONDS:.0f} s: {missing}")
        return 1
    print(f"Bluecard is at {url}/")
    if not settings.IS_PRODUCTION:
        for person in DEMO_PEOPLE:
            print(f"  log in as {person.login:<14} password {DEMO_PASSWORD}")
    print("Ctrl-C stops it; what was recorded stays.")
    return 0


def wait_until_ready(url: str) -> str:
    """Return an empty text once the product is ready, or what is missing when patience ends."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    missing = "no answer"
    while time.monotonic() < give_up_at:
        try:
            with urllib.request.urlopen(f"{url}/health/ready", timeout=10):
                return ""
        except urllib.error.HTTPError as answer:
            checks = json.load(answer).get("checks", {})
            missing = "; ".join(
                f"{name}: {check['detail']}" for name, check in checks.items() if not check["ok"]
            )
        except (OSError, ValueError) as error:
            missing = str(error)
        time.sleep(0.3)
    return missing


if __name__ == "__main__":
    sys.exit(main())

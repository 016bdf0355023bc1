"""Who really asks, where our own proxies stand in front of the web server."""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Any


class BehindProxies:
    """Puts the address of whoever asks in place of the proxy's.

    Each of our proxies adds the address it was asked from at the end of `X-Forwarded-For`. What stands before
    the one that the outermost of them added, the sender wrote, and it is not believed.
    """

    def __init__(self, application: Callable[..., Any], count: int) -> None:
        """Remember what to call, and how many proxies of ours a request comes through."""
        self._application, self._count = application, count

    def __call__(self, request: dict[str, Any], start_response: Any) -> Any:
        """Answer a request as if it came straight."""
        named = request.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if 0 < self._count <= len(named):
            address = named[-self._count].strip()
            if is_address(address):
                request["REMOTE_ADDR"] = address
        return self._application(request, start_response)


def is_address(text: str) -> bool:
    """Say whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True

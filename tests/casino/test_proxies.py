"""Behind a proxy, a person who guesses passwords is told from another by the address, as without one."""

from typing import Any

import pytest

from casino.proxies import BehindProxies


@pytest.mark.parametrize(
    ("count", "forwarded", "address"),
    [
        (0, "203.0.113.7", "10.0.0.1"),  # no proxy of ours: the header is anybody's
        (1, None, "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "2001:db8::7", "2001:db8::7"),
        (1, "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the first was written by who asked
        (2, "198.51.100.1, 203.0.113.7, 10.0.0.9", "203.0.113.7"),
        (2, "203.0.113.7", "10.0.0.1"),  # came round the outer proxy
        (1, "203.0.113.7, ", "10.0.0.1"),
        (1, "somebody", "10.0.0.1"),
    ],
)
def test_the_address_is_the_one_our_outermost_proxy_saw(
    count: int, forwarded: str | None, address: str
) -> None:
    seen: list[dict[str, Any]] = []

    def application(environ: dict[str, Any], _start_response: Any) -> list[bytes]:
        seen.append(environ)
        return [b"answered"]

    environ = {"REMOTE_ADDR": "10.0.0.1"} | ({} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded})
    assert BehindProxies(application, count)(environ, None) == [b"answered"]
    assert [one["REMOTE_ADDR"] for one in seen] == [address]

"""A body is read whole or not at all, whatever its length is said to be; too much is refused, not cut off."""

import http.client
import io
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client

from casino.runtime.places import ROOT
from tables.api.bodies import DRAINED_BYTES, read_body
from tables.api.problems import Problem
from tables.feed.events import MAX_REQUEST_BYTES
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.tables.playing import NOON, Platform, make_table

LIMIT = 1024 * 1024


def request(body: Any, **environ: Any) -> WSGIRequest:
    return WSGIRequest({"REQUEST_METHOD": "POST", "wsgi.input": body, "PATH_INFO": "/", **environ})


def chunked(body: Any) -> WSGIRequest:
    return request(body, HTTP_TRANSFER_ENCODING="chunked", **{"wsgi.input_terminated": True})


def announced(body: bytes, length: int | str) -> WSGIRequest:
    return request(io.BytesIO(body), CONTENT_LENGTH=str(length))


class Endless(io.RawIOBase):
    """A stream without an end, which counts what was read of it."""

    def __init__(self) -> None:
        self.was_read = 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        self.was_read += size
        return b"x" * size


class Broken(io.RawIOBase):
    """A stream that breaks after its first part."""

    def __init__(self) -> None:
        self.parts = [b"x" * 10]

    def read(self, size: int = -1) -> bytes:
        if not self.parts:
            raise OSError("connection reset")
        return self.parts.pop()


def problem_of(request_: WSGIRequest) -> Any:
    with pytest.raises(Problem) as caught:
        read_body(request_, limit=LIMIT)
    return caught.value.details


def test_a_body_comes_whole_with_and_without_a_length() -> None:
    body = os.urandom(LIMIT)
    assert read_body(announced(body, LIMIT), limit=LIMIT) == body
    assert read_body(chunked(io.BytesIO(body)), limit=LIMIT) == body
    assert read_body(request(io.BytesIO(b"")), limit=LIMIT) == b""


@pytest.mark.parametrize("over", [1, LIMIT])
def test_one_byte_too_many_is_refused_with_the_limit_named(over: int) -> None:
    for one in (announced(b"x" * (LIMIT + over), LIMIT + over), chunked(io.BytesIO(b"x" * (LIMIT + over)))):
        details = problem_of(one)
        assert (details.status, details.extra) == (413, {"limit_bytes": LIMIT})
        assert "1048576 bytes (1 MB)" in details.detail


def test_a_body_without_an_end_is_not_read_for_ever() -> None:
    endless = Endless()
    assert problem_of(chunked(endless)).status == 413
    assert endless.was_read < LIMIT + DRAINED_BYTES + LIMIT


def test_a_length_too_great_is_refused_without_keeping_the_body() -> None:
    assert problem_of(announced(b"", 10**15)).status == 413


def test_a_body_cut_off_is_told_from_a_whole_one() -> None:
    details = problem_of(announced(b"x" * 10, 20))
    assert (details.status, details.errors[0].rule) == (400, "cut_off")
    assert "10 of 20 bytes" in details.detail
    details = problem_of(chunked(Broken()))
    assert (details.status, details.errors[0].rule) == (400, "unreadable")


def test_a_body_whose_end_cannot_be_told_is_refused() -> None:
    details = problem_of(request(io.BytesIO(b"x"), HTTP_TRANSFER_ENCODING="chunked"))
    assert details.status == 411


MEDIA_TYPES = {
    "application/x-ndjson": 200,
    "application/x-ndjson; charset=utf-8": 200,
    "application/jsonl": 200,
    "application/json": 200,
    "text/csv": 415,
    "application/x-www-form-urlencoded": 415,
    "multipart/form-data; boundary=x": 415,
    "application/json; charset=utf-16": 415,
    "nonsense": 415,
}


def test_only_json_is_taken(platform: Platform, sender: Client) -> None:
    body = platform.event("heartbeat")
    found = {
        media_type: sender.post("/api/v1/tables/B01/events", data=body, content_type=media_type).status_code
        for media_type in MEDIA_TYPES
    }
    assert found == MEDIA_TYPES
    packed = {"data": body, "content_type": "application/json", "headers": {"Content-Encoding": "gzip"}}
    answer = sender.post("/api/v1/tables/B01/events", **packed)
    assert answer.status_code == 415
    assert "application/x-ndjson" in answer.json()["detail"]


def test_an_array_is_answered_like_lines(platform: Platform, sender: Client) -> None:
    lines = [platform.event("heartbeat"), platform.event("table_closed")]
    body = b"[" + b",".join(lines) + b"]"
    answer = sender.post("/api/v1/tables/B01/events", data=body, content_type="application/json").json()
    assert [event["status"] for event in answer["events"]] == ["accepted", "accepted"]
    body = b"\n".join(lines)
    answer = sender.post("/api/v1/tables/B01/events", data=body, content_type="application/x-ndjson").json()
    assert [event["status"] for event in answer["events"]] == ["repeat", "repeat"]
    assert answer["next_seq"] == 8


def test_a_gap_is_answered_with_the_number_expected(platform: Platform, sender: Client) -> None:
    lost, second, third = (platform.event("heartbeat") for _ in range(3))
    answer = sender.post(
        "/api/v1/tables/B01/events", data=second + b"\n" + third, content_type="application/x-ndjson"
    )
    assert (answer.status_code, answer.headers["Content-Type"]) == (409, "application/problem+json")
    problem = answer.json()
    assert (problem["type"], problem["expected_seq"]) == ("urn:bluecard:problem:gap", 6)
    assert [event["status"] for event in problem["events"]] == ["gap", "gap"]
    assert problem["errors"][0]["field"] == "events[0].seq"
    whole = b"\n".join([lost, second, third])
    answer = sender.post("/api/v1/tables/B01/events", data=whole, content_type="application/x-ndjson")
    assert (answer.status_code, answer.json()["next_seq"]) == (200, 9)


def test_the_same_id_with_another_body_is_a_conflict(platform: Platform, sender: Client) -> None:
    changed = platform.sent[0].replace(b"table_opened", b"table_closed")
    answer = sender.post("/api/v1/tables/B01/events", data=changed, content_type="application/x-ndjson")
    assert answer.status_code == 207
    [event] = answer.json()["events"]
    assert event["status"] == "conflict"
    assert event["error"].endswith("(feed/repeat)")


# --- Over the wire ----------------------------------------------------------------------------------


@pytest.fixture
def served(product_environment: dict[str, str]) -> Iterator[int]:
    """Run the product's web server; its port is returned."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", "1"]
    command += ["--threads", "2", "--no-control-socket", "casino.wsgi"]
    server = subprocess.Popen(command, cwd=ROOT, env=product_environment, stderr=subprocess.DEVNULL)
    try:
        give_up_at = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < give_up_at, "the web server did not come up"
                time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(30)


def parts(size: int) -> Iterator[bytes]:
    """Write one event of `size` bytes in parts."""
    yield b'{"id":"'
    while size > 0:
        yield b"x" * min(size, LIMIT)
        size -= LIMIT


@pytest.mark.django_db(transaction=True)
def test_the_web_server_takes_bodies_with_and_without_a_length(served: int) -> None:
    platform = Platform(make_table(rulebook="commission"))
    _, key = make_api_key(label="x", table=platform.table, scopes=["feed:write"], actor=SYSTEM, at=NOON)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}

    def post(body: Any, **more: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", served, timeout=60)
        connection.request("POST", "/api/v1/tables/B01/events", body=body, headers=headers | more)
        answer = connection.getresponse()
        return answer.status, answer.read()

    status, said = post(platform.event("table_opened"))
    assert (status, b'"accepted"' in said) == (200, True)
    status, said = post(iter([platform.event("heartbeat"), b"\n", platform.event("heartbeat")]))
    assert (status, said.count(b'"accepted"')) == (200, 2)
    status, said = post(b"x" * (MAX_REQUEST_BYTES + 1))
    assert (status, b'"limit_bytes":67108864' in said) == (413, True)
    status, said = post(parts(MAX_REQUEST_BYTES + 1))
    assert (status, b'"limit_bytes":67108864' in said) == (413, True)
    # One byte less is read, and answered as the event that it is not.
    status, said = post(parts(MAX_REQUEST_BYTES - LIMIT))
    assert (status, b"urn:bluecard:problem:unreadable" in said) == (400, True)

    with socket.create_connection(("127.0.0.1", served), timeout=60) as line:
        head = ["POST /api/v1/tables/B01/events HTTP/1.1", "Host: localhost", "Content-Length: 500"]
        head += ["Connection: close", *(f"{name}: {value}" for name, value in headers.items())]
        line.sendall("\r\n".join([*head, "", "{"]).encode())
        line.shutdown(socket.SHUT_WR)
        said = line.makefile("rb").read()
    assert said.startswith(b"HTTP/1.1 400")
    assert b"1 of 500 bytes" in said

    assert platform.table.events.count() == 3

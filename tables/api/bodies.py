"""Reading the body of a request whole, within a limit, however its length was announced."""

from typing import Any

from django.http import HttpRequest

from tables.api.problems import Problem, ProblemDetails, bad_field

READ_BYTES = 256 * 1024
#: So much of a body that is too large is read and thrown away: who sends somewhat too much should hear so,
#: and not find the line cut.
DRAINED_BYTES = 96 * 1024 * 1024


def read_body(request: HttpRequest, *, limit: int) -> bytes:
    """Read the body, which may also come in chunks without a length.

    :raises Problem: 413 beyond the limit, 411 if its end cannot be told, 400 if it ends before it should.
    """
    announced = request.META.get("CONTENT_LENGTH") or ""
    if announced:
        return _read_announced(request, int(announced) if announced.isdecimal() else 0, limit)
    if not request.META.get("HTTP_TRANSFER_ENCODING"):
        return b""
    if not request.META.get("wsgi.input_terminated"):
        raise Problem(
            ProblemDetails(
                411, "length-required", "Length required", "Say how long the body is: Content-Length."
            )
        )
    # Django reads no further than Content-Length; a server that ends the stream itself says so.
    return _read(request.META["wsgi.input"], limit)


def _read_announced(request: HttpRequest, announced: int, limit: int) -> bytes:
    if announced > limit:
        _drain(request)
        raise _too_large(limit)
    body = _read(request, limit)
    if len(body) < announced:
        message = f"{len(body)} of {announced} bytes came. Nothing was recorded; send it again."
        raise bad_field("body", "cut_off", message)
    return body


def _read(stream: Any, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := _part(stream):
        size += len(part)
        if size > limit:
            parts.clear()
            _drain(stream)
            raise _too_large(limit)
        parts.append(part)
    return b"".join(parts)


def _drain(stream: Any) -> None:
    left = DRAINED_BYTES
    while left > 0 and (part := _part(stream)):
        left -= len(part)


def _part(stream: Any) -> bytes:
    try:
        return stream.read(READ_BYTES)
    except OSError as error:  # the line was cut, or a chunk is malformed
        raise bad_field(
            "body", "unreadable", "The body broke off. Nothing was recorded; send it again."
        ) from error


def _too_large(limit: int) -> Problem:
    message = f"A request may hold {limit} bytes ({limit // 1024**2} MB). Nothing of it was recorded."
    return Problem(ProblemDetails(413, "too-large", "Too large", message, extra={"limit_bytes": limit}))

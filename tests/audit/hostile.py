"""Files made to harm, and honest ones of each kind, for tests."""

import io
import struct
import zlib

from PIL import Image

PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    b"trailer<</Root 1 0 R>>\nstartxref\n109\n%%EOF\n"
)
HTML = b"<!DOCTYPE html><html><script>alert(1)</script></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


def png(width: int = 3, height: int = 2, colour: tuple[int, int, int] = (200, 32, 47)) -> bytes:
    return picture("PNG", width, height, colour)


def jpeg(width: int = 3, height: int = 2) -> bytes:
    return picture("JPEG", width, height, (200, 32, 47))


def picture(form: str, width: int, height: int, colour: tuple[int, int, int]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), colour).save(out, form)
    return out.getvalue()


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png_that_says(width: int, height: int, pixels: bytes) -> bytes:
    """Write a PNG of one bit a pixel whose head claims these measures."""
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def bomb() -> bytes:
    """Return 40 kB or so that unpack to 37.5 MB: 20,000 by 15,000 pixels."""
    return png_that_says(20_000, 15_000, bytes(2_501 * 15_000))

"""Pictures from outside: decoded, measured, and written anew, so that nothing but the pixels is kept."""

from __future__ import annotations

import io
import struct
import zlib
from typing import NamedTuple

from PIL import Image, ImageOps

from audit.rules.attachments import AttachmentKind, BadAttachment, Limits, check_measures

JPEG_QUALITY = 90
FORMATS = {AttachmentKind.PNG: "PNG", AttachmentKind.JPEG: "JPEG"}
#: What Pillow raises for files that are broken, cut or made to harm.
BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    struct.error,
    zlib.error,
)


class Redrawn(NamedTuple):
    """A picture as it is kept."""

    data: bytes
    width_px: int
    height_px: int


def redraw(data: bytes, kind: AttachmentKind, limits: Limits) -> Redrawn:
    """Decode a picture and write its pixels into a new file of the same kind, turned as it is meant.

    The measures are checked before a pixel is unpacked. Further frames, comments, places and profiles go.

    :raises BadAttachment: if it is too large, broken or cut.
    """
    try:
        with Image.open(io.BytesIO(data), formats=(FORMATS[kind],)) as opened:
            check_measures(*opened.size, limits)
            opened.load()
            upright = _eight_bits(ImageOps.exif_transpose(opened))
            pixels = upright.convert(_mode_of(upright, kind))
    except BadAttachment:
        raise
    except Image.DecompressionBombError as error:
        raise BadAttachment(
            "attachment/too-many-pixels",
            f"The picture is far too large; {limits.pixels:,} pixels are allowed in all.",
        ) from error
    except BROKEN as error:
        raise BadAttachment("attachment/broken", "The picture is broken or cut off.") from error
    pixels.info.clear()
    out = io.BytesIO()
    if kind is AttachmentKind.PNG:
        pixels.save(out, "PNG", optimize=False)
    else:
        pixels.save(out, "JPEG", quality=JPEG_QUALITY)
    return Redrawn(out.getvalue(), *pixels.size)


def _eight_bits(picture: Image.Image) -> Image.Image:
    """Return a grey picture of 16 bits a pixel with 8; converted as it is, it would be nearly white."""
    if not picture.mode.startswith("I"):
        return picture
    return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")


def _mode_of(picture: Image.Image, kind: AttachmentKind) -> str:
    """Return the plain form of pixels that a file of this kind holds: grey, colours, or with transparency."""
    if picture.mode in ("1", "L"):
        return "L"
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    return "RGBA" if has_alpha and kind is AttachmentKind.PNG else "RGB"

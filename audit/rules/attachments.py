"""What may be attached, told from the bytes alone: neither a name nor what a sender says decides anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LONGEST_NAME: Final = 120
PDF_TAIL_BYTES: Final = 1024
#: A ZIP reader looks for this mark in the last 65,557 bytes of whatever it is given.
ZIP_TAIL_BYTES: Final = 65_557
ZIP_END: Final = b"PK\x05\x06"
UTF8_MARK: Final = b"\xef\xbb\xbf"


class AttachmentKind(StrEnum):
    PDF = "pdf"
    PNG = "png"
    JPEG = "jpeg"
    TEXT = "text"


#: Kind -> the type it is served as, and the ending of its name.
SERVED_AS: Final = {
    AttachmentKind.PDF: ("application/pdf", "pdf"),
    AttachmentKind.PNG: ("image/png", "png"),
    AttachmentKind.JPEG: ("image/jpeg", "jpg"),
    AttachmentKind.TEXT: ("text/plain; charset=utf-8", "txt"),
}
PICTURES: Final = frozenset({AttachmentKind.PNG, AttachmentKind.JPEG})


class BadAttachment(ValueError):
    """A file that is not taken: the rule it breaks as a word, and a sentence for people."""

    field = "file"

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{message} ({rule})")
        self.rule, self.message = rule, message


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a file may be, and how many one subject may have."""

    size_bytes: int
    pixels: int
    count: int


_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
_PDF: Final = re.compile(rb"%PDF-[12]\.[0-9]")
_PDF_END: Final = re.compile(rb"startxref\s+[0-9]+\s+%%EOF\s*\Z")
#: Names in a PDF that make it more than paper, after `#xx` in names was read as the character it stands for.
_ACTIVE: Final = re.compile(
    rb"/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA|SubmitForm)(?![A-Za-z0-9])"
)
_HEX_IN_NAME: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
_MARKUP: Final = re.compile(r"\s*<[a-zA-Z!?/]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def kind_of(data: bytes, limits: Limits) -> AttachmentKind:
    """Tell what a file is, and refuse what is none of the four kinds. Pictures are still to be decoded.

    :raises BadAttachment: naming the rule.
    """
    if not data:
        raise BadAttachment("attachment/empty", "The file is empty.")
    if len(data) > limits.size_bytes:
        raise BadAttachment(
            "attachment/too-large",
            f"The file has {len(data):,} bytes; {limits.size_bytes:,} are allowed.",
        )
    if data.startswith(_PNG):
        return AttachmentKind.PNG
    if data.startswith(_JPEG):
        return AttachmentKind.JPEG
    if data.startswith(b"%PDF-"):
        _check_pdf(data)
        return AttachmentKind.PDF
    _check_text(data)
    return AttachmentKind.TEXT


def _check_pdf(data: bytes) -> None:
    if not _PDF.match(data):
        raise BadAttachment("attachment/pdf", "This is no PDF of version 1 or 2.")
    if not _PDF_END.search(data[-PDF_TAIL_BYTES:]):
        raise BadAttachment("attachment/cut", "The PDF is cut off, or something follows its end.")
    if ZIP_END in data[-ZIP_TAIL_BYTES:]:
        raise BadAttachment("attachment/two-in-one", "The PDF is an archive at the same time.")
    plain = _HEX_IN_NAME.sub(lambda found: bytes([int(found[1], 16)]), data)
    if b"/Encrypt" in plain:
        raise BadAttachment("attachment/locked", "The PDF is locked by a password.")
    active = _ACTIVE.search(plain)
    if active:
        raise BadAttachment(
            "attachment/active",
            f"The PDF carries more than pages ({active[1].decode()}). Print it into a new PDF.",
        )


def _check_text(data: bytes) -> None:
    try:
        text = data.removeprefix(UTF8_MARK).decode()
    except UnicodeDecodeError as error:
        raise BadAttachment(
            "attachment/kind", "Only PDF, PNG, JPEG and plain text (UTF-8) are taken; this is none of them."
        ) from error
    if _CONTROL.search(text):
        raise BadAttachment(
            "attachment/kind", "Only PDF, PNG, JPEG and plain text (UTF-8) are taken; this is none of them."
        )
    if _MARKUP.match(text):
        raise BadAttachment(
            "attachment/markup", "This is HTML, SVG or XML. Attach a picture, a PDF or plain text."
        )


def check_measures(width_px: int, height_px: int, limits: Limits) -> None:
    """Refuse a picture that would unpack to more than is allowed, before it is unpacked.

    :raises BadAttachment: if it has no area or too much of it.
    """
    if width_px < 1 or height_px < 1:
        raise BadAttachment("attachment/broken", "The picture has no area.")
    if width_px * height_px > limits.pixels:
        raise BadAttachment(
            "attachment/too-many-pixels",
            f"The picture measures {width_px:,} by {height_px:,}; {limits.pixels:,} pixels are allowed.",
        )


def clean_name(name: str, kind: AttachmentKind) -> str:
    """Return a file's name for people: no path, nothing invisible, and the ending of what it really is."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(char for char in last if char.isprintable() and char not in '<>:"|?*')
    stem = shown.strip(" .").rsplit(".", 1)[0].strip(" .") or "file"
    ending = SERVED_AS[kind][1]
    return f"{stem[: LONGEST_NAME - 1 - len(ending)]}.{ending}"

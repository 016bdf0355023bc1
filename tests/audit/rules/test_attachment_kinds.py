"""A file is what its bytes say."""

import zlib

import pytest

from audit.pictures import redraw
from audit.rules.attachments import AttachmentKind, BadAttachment, Limits, clean_name, kind_of
from tests.audit import hostile

LIMITS = Limits(size_bytes=200_000, pixels=1_000_000, count=3)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (hostile.PDF, "pdf"),
        (hostile.PDF.replace(b"\n%%EOF\n", b"\r\n%%EOF"), "pdf"),
        (hostile.png(), "png"),
        (hostile.jpeg(), "jpeg"),
        ("รอบ 41 แจกผิด\nsee camera 2\n".encode(), "text"),
        ("\ufeffwith a mark of UTF-8".encode(), "text"),
        (b"4 < 6, and <3 is not markup", "text"),
    ],
)
def test_the_four_kinds_are_told_by_their_bytes(data: bytes, kind: str) -> None:
    assert kind_of(data, LIMITS) == kind


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "attachment/empty"),
        (b"a" * 200_001, "attachment/too-large"),
        (hostile.HTML, "attachment/markup"),
        (b"\xef\xbb\xbf \n" + hostile.SVG, "attachment/markup"),
        (b'<?xml version="1.0"?><x/>', "attachment/markup"),
        (b"<!-- --><script>", "attachment/markup"),
        (b"PK\x03\x04 an archive", "attachment/kind"),
        (b"MZ\x90\x00", "attachment/kind"),
        (b"GIF89a\x01\x00\x01\x00\x00\x00\x00;", "attachment/kind"),
        ("ประกันภัย".encode("cp874"), "attachment/kind"),
        ("text".encode("utf-16"), "attachment/kind"),
        (b"before\x00after", "attachment/kind"),
        (b"\x1b[2J clears a terminal", "attachment/kind"),
        (b" " + hostile.png(), "attachment/kind"),
        (b"%PDF-9.9" + hostile.PDF[8:], "attachment/pdf"),
        (hostile.PDF[:-9], "attachment/cut"),
        (hostile.PDF + b"<script>alert(1)</script>", "attachment/cut"),
        (hostile.PDF.replace(b"trailer", b"PK\x05\x06" + bytes(18) + b"trailer"), "attachment/two-in-one"),
        (hostile.PDF.replace(b"/Root", b"/Encrypt 9 0 R/Root"), "attachment/locked"),
        (hostile.PDF.replace(b"/Root", b"/Encr#79pt 9 0 R/Root"), "attachment/locked"),
        (
            hostile.PDF.replace(b"/Pages 2", b"/OpenAction<</S/JavaScript/JS(x)>>/Pages 2"),
            "attachment/active",
        ),
        (hostile.PDF.replace(b"/Pages 2", b"/A<</S/J#61vaScript>>/Pages 2"), "attachment/active"),
        (hostile.PDF.replace(b"/Pages 2", b"/A<</S/Launch/F(x.exe)>>/Pages 2"), "attachment/active"),
        (hostile.PDF.replace(b"/Pages 2", b"/Names<</EmbeddedFiles 5 0 R>>/Pages 2"), "attachment/active"),
    ],
)
def test_anything_else_is_refused_with_the_rule(data: bytes, rule: str) -> None:
    with pytest.raises(BadAttachment) as refused:
        kind_of(data, LIMITS)
    assert refused.value.rule == rule


@pytest.mark.parametrize(
    ("name", "kind", "clean"),
    [
        ("slip.png", "png", "slip.png"),
        ("slip.png", "jpeg", "slip.jpg"),
        ("../../etc/passwd", "text", "passwd.txt"),
        ("C:\\Windows\\system.ini", "text", "system.txt"),
        ("nul\x00byte.pdf.exe", "pdf", "nulbyte.pdf.pdf"),
        ("invoice\u202egnp.exe", "png", "invoicegnp.png"),
        ("line\r\nSet-Cookie: x.txt", "text", "lineSet-Cookie x.txt"),
        ("..", "pdf", "file.pdf"),
        ("", "pdf", "file.pdf"),
        ("ใบเสร็จ.pdf", "pdf", "ใบเสร็จ.pdf"),
        ("a" * 300 + ".png", "png", "a" * 116 + ".png"),
    ],
)
def test_a_name_is_for_people_and_ends_as_what_the_file_is(name: str, kind: str, clean: str) -> None:
    assert clean_name(name, AttachmentKind(kind)) == clean


def test_a_picture_keeps_its_pixels_and_nothing_else() -> None:
    data = hostile.png(3, 2) + b"PK\x05\x06 an archive behind the picture"
    said = hostile.chunk(b"tEXt", b"Comment\x00<script>")
    data = data[:33] + said + data[33:]
    kept = redraw(data, AttachmentKind.PNG, LIMITS)
    assert (kept.width_px, kept.height_px) == (3, 2)
    assert b"script" not in kept.data
    assert kept.data.endswith(b"IEND\xaeB`\x82")
    assert redraw(kept.data, AttachmentKind.PNG, LIMITS) == kept


def test_a_turned_photo_is_kept_upright_and_without_its_place() -> None:
    import io

    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "made by somebody"
    out = io.BytesIO()
    Image.new("RGB", (40, 20)).save(out, "JPEG", exif=exif)
    kept = redraw(out.getvalue(), AttachmentKind.JPEG, LIMITS)
    assert (kept.width_px, kept.height_px) == (20, 40)
    assert b"somebody" not in kept.data


def test_a_grey_picture_of_16_bits_keeps_its_greys() -> None:
    import io

    from PIL import Image

    picture = Image.new("I;16", (3, 1))
    for place, grey in enumerate((0, 0x3000, 0xFFFF)):
        picture.putpixel((place, 0), grey)
    out = io.BytesIO()
    picture.save(out, "PNG")
    kept = Image.open(io.BytesIO(redraw(out.getvalue(), AttachmentKind.PNG, LIMITS).data))
    assert [kept.getpixel((place, 0)) for place in range(3)] == [0, 0x30, 0xFF]


@pytest.mark.parametrize("name", [b"zTXt", b"iCCP"])
def test_a_bomb_in_what_a_picture_says_of_itself_is_refused(name: bytes) -> None:
    packed = hostile.chunk(name, b"name\x00\x00" + zlib.compress(bytes(100_000_000), 9))
    data = hostile.png(3, 2)
    with pytest.raises(BadAttachment) as refused:
        redraw(data[:33] + packed + data[33:], AttachmentKind.PNG, LIMITS)
    assert refused.value.rule == "attachment/broken"


@pytest.mark.parametrize(
    ("data", "kind", "rule"),
    [
        (hostile.png_that_says(60_000, 60_000, b""), "png", "attachment/too-many-pixels"),
        (hostile.png_that_says(2_000_000_000, 2_000_000_000, b""), "png", "attachment/too-many-pixels"),
        (hostile.bomb(), "png", "attachment/too-many-pixels"),
        (hostile.png(1001, 1000), "png", "attachment/too-many-pixels"),
        (hostile.png_that_says(0, 5, b""), "png", "attachment/broken"),
        (hostile.png(300, 200)[:120], "png", "attachment/broken"),
        (hostile.png()[:12], "png", "attachment/broken"),
        (hostile.jpeg(300, 200)[:400], "jpeg", "attachment/broken"),
        (b"\xff\xd8\xff\xe0" + hostile.HTML, "jpeg", "attachment/broken"),
        (b"\x89PNG\r\n\x1a\n" + hostile.HTML, "png", "attachment/broken"),
    ],
)
def test_a_bomb_or_a_cut_picture_is_refused_before_it_is_unpacked(data: bytes, kind: str, rule: str) -> None:
    with pytest.raises(BadAttachment) as refused:
        redraw(data, AttachmentKind(kind), LIMITS)
    assert refused.value.rule == rule

"""What became of a ruling is said in the reader's language, not as the service noted it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils.translation import override

from audit.admin.ruling_words import say_outcome
from audit.models import Ruling
from audit.services.rulings import expire_rulings
from tables.models import Round
from tests.audit.admin.test_deciding import ask_for, page_of

R = "B03-20261129-02-041-K"
SAID = [
    # as it is noted, in English, in Thai
    ("stopped between rounds", "It was stopped between two rounds.", "หยุดไว้ระหว่างสองรอบ"),
    ("nobody decided in time", "Nobody decided in time.", "ไม่มีผู้ตัดสินภายในเวลา"),
    (
        "the shoe left the table since it was asked for",
        "The shoe has left the table since it was asked for.",
        "ขอนไพ่ออกจากโต๊ะไปแล้วหลังจากมีคำขอ",
    ),
    (
        "a round changed since it was asked for",
        "A round of it has changed since it was asked for.",
        "มีรอบที่เปลี่ยนไปแล้วหลังจากมีคำขอ",
    ),
    (f"{R} was settled since", f"Round {R} was settled since.", f"รอบ {R} คิดเงินไปแล้วหลังจากนั้น"),
    (
        f"{R} is not any more what was approved",
        f"Round {R} is no longer what was approved.",
        f"รอบ {R} ไม่เป็นไปตามที่อนุมัติไว้แล้ว",
    ),
    (
        f"{R} was in play and has no result; it is held until it is decided",
        f"Round {R} was in play and has no result; it is held until it is decided.",
        f"รอบ {R} กำลังเล่นอยู่และยังไม่มีผล จึงพักไว้จนกว่าจะมีคำวินิจฉัย",
    ),
    (
        f"{R} failed 5 times: 100% odd\nand long",
        f"Round {R} failed 5 times: 100% odd\nand long",
        f"รอบ {R} ทำไม่สำเร็จ 5 ครั้ง: 100% odd\nand long",
    ),
    ("a note of an older version", "a note of an older version", "a note of an older version"),
]


@pytest.mark.parametrize(("noted", "english", "thai"), SAID)
def test_each_note_has_its_words(noted: str, english: str, thai: str) -> None:
    with override("en"):
        assert say_outcome(noted) == english
    with override("th"):
        assert say_outcome(noted) == thai


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said"), [("en", "Nobody decided in time."), ("th", "ไม่มีผู้ตัดสินภายในเวลา")]
)
def test_the_page_says_it(language: str, said: str, played: Round, floor: Client) -> None:
    ask_for(floor, f"round={played.pk}", kind="void_round")
    ruling = Ruling.objects.get()
    expire_rulings(now=ruling.expires_at + timedelta(seconds=1))
    floor.cookies["django_language"] = language
    page = page_of(ruling, floor)
    assert said in page and "nobody decided in time" not in page

"""Answers to complaints as they begin: a text for each occasion, Thai and English, edited before sending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

Language = Literal["en", "th"]


class Template(NamedTuple):
    """An answer in both languages, with places for the complaint's number and its round."""

    en: str
    th: str

    def fill(self, language: Language, facts: Mapping[str, str]) -> str:
        """Return the text in a language, with the facts in their places; one that is not known is a dash."""
        text = self.th if language == "th" else self.en
        return text.format_map(_OrDash(facts))


class _OrDash(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "–"


_HELLO_EN = "Dear player,\n\n"
_HELLO_TH = "เรียน ผู้เล่น\n\n"
_BYE_EN = "\n\nYour complaint has the number {number}."
_BYE_TH = "\n\nหมายเลขคำร้องเรียนของคุณคือ {number}"


def _letter(en: str, th: str) -> Template:
    return Template(_HELLO_EN + en + _BYE_EN, _HELLO_TH + th + _BYE_TH)


#: A late complaint gets no further explanation, as the rule has it.
TEMPLATES: Final[dict[str, Template]] = {
    "accepted": _letter(
        "we have received your complaint about round {round} and are looking into it. You will have our "
        "answer by {due}.",
        "เราได้รับคำร้องเรียนของคุณเกี่ยวกับรอบ {round} แล้ว และกำลังตรวจสอบ คุณจะได้รับคำตอบภายใน {due}",
    ),
    "information": _letter(
        "to look into your complaint we still need: {missing}. Please reply with it.",
        "เพื่อให้เราตรวจสอบคำร้องเรียนของคุณได้ เรายังต้องการข้อมูล: {missing} กรุณาตอบกลับพร้อมข้อมูลนี้",
    ),
    "incomplete": _letter(
        "we cannot take your complaint: a complaint names the date and time of play, the table, the dealer "
        "and the round number. Yours lacks: {missing}.",
        "เราไม่สามารถรับคำร้องเรียนของคุณได้ ผู้ร้องเรียนต้องแจ้งวันและเวลาที่เล่น โต๊ะ ชื่อดีลเลอร์ "
        "และหมายเลขรอบ คำร้องเรียนของคุณขาด: {missing}",
    ),
    "unknown_round": _letter(
        "we cannot take your complaint: no round was played as you describe it. Please read the round number "
        "in your history again.",
        "เราไม่สามารถรับคำร้องเรียนของคุณได้ เนื่องจากไม่มีรอบตามที่คุณแจ้ง กรุณาตรวจสอบหมายเลขรอบในประวัติการเล่นของคุณอีกครั้ง",
    ),
    "late": _letter("we cannot take your complaint.", "เราไม่สามารถรับคำร้องเรียนของคุณได้"),
    "by_agent": _letter(
        "we cannot take your complaint about round {round}.",
        "เราไม่สามารถรับคำร้องเรียนของคุณเกี่ยวกับรอบ {round} ได้",
    ),
    "upheld": _letter(
        "you are right about round {round}. We have decided it anew; a notice tells you what changes for "
        "you.",
        "คุณถูกต้องเกี่ยวกับรอบ {round} เราได้วินิจฉัยรอบนี้ใหม่แล้ว และมีหนังสือแจ้งสิ่งที่เปลี่ยนแปลงสำหรับคุณ",
    ),
    "rejected": _letter(
        "we have looked at round {round} on video and in our records. It was dealt and paid by the rules of "
        "the table, so it stands.",
        "เราได้ตรวจสอบรอบ {round} จากวิดีโอและบันทึกของเราแล้ว รอบนี้แจกไพ่และจ่ายเงินตามกติกาของโต๊ะ ผลจึงคงเดิม",
    ),
}

# Which answer fits a complaint as it stands; a refused one is answered by its reason.
FOR_STATUS: Final[dict[str, str]] = {
    "waiting": "information",
    "accepted": "accepted",
    "under_review": "accepted",
    "upheld": "upheld",
    "rejected": "rejected",
    "closed": "rejected",
}


def fitting_template(status: str, refusal: str, outcome: str) -> str:
    """Return the name of the template that fits a complaint as it stands."""
    if status == "refused" and refusal in TEMPLATES:
        return refusal
    return outcome if outcome in TEMPLATES else FOR_STATUS.get(status, "accepted")

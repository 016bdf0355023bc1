"""The way back on the pages: a button for who asked and for nobody else, in both languages."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from audit.models import ChangeKind, Consent, Ruling, RulingKind, SetupChange, VideoHold
from audit.services.consents import ask_to_admit, ask_to_release
from audit.services.setup_changes import request_change
from casino.roles import ROLES
from tables.models import Round
from tables.services.actors import Actor
from tests.audit.admin.conftest import browser_of
from tests.audit.deciding import ask, make_user
from tests.audit.services.test_complaints import DAY, MOMENT, file, result_at, said_of

pytestmark = pytest.mark.django_db
BUTTON = {"en": "<summary>Withdraw the request</summary>", "th": "<summary>ถอนคำขอ</summary>"}
STATE = {"en": "Withdrawn", "th": "ถอนคำขอแล้ว"}
BY = {"en": "Withdrawn by", "th": "ถอนคำขอโดย"}
LANGUAGES = pytest.mark.parametrize("language", ["en", "th"])


def now() -> datetime:
    return datetime.now(UTC)


def page(client: Client, path: str, language: str) -> str:
    client.cookies["django_language"] = language
    answer = client.get(f"/admin/audit/{path}")
    assert answer.status_code == 200, path
    return answer.content.decode()


@LANGUAGES
def test_a_ruling_is_withdrawn_with_a_reason(
    language: str, played: Round, supervisor: User, floor: Client, office: Client
) -> None:
    ruling = ask(supervisor, RulingKind.VOID_ROUND, [played], at=now())
    path = f"ruling/{ruling.pk}/change/"
    assert BUTTON[language] in page(floor, path, language)
    assert BUTTON[language] not in page(office, path, language)
    url = f"/admin/audit/ruling/{ruling.pk}/withdraw/"
    others = office.post(url, {"reason": "mine now"})
    assert (others.status_code, "ruling/other" in others.content.decode()) == (409, True)
    empty = floor.post(url, {"reason": " "})
    assert (empty.status_code, 'aria-invalid="true"' in empty.content.decode()) == (409, True)
    assert Ruling.objects.get().status == "requested"
    assert floor.post(url, {"reason": "the wrong round"})["Location"] == f"/admin/audit/{path}"
    seen = page(floor, path, language)
    for words in (STATE[language], BY[language], "the wrong round", f"{ruling.number}"):
        assert words in seen
    assert BUTTON[language] not in seen
    late = office.post(
        f"/admin/audit/ruling/{ruling.pk}/approve/", {"reason": "yes", "preview_hash": ruling.preview_hash}
    )
    said = {
        "en": "Who asked for it has withdrawn it. Nothing was done.",
        "th": "ผู้ขอถอนคำขอแล้ว ไม่มีการดำเนินการใด",
    }
    assert (late.status_code, said[language] in late.content.decode()) == (409, True)


@LANGUAGES
def test_a_change_of_the_set_up(language: str, played: Round, supervisor: User) -> None:
    administrators = [make_user(name, *ROLES["administrator"].permissions) for name in ("rung", "somsri")]
    mine, other = map(browser_of, administrators)
    payload = {"table": played.table_id, "second_person_minor": 1, "sign_in_again_minor": 2}
    asked = administrators[0]
    change = request_change(
        kind=ChangeKind.THRESHOLDS,
        payload=payload,
        reason="lower",
        user=asked,
        actor=Actor.of_user(asked),
        at=now(),
    )
    path = f"setupchange/{change.pk}/change/"
    assert BUTTON[language] in page(mine, path, language)
    assert BUTTON[language] not in page(other, path, language)
    url = f"/admin/audit/setupchange/{change.pk}/withdraw/"
    assert other.post(url).status_code == 409
    assert mine.post(url)["Location"] == f"/admin/audit/{path}"
    assert SetupChange.objects.get(pk=change.pk).status == "withdrawn"
    seen = page(mine, path, language)
    assert STATE[language] in seen and BY[language] in seen and BUTTON[language] not in seen


@LANGUAGES
def test_a_consent_on_the_pages_of_a_complaint_and_of_video(
    language: str, played: Round, manager: User, office: Client
) -> None:
    agent = make_user("pim", *ROLES["support"].permissions)
    desk = browser_of(agent)
    late = file(said_of(played), agent, result_at(played) + DAY + MOMENT).complaint
    who = {"actor": Actor.of_user(agent), "user": agent, "at": now(), "reason": "our chat was down"}
    ask_to_admit(complaint_id=late.pk, **who)
    path = f"complaint/{late.pk}/change/"
    assert BUTTON[language] in page(desk, path, language)
    assert BUTTON[language] not in page(office, path, language)
    url = f"/admin/audit/complaint/{late.pk}/withdraw/"
    assert office.post(url).status_code == 409
    assert desk.post(url)["Location"] == f"/admin/audit/{path}"
    assert Consent.objects.get().status == "withdrawn"
    assert STATE[language] in page(desk, path, language)

    ask(make_user("suda2", *ROLES["supervisor"].permissions), RulingKind.VOID_ROUND, [played], at=now())
    hold = VideoHold.objects.get()
    VideoHold.objects.update(status="held", answered_at=now())
    ask_to_release(hold_id=hold.pk, **who)
    path = f"videohold/{hold.pk}/change/"
    assert BUTTON[language] in page(desk, path, language)
    assert BUTTON[language] not in page(office, path, language)
    url = f"/admin/audit/videohold/{hold.pk}/withdraw/"
    assert office.post(url).status_code == 409
    assert desk.post(url)["Location"] == f"/admin/audit/{path}"
    assert STATE[language] in page(desk, path, language)
    hold.refresh_from_db()
    assert hold.status == "held"

"""Evidence packs over the API: asked for, watched, fetched."""

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from audit.models import EvidencePack
from audit.pack.making import make_pack
from tables.models import Round
from tests.audit.api.conftest import signed_in
from tests.audit.deciding import make_user

EXPORTS = ("audit.export_evidence", "audit.view_evidencepack")


def test_a_pack_is_asked_for_watched_and_fetched(round_: Round, tmp_path: Path, settings: Any) -> None:
    settings.EVIDENCE_FOLDER, settings.EVIDENCE_KEY_FILE = str(tmp_path / "e"), str(tmp_path / "key")
    client = signed_in(make_user("orn", *EXPORTS))
    asked = client.post("/api/v1/evidence", {"round": round_.public_id}, content_type="application/json")
    assert (asked.status_code, asked.json()["status"]) == (202, "waiting")
    url = f"/api/v1/evidence/{asked.json()['number']}"
    assert client.get(f"{url}/file").json()["type"] == "urn:bluecard:problem:not-ready"
    assert make_pack(pack_id=EvidencePack.objects.get().pk, now=timezone.now())
    assert (client.get(url).json()["status"], client.get(url).json()["step"]) == ("ready", 3)
    answer = client.get(f"{url}/file")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.content.startswith(b"PK\x03\x04")


@pytest.mark.parametrize("body", [{}, {"round": "x", "shoe": "y"}, {"shoe": "B01-20261129-09"}])
def test_a_pack_is_about_one_thing_that_is_there(body: dict[str, str], round_: Round) -> None:
    client = signed_in(make_user("orn", *EXPORTS))
    assert client.post("/api/v1/evidence", body, content_type="application/json").status_code == 400
    assert client.get("/api/v1/evidence/E-9999").status_code == 404
    assert not EvidencePack.objects.exists()


def test_who_may_not_export_is_told(round_: Round) -> None:
    client = signed_in(make_user("nobody", "audit.view_ruling"))
    answer = client.post("/api/v1/evidence", {"round": round_.public_id}, content_type="application/json")
    assert answer.status_code == 403

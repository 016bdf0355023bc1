"""docs/api.md runs as it stands, from the top down, and what it shows is what is answered."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from audit.house import journal_signer
from audit.models import EvidencePack, PackStatus, Ruling, RulingStatus
from audit.pack.making import make_pack
from audit.services.sealing import seal_pending
from tables.models import Round, RoundStatus
from tables.services.settlement import settle_round
from tests.audit.deciding import carry_out
from tests.database import OwnTestDatabase
from tests.guides.blocks import blocks_of, differences
from tests.guides.shell import curls, shell
from tests.tables.playing import make_table, publish_all

GUIDE = "api.md"


@pytest.fixture
def house(transactional_db: None, own_database: OwnTestDatabase, settings: Any, tmp_path: Path) -> None:
    """Provide the demo's people and the table B07 that the guide sets up."""
    own_database.empty()  # the guide asks for the journal's first entry
    settings.EVIDENCE_FOLDER, settings.EVIDENCE_KEY_FILE = str(tmp_path / "packs"), str(tmp_path / "key")
    publish_all()
    call_command("set_up_roles", "--demo", verbosity=0)
    make_table("B07", "commission")


def work() -> None:
    """Do what worker and sealer do between two requests."""
    now = timezone.now()
    for round_ in Round.objects.filter(status=RoundStatus.RESULTED.value):
        settle_round(round_id=round_.pk, now=now)
    for ruling in Ruling.objects.filter(status=RulingStatus.APPROVED.value):
        carry_out(ruling, at=now)
    for pack in EvidencePack.objects.filter(status=PackStatus.WAITING.value):
        make_pack(pack_id=pack.pk, now=now)
    while seal_pending(signer=journal_signer(), now=now) is not None:
        pass


@pytest.mark.parametrize("curl", curls())
def test_every_request_of_the_guide_is_answered_as_shown(
    house: None, live_server: LiveServer, product_environment: dict[str, str], tmp_path: Path, curl: str
) -> None:
    environment = {**product_environment, "BLUECARD": live_server.url}
    wrong: list[str] = []
    answered, compared = "", 0
    with shell(tmp_path, environment, curl) as bash:
        for block in blocks_of(GUIDE):
            where = f"docs/{GUIDE}:{block.line}"
            if block.language == "sh":
                work()
                answered = bash.run(block.text)
            elif block.language == "json":
                compared += 1
                found = differences(json.loads(block.text), json.loads(answered))
                wrong += [f"{where} {one}" for one in found]
            else:
                compared += 1
                if block.text.strip() != answered:
                    wrong.append(f"{where} is {answered}")
    assert wrong == []
    assert compared >= 18

"""One house for a whole module: a PostgreSQL of its own, since it is killed, and the wallet."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stress.house import House
from tests.wallet_process import WalletProcess


@pytest.fixture(scope="module")
def house(django_db_blocker: pytest.FixtureRequest) -> Iterator[House]:
    """Build a house on new data, in a short folder that another account can pass through."""
    state = Path(tempfile.mkdtemp(prefix="bluecard-", dir="/tmp"))
    with WalletProcess(state / "wallet.log") as wallet:
        house = House(state, wallet)
        try:
            house.build()
            with django_db_blocker.unblock(), house.as_default_database():
                yield house
        finally:
            house.kill_worker()
            house.server.stop()
            shutil.rmtree(state, ignore_errors=True)

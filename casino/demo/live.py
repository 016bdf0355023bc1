"""The demo's live tables: threads that deal at human speed over HTTP until they are told to stop."""

import logging
import signal
import threading
from collections.abc import Collection
from types import FrameType
from typing import Final

import httpx
from django.utils import timezone

from casino.counterparts.platform.live import LiveTable, LiveTableFailed
from casino.demo.house import key_of, platform_folder, set_up_house
from tables.queries.rulebooks import rules_of

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS: Final = 20.0


def deal_live(codes: Collection[str], *, url: str, seed: int, speed: float = 1.0) -> list[str]:
    """Deal at some tables until SIGTERM or Ctrl-C; return what made them fail, if anything did."""
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for every event would drown the rest
    failures: list[str] = []
    tables = set_up_house(sorted(codes), now=timezone.now())
    threads = []
    for code, table in tables.items():
        client = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Bearer {key_of(table, now=timezone.now())}"},
            timeout=TIMEOUT_SECONDS,
        )
        memory = platform_folder() / f"{code}.json"
        live = LiveTable(code, rules_of(table.rulebook_id), seed, client, memory, stopping, speed)
        threads.append(threading.Thread(target=_run, args=(live, failures), name=code))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def _run(live: LiveTable, failures: list[str]) -> None:
    try:
        live.run()
    except LiveTableFailed as error:
        logger.error("%s", error)
        failures.append(str(error))
        live.stopping.set()
    finally:
        live.client.close()

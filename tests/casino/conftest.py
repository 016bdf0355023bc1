"""Places for servers and programs of a test's own."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def state() -> Iterator[Path]:
    """Provide a short folder that another account can pass through, unlike pytest's own; one per module."""
    folder = Path(tempfile.mkdtemp(prefix="bluecard-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)

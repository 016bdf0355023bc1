"""The house's own order: who may import whom, and no model without its migration."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from casino.runtime.places import ROOT


def test_imports_fall_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "pyproject.toml", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "3 kept, 0 broken" in done.stdout


@pytest.mark.django_db
def test_no_model_is_ahead_of_its_migrations() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)

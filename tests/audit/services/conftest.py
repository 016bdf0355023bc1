"""Who asks for a ruling and who decides it, at the table a test has set up."""

import pytest
from django.contrib.auth.models import User

from tests.audit.deciding import MANAGES, SUPERVISES, make_user
from tests.tables.playing import Platform


@pytest.fixture
def asker(platform: Platform) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider(platform: Platform) -> User:
    return make_user("decider", *MANAGES)

"""One committed set of rows for a whole module, and the two roles that try what they may do to it."""

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest

from tables.queries.rulebooks import rules_of
from tests.database import OwnTestDatabase
from tests.tables.models.rows import make_rows

ROLES = ("role", "owner")


@pytest.fixture(scope="module")
def sessions(
    own_database: OwnTestDatabase, django_db_setup: None, django_db_blocker: pytest.FixtureRequest
) -> Iterator[dict[str, psycopg.Connection]]:
    """Commit a row of everything; yield a session of each role. Each test takes back what it did."""
    with django_db_blocker.unblock(), ExitStack() as stack:
        make_rows()
        urls = {"role": own_database.app_url, "owner": own_database.owner_url}
        yield {name: stack.enter_context(psycopg.connect(url)) for name, url in urls.items()}
        stack.close()
        own_database.empty()
        rules_of.cache_clear()


@pytest.fixture
def session(request: pytest.FixtureRequest, sessions: dict[str, psycopg.Connection]) -> psycopg.Connection:
    """Provide the session of the role that a test is parametrised with."""
    return sessions[request.param]

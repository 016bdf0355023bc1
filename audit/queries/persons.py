"""Which person an account belongs to."""

from typing import Any

from audit.models import Person


class NoPerson(Exception):
    """The account is linked to no person, so it cannot take part in a decision."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"the account {label} is linked to no person; an administrator and a second one link it"
        )


def person_of(user: Any) -> Person:
    """Return the person behind an account.

    :raises NoPerson: if none is linked.
    """
    person = Person.objects.filter(accounts__user=user).first()
    if person is None:
        raise NoPerson(user.get_username())
    return person

"""A new house: the first two persons are entered freely by the superuser, and from then on it takes two."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from audit.models import PersonAccount, SetupChange

pytestmark = pytest.mark.django_db


def test_the_first_two_are_entered_freely_and_the_third_by_them() -> None:
    call_command("set_up_roles", verbosity=0)
    client = Client()
    client.force_login(User.objects.create_superuser("root", password="green-window-sings"))
    typed = {"last_name": "", "language": "en", "reason": "the first"}
    for name, role in (("rung", "administrator"), ("nattaya", "manager")):
        answer = client.post(
            "/admin/auth/user/do/enter/", {**typed, "username": name, "first_name": name, "role": role}
        )
        assert answer.status_code == 200
        assert [group.name for group in User.objects.get(username=name).groups.all()] == [role]
    assert PersonAccount.objects.values("person").distinct().count() == 2
    assert not SetupChange.objects.exists()
    rung = Client()
    rung.force_login(User.objects.get(username="rung"))
    session = rung.session
    del session["bluecard_must_change_password"]  # as after a password of one's own
    session.save()
    third = {**typed, "username": "suda", "first_name": "Suda", "role": "manager"}
    assert rung.post("/admin/auth/user/do/enter/", third).status_code == 200
    assert not User.objects.get(username="suda").groups.exists()
    assert sorted(SetupChange.objects.values_list("kind", flat=True)) == ["person_link", "role"]

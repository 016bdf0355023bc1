"""Locks of decisions: always the ruling before its rounds."""

from audit.models import Ruling, SetupChange


def lock_ruling(ruling_id: int) -> Ruling:
    """Lock one ruling.

    :raises Ruling.DoesNotExist: if there is none.
    """
    return Ruling.objects.select_for_update(of=("self",), no_key=True).get(pk=ruling_id)


def lock_setup_change(change_id: int) -> SetupChange:
    """Lock one change of the set-up.

    :raises SetupChange.DoesNotExist: if there is none.
    """
    return SetupChange.objects.select_for_update(of=("self",), no_key=True).get(pk=change_id)

"""Locks of decisions: a complaint before its ruling, the ruling before its rounds."""

from django.db import connection

from audit.models import Complaint, Consent, Ruling, SetupChange, VideoHold


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


def lock_complaint(complaint_id: int) -> Complaint:
    """Lock one complaint.

    :raises Complaint.DoesNotExist: if there is none.
    """
    rows = Complaint.objects.select_related("round__table", "table", "player", "owner")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=complaint_id)


def lock_consent(consent_id: int) -> Consent:
    """Lock one consent.

    :raises Consent.DoesNotExist: if there is none.
    """
    return Consent.objects.select_for_update(of=("self",), no_key=True).get(pk=consent_id)


def lock_video_hold(hold_id: int) -> VideoHold:
    """Lock one hold on video.

    :raises VideoHold.DoesNotExist: if there is none.
    """
    rows = VideoHold.objects.select_related("round__table")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=hold_id)


def try_sealing() -> bool:
    """Become the one sealer until this transaction ends; False when another is at it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('bluecard.sealing'))")
        return bool(cursor.fetchone()[0])


def lock_player(player_id: int) -> None:
    """Be the only one who erases a player's data or holds them; the player's own row is never locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('bluecard.player'), %s::int)", [player_id])

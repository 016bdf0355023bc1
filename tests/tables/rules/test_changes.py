"""What changed between two accounts of a thing, worked out by hand."""

from tables.rules.changes import changes, values_of


def test_values_go_by_dotted_names_and_leave_out_what_nobody_reads() -> None:
    data = {
        "status": "open",
        "lines_digest": "00ff",
        "version": 3,
        "reason": {"sha256": "00ff"},
        "details": {"owner": 7, "language": "th", "words_commitment": "00ff"},
        "limits": [1, 2],
    }
    assert dict(values_of(data)) == {"status": "open", "details.language": "th", "limits": [1, 2]}


def test_only_what_was_known_otherwise_is_a_change() -> None:
    known = {"status": "received", "refusal": "", "limits": [1, 2]}
    data = {"status": "accepted", "refusal": "", "limits": [1, 3], "new": 4}
    assert changes(known, data) == [("status", "received", "accepted"), ("limits", [1, 2], [1, 3])]
    assert changes({}, data) == []

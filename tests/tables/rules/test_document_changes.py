"""What a version of a rulebook changed, field by field."""

from tables.rulebooks import shipped_text
from tables.rules.document_changes import Change, changes_between

BEFORE = """
version: 1
bets:
  tie:
    title: {en: "Tie", th: "เสมอ"}
    pays:
      - {when: {winner: tie}, odds: 8}
  small: {odds: 1.5}
"""
AFTER = """
# a comment is no rule
version: 2
bets:
  tie:
    title: {en: "Tie",   th: "เสมอ"}
    pays:
      - {when: {winner: tie}, odds: 9}
      - {when: {winner: player}, result: push}
"""


def test_changed_new_and_removed_fields():
    assert changes_between(BEFORE, AFTER) == (
        Change("bets.tie.pays[1].odds", "8", "9"),
        Change("bets.tie.pays[2].when.winner", None, "player"),
        Change("bets.tie.pays[2].result", None, "push"),
        Change("bets.small.odds", "1.5", None),
    )


def test_a_comment_and_a_version_are_no_change():
    text = shipped_text("insurance")
    assert changes_between(text, text.replace("version: 1", "version: 2") + "# another\n") == ()


def test_two_shipped_rulebooks_differ_where_they_pay_otherwise():
    """The two pay tables of one house: 5 % off a win on the Banker, or half where it wins with 6."""
    changes = changes_between(shipped_text("insurance"), shipped_text("insurance-no-commission"))
    fields = {change.path: (change.was, change.now) for change in changes}
    assert fields["bets.banker.commission"] == ("5%", None)
    assert not any(path.startswith("bets.player") for path in fields)

"""Readable numbers of complaints, incidents and rulings: C-0031, I-0457, R-0192."""

from django.db import connection

SEQUENCES = {
    "C": "audit_complaint",
    "E": "audit_evidencepack",
    "I": "audit_incident",
    "R": "audit_ruling",
}


def next_number(letter: str) -> str:
    """Return the next number of a kind; numbers are given once and may have gaps."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT nextval('{SEQUENCES[letter]}_number')")
        return f"{letter}-{cursor.fetchone()[0]:04d}"

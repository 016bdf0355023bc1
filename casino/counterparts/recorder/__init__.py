"""A small real video recorder without pictures: it keeps what it was asked to hold, and forgets the rest."""

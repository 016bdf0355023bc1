"""The game platform at the other end of the feed: tables, dealers and players, made up from a seed.

It knows the rules as any platform does and nothing of what Bluecard keeps.
"""

from casino.counterparts.platform.day import deal_day, series_of, write_day

__all__ = ["deal_day", "series_of", "write_day"]

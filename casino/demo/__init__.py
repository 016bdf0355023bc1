"""A house to look at: six tables, a day played through the real feed, two tables that go on dealing."""

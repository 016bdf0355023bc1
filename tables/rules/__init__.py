"""The rules of the game as pure functions: no Django, no clock, no randomness, no input or output."""

"""What was questioned, what was decided, and what can be proved."""

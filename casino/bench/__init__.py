"""The bench: each figure beside a baseline measured in the same run, in a database of its own."""

"""What stands at the other end of HTTP when no operator's systems are there: for `make run` and the tests."""

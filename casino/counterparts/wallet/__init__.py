"""A small real wallet: the operator's side of the money, a process and a store of its own."""

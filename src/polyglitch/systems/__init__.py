"""What is under test: one adapter a kind of system, all fitting `protocols.System`."""

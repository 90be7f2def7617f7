"""Capabilities as files: which sentences of a corpus to take, what to make of them, what must hold."""

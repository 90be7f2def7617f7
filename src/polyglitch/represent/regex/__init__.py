"""The regex dialect: its tree, its parser and its printed tokens."""

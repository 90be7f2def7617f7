"""Which words and phrases come into question for a slot, and how likely each is there."""

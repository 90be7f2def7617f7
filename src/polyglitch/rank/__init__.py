"""Which words to change first: by the model's gradients, by its doubts, or by chance."""

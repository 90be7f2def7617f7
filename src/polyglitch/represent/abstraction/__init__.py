"""General sentences: their quantifiers and logical relations, abstracted from what they are about."""

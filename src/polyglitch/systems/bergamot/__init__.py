"""Firefox's translation models ("Bergamot") in torch: read from their own files, open to inspection."""

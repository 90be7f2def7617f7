"""Relations for LLM features: changes of a question and its context, and what must happen to the claims."""

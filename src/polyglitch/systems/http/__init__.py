"""Systems over the network: what each service is asked in `openai`, `translators` and `template`, how in the rest."""

"""LLM features: assistants, readers, summarisers, extractors. Claims must stay, follow the edit, or vanish.

The relations are data (`resources/llm/relations.toml`); a row takes part in those that it has the parts for: a context,
an answer, options. No reference answer and no judge is needed: two answers of the system are compared by their claims.
"""

from __future__ import annotations

from polyglitch.compare.oracles.claims import claims
from polyglitch.errors import UsageError
from polyglitch.issues.groups import worst_first
from polyglitch.mutate.llm.relations import llm_cases
from polyglitch.registry import Method


def llm(
    relations: tuple[str, ...] = (),
    per_relation: int = 1,
    threshold: float = 0.5,
    vectors: bool = False,
    report: int = 3,
    parts: tuple[str, ...] = (),
    paraphraser: str = "",
    translator: str = "",
    back: tuple[str, ...] = (),
) -> Method:
    """Test the relations for LLM features, all or some; report claims that change, stick or are made up.

    `parts` is what the prompt declares (`--prompt` fills it in). `paraphraser` is a system that rewrites questions,
    `translator` one that translates them, `back` two that translate there and back.
    """
    if back and len(back) != 2:
        raise UsageError(f"llm.back={','.join(back)!r}: give two systems, there and back")
    named = {"paraphrase": (paraphraser,), "translate": (translator,), "back": back}
    models = {kind: uris for kind, uris in named.items() if uris and uris[0]}
    return Method(
        name="llm",
        task="question answering",
        mutate=llm_cases(relations, per_relation, parts, models),
        compare=claims(threshold, vectors),
        issues=worst_first(report),
    )

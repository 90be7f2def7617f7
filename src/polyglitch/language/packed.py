"""Many continuations of many sentences in one pass of a causal language model.

A sentence and all the branches that leave it are laid side by side in one row; the attention mask lets a branch see
its own past and the sentence up to where it departs. So the left context is computed once for all its branches, and
nothing is padded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

# Tokens a pass: more are slower on a processor, since attention over the row grows with its square.
ROW = 384


class Branch(msgspec.Struct, frozen=True):
    """Tokens that follow the first `at` tokens of the stem."""

    at: int
    ids: tuple[int, ...]


class Stem(msgspec.Struct, frozen=True):
    """The tokens of a sentence and the branches that leave it."""

    ids: tuple[int, ...]
    branches: tuple[Branch, ...] = ()

    @property
    def size(self) -> int:
        """Tokens to compute: the last of a branch is only predicted."""
        return len(self.ids) + sum(len(branch.ids) - 1 for branch in self.branches)


def rows(stems: Sequence[Stem], limit: int = ROW) -> Iterator[list[Stem]]:
    """The stems in order, as many together as a row holds."""
    row: list[Stem] = []
    for stem in stems:
        if row and sum(other.size for other in row) + stem.size > limit:
            yield row
            row = []
        row.append(stem)
    if row:
        yield row


def hidden_states(model: Any, stems: Sequence[Stem]) -> list[tuple[Any, list[Any]]]:
    """For each stem its hidden states and those of its branches (but their last token), in order."""
    import torch

    ids: list[int] = []
    places: list[int] = []
    spans: list[tuple[int, list[tuple[int, int]]]] = []
    size = sum(stem.size for stem in stems)
    seen = torch.zeros(size, size, dtype=torch.bool)
    for stem in stems:
        start, length = len(ids), len(stem.ids)
        seen[start : start + length, start : start + length] = square(length)
        ids += stem.ids
        places += range(length)
        parts: list[tuple[int, int]] = []
        for branch in stem.branches:
            first, count = len(ids), len(branch.ids) - 1
            seen[first : first + count, start : start + branch.at] = True
            seen[first : first + count, first : first + count] = square(count)
            ids += branch.ids[:-1]
            places += range(branch.at, branch.at + count)
            parts.append((first, first + count))
        spans.append((start, parts))
    mask = torch.zeros(size, size).masked_fill(~seen, torch.finfo(torch.float32).min)
    states = model.model(
        input_ids=torch.tensor([ids]),
        attention_mask=mask[None, None],
        position_ids=torch.tensor([places]),
        use_cache=False,
    ).last_hidden_state[0]
    return [
        (states[start : start + len(stem.ids)], [states[a:b] for a, b in parts])
        for stem, (start, parts) in zip(stems, spans, strict=True)
    ]


def square(size: int) -> Any:
    """What each of some tokens sees of them: itself and those before."""
    import torch

    return torch.ones(size, size, dtype=torch.bool).tril()


def branch_scores(model: Any, stems: Sequence[Stem]) -> list[list[float]]:
    """For each branch of each stem the log-probability of its tokens after the first."""
    import torch

    found: list[list[float]] = []
    with torch.inference_mode():
        for row in rows(stems):
            states = [part for _, parts in hidden_states(model, row) for part in parts]
            targets = [branch.ids[1:] for stem in row for branch in stem.branches]
            if not targets:
                found += [[] for _ in row]
                continue
            logits = model.lm_head(torch.cat(states))
            wanted = torch.tensor([one for ids in targets for one in ids], dtype=torch.long)
            each = logits.gather(1, wanted[:, None])[:, 0] - logits.logsumexp(1)
            sums = iter([float(part.sum()) for part in each.split([len(ids) for ids in targets])])
            found += [[next(sums) for _ in stem.branches] for stem in row]
    return found


def next_words(model: Any, stems: Sequence[Stem]) -> Iterator[Any]:
    """For each stem the log-probabilities of the next token after each of its tokens."""
    import torch

    with torch.inference_mode():
        for row in rows(stems):
            for states, _ in hidden_states(model, row):
                yield model.lm_head(states).log_softmax(-1)

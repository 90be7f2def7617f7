"""Folders as Hugging Face has them of opus-mt (Marian) and of T5, small enough for a test: their files, made here.

    python -m recipes.tiny_seq2seq marian /tmp/marian
    python -m recipes.tiny_seq2seq t5 /tmp/t5

The tokenizers are of the kind that each family ships (two SentencePiece models and a vocabulary; one SentencePiece
model), learned from the bundled sentences; the weights are drawn from a seed. They know no language: they are for what
has to hold of any weights.
"""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

PIECES = 400  # of each vocabulary
WIDTH, LAYERS, HEADS = 32, 2, 4
LONGEST = 64  # tokens that the Marian model reads
BEAMS = 4  # of the search that opus-mt's own generation_config names


def sentences() -> list[str]:
    """The bundled sentences: enough to learn pieces from."""
    sample = files("polyglitch").joinpath("resources", "sample", "news.en.txt")
    return [line for line in sample.read_text("utf-8").splitlines() if line.strip()]


def learn_pieces(stem: Path) -> Path:
    """A SentencePiece model of the sentences, numbered as T5 and Marian number theirs."""
    import io

    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences()),
        model_writer=model,
        vocab_size=PIECES,
        hard_vocab_limit=False,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        minloglevel=2,
    )
    stem.write_bytes(model.getvalue())
    return stem


def make_marian(folder: Path, seed: int = 0) -> Path:
    """A folder as opus-mt has it: two SentencePiece models, a joint vocabulary, and a search of its own."""
    import sentencepiece
    import torch
    import transformers as t

    folder.mkdir(parents=True, exist_ok=True)
    source, target = (learn_pieces(folder / name) for name in ("source.spm", "target.spm"))
    learned = sentencepiece.SentencePieceProcessor(model_file=str(source))
    pieces = [learned.id_to_piece(number) for number in range(len(learned))]
    words = ["</s>", "<unk>", *(piece for piece in pieces if not piece.startswith("<")), "<pad>"]
    vocabulary = {word: number for number, word in enumerate(words)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), "utf-8")
    tokenizer = t.MarianTokenizer(
        source_spm=str(source), target_spm=str(target), vocab=str(folder / "vocab.json"),
        source_lang="en", target_lang="pt", model_max_length=LONGEST,
    )  # fmt: skip
    pad = vocabulary["<pad>"]
    torch.manual_seed(seed)
    config = t.MarianConfig(
        vocab_size=len(words), d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=2 * WIDTH,
        decoder_ffn_dim=2 * WIDTH, max_position_embeddings=LONGEST, scale_embedding=True, init_std=0.5,
        pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0,
    )  # fmt: skip
    model: Any = t.MarianMTModel(config)
    model.generation_config.update(num_beams=BEAMS, max_length=24, bad_words_ids=[[pad]])
    return saved(folder, model, tokenizer)


def make_t5(folder: Path, seed: int = 0) -> Path:
    """A folder as T5 and UnifiedQA have it: one SentencePiece model, and no bound on positions."""
    import sentencepiece
    import torch
    import transformers as t

    folder.mkdir(parents=True, exist_ok=True)
    model_file = str(learn_pieces(folder / "spiece.model"))
    learned = sentencepiece.SentencePieceProcessor(model_file=model_file)
    pieces = [(learned.id_to_piece(n), learned.get_score(n)) for n in range(len(learned))]
    tokenizer = t.T5Tokenizer(pieces, extra_ids=4)
    torch.manual_seed(seed)
    config = t.T5Config(
        vocab_size=len(tokenizer), d_model=WIDTH, d_kv=WIDTH // HEADS, d_ff=2 * WIDTH, num_layers=LAYERS,
        num_heads=HEADS, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return saved(folder, t.T5ForConditionalGeneration(config), tokenizer)


def saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    """The folder with its model and tokenizer."""
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


FAMILIES = {"marian": make_marian, "t5": make_t5}


def main() -> None:
    """Make a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    print(FAMILIES[options.family](options.folder))


if __name__ == "__main__":
    main()

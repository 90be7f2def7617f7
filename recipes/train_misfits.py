"""How resources/models/pt_misfits.npz was made: a network that tells words which do not go with their neighbours.

    python recipes/train_misfits.py TREEBANK.conllu.gz ... --sentences en.txt --minutes 15 -o pt_misfits.npz

Good sentences are those of treebanks and what `firefox:en-pt` makes of English ones (a file, one a line; 30,000 of
news, fiction, reviews, chat and talks were taken), without those whose "não" has no cause in the source. In each of
seven in ten a word is put in another form of its lemma, in a word that begins like it, in another part of speech, a
small word is lost, added or taken for another, two are turned round, or a pronoun is joined wrongly; the network learns
which. Needs torch, wordfreq and spacy-lookups-data (`pt_lemma_lookup`: which forms are of one lemma).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter, defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from wordfreq import top_n_list

from polyglitch.nlp.models.misfits import REACHES, WORDS, rows_of
from polyglitch.nlp.parsers.conllu import read_parses
from polyglitch.records import Input, Parse
from polyglitch.tools import open_system

ROWS, ENDINGS, KINDS = 16_384, 4_096, 16  # of the tables
WIDTH, HIDDEN = 64, 128
BROKEN = 0.7  # of the sentences
WEIGHT = 2.0  # of a broken word beside a good one
RATE = 2e-3
BATCH = 128
FREQUENT = 60_000  # words that a sentence may be broken with
SHORTEST, LONGEST = 4, 50  # words of a sentence
NEGATION = re.compile(
    r"\b(not|no|never|nobody|none|nothing|nor|neither|without|cannot|hardly|un\w+|in\w+|non\w*|dis\w+"
    r"|only|until|nowhere|refuse\w*|fail\w*|lack\w*)\b|n't",
    re.IGNORECASE,
)
SMALL = [
    *(
        "de",
        "do",
        "da",
        "dos",
        "das",
        "a",
        "o",
        "as",
        "os",
        "à",
        "ao",
        "em",
        "no",
        "na",
        "nos",
        "nas",
    ),
    *(
        "um",
        "uma",
        "que",
        "se",
        "e",
        "com",
        "para",
        "por",
        "pelo",
        "pela",
        "como",
        "mais",
        "já",
        "não",
    ),
]
TAKEN_FOR = {
    word: others.split()
    for word, others in (
        line.split(": ")
        for line in """o: a os um ao
a: o as à uma
os: as o
as: os a
um: uma o
uma: um a
do: da de dos
da: do de das
dos: das do
das: dos da
no: na em não
na: no em
nos: nas
nas: nos
ao: à a
à: ao a
de: em a do da para
em: de no na a
para: de a por
por: para de
com: de em
que: de quem o
pelo: pela por
pela: pelo por
seu: sua seus
sua: seu suas
seus: suas seu
suas: seus sua
ele: ela
ela: ele
eles: elas
elas: eles
este: esta
esta: este
esse: essa
essa: esse
todo: toda
toda: todo
se: o
e: o a""".splitlines()
    )
}
KINDS_OF_ERROR = {
    "form": 30,
    "stem": 14,
    "part": 12,
    "small": 20,
    "lost": 9,
    "added": 5,
    "turned": 3,
    "joined": 3,
}
JOINED = re.compile(r"^(\w+)([áêíôe])-l([oa]s?)$")
INFINITIVES = {"á": "ar", "ê": "er", "e": "er", "í": "ir", "ô": "or"}
Broken = tuple[list[str], list[int]]


class Lexicon(NamedTuple):
    """What a word may be taken for."""

    forms: dict[str, list[str]]  # of the same lemma, the frequent ones first
    stems: dict[str, list[str]]  # words by their first four and five letters
    parts: dict[str, Counter[str]]  # of speech, as in the treebanks

    def of_part(self, part: str) -> list[str]:
        """Words that are nothing else."""
        return [word for word, parts in self.parts.items() if set(parts) == {part}]


def lexicon(trees: list[Parse]) -> Lexicon:
    """From the table of lemmas, the treebanks and a list of frequent words."""
    place = files("spacy_lookups_data").joinpath("data", "pt_lemma_lookup.json.gz")
    lemmas: dict[str, str] = json.loads(gzip.decompress(place.read_bytes()))
    rank = {word: at for at, word in enumerate(top_n_list("pt", FREQUENT))}
    families: dict[str, set[str]] = defaultdict(set)
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    for form, lemma in lemmas.items():
        families[lemma.lower()] |= {form.lower(), lemma.lower()} & rank.keys()
    for token in (token for tree in trees for token in tree.tokens):
        low = token.text.lower()
        parts[low][token.pos] += 1
        if low in rank and token.lemma not in ("_", ""):
            families[token.lemma.lower()].add(low)
    forms: dict[str, set[str]] = defaultdict(set)
    for family in families.values():
        for form in family:
            forms[form] |= family - {form}
    stems: dict[str, list[str]] = defaultdict(list)
    for word in rank:
        for length in (4, 5):
            if word.isalpha() and len(word) >= length:
                stems[word[:length]].append(word)
    ranked = {form: sorted(some, key=rank.__getitem__)[:30] for form, some in forms.items() if some}
    known = {word: count for word, count in parts.items() if word in rank and word.isalpha()}
    return Lexicon(ranked, stems, known)


class Breaker:
    """Breaks one word of a sentence."""

    def __init__(self, known: Lexicon, seed: int) -> None:
        self.known, self.chance = known, random.Random(seed)
        self.pools = {part: known.of_part(part) for part in ("NOUN", "VERB", "ADJ")}

    def broken(self, words: list[str]) -> Broken | None:
        """The words with one of them broken and where, or nothing where the sentence has none that may be."""
        kind = self.chance.choices(list(KINDS_OF_ERROR), list(KINDS_OF_ERROR.values()))[0]
        found: Broken | None = getattr(self, kind)(list(words))
        return found

    def replaced(self, words: list[str], at: int, new: str) -> Broken:
        """Another word in its place."""
        words[at] = new.capitalize() if words[at][:1].isupper() else new
        return words, [int(place == at) for place in range(len(words))]

    def likely(self, some: list[str]) -> str:
        """One of some words, the first ones more often."""
        return self.chance.choices(some, [1 / (3 + at) for at in range(len(some))])[0]

    def content(self, words: list[str]) -> list[int]:
        """A few words of three letters and more, in any order."""
        places = [at for at, word in enumerate(words) if word.isalpha() and len(word) > 2]
        return self.chance.sample(places, min(8, len(places)))

    def form(self, words: list[str]) -> Broken | None:
        """Another form of the same lemma."""
        for at in self.content(words):
            if others := self.known.forms.get(words[at].lower()):
                return self.replaced(words, at, self.likely(others))
        return None

    def stem(self, words: list[str]) -> Broken | None:
        """A word that begins like it."""
        for at in self.content(words):
            low = words[at].lower()
            length = 5 if self.chance.random() < BROKEN else 4
            others = [one for one in self.known.stems.get(low[:length], ()) if one != low]
            if len(low) > 4 and others:
                return self.replaced(words, at, self.likely(others))
        return None

    def part(self, words: list[str]) -> Broken | None:
        """A word of another part of speech."""
        for at in self.content(words):
            parts = self.known.parts.get(words[at].lower(), {})
            others = [part for part in self.pools if part not in parts]
            if len(parts) == 1 and len(others) < len(self.pools):
                pool = self.pools[self.chance.choice(others)]
                return self.replaced(words, at, self.chance.choice(pool))
        return None

    def small(self, words: list[str]) -> Broken | None:
        """A small word taken for another."""
        places = [at for at, word in enumerate(words) if word.lower() in TAKEN_FOR]
        if not places:
            return None
        at = self.chance.choice(places)
        return self.replaced(words, at, self.chance.choice(TAKEN_FOR[words[at].lower()]))

    def lost(self, words: list[str]) -> Broken | None:
        """A small word or an auxiliary is lost: what stands there instead is at fault."""
        places = [
            at
            for at, word in enumerate(words[:-1])
            if word.lower() in SMALL or set(self.known.parts.get(word.lower(), "-")) == {"AUX"}
        ]
        if not places:
            return None
        at = self.chance.choice(places)
        del words[at]
        return words, [int(place == at) for place in range(len(words))]

    def added(self, words: list[str]) -> Broken | None:
        """A small word too much."""
        at = self.chance.randrange(1, len(words))
        words.insert(at, self.chance.choice(SMALL))
        return words, [int(place == at) for place in range(len(words))]

    def turned(self, words: list[str]) -> Broken | None:
        """Two words turned round."""
        places = [
            at for at in range(1, len(words) - 2) if words[at].isalpha() and words[at + 1].isalpha()
        ]
        if not places:
            return None
        at = self.chance.choice(places)
        words[at], words[at + 1] = words[at + 1], words[at]
        return words, [int(place in (at, at + 1)) for place in range(len(words))]

    def joined(self, words: list[str]) -> Broken | None:
        """A pronoun joined in a form that there is none of."""
        found = [(at, match) for at, word in enumerate(words) if (match := JOINED.match(word))]
        if not found:
            return None
        at, match = self.chance.choice(found)
        verb = match[1] + INFINITIVES[match[2]]
        return self.replaced(
            words, at, self.chance.choice((f"{verb}-{match[3]}", f"{verb}-l{match[3]}"))
        )


class Network(nn.Module):
    """The same as `Misfits` computes."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.endings = nn.Embedding(ROWS, WIDTH), nn.Embedding(ENDINGS, WIDTH)
        self.kinds = nn.Embedding(KINDS, 8)
        for table in (self.words, self.endings):
            nn.init.normal_(table.weight, std=0.1)
        self.first, self.drop = nn.Linear(2 * WIDTH + 8, HIDDEN), nn.Dropout(0.2)
        self.normals = nn.ModuleList(nn.LayerNorm(HIDDEN) for _ in REACHES)
        self.near = nn.ModuleList(
            nn.Conv1d(HIDDEN, HIDDEN, 3, padding=reach, dilation=reach) for reach in REACHES
        )
        self.normal, self.last = nn.LayerNorm(HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, rows: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
        """The log-odds of every word."""
        x = torch.cat(
            [
                self.words(rows[..., 0]) + self.words(rows[..., 1]),
                self.endings(rows[..., 2]) + self.endings(rows[..., 3]),
                self.kinds(rows[..., 4]),
            ],
            -1,
        )
        x = self.first(self.drop(x)) * inside
        for normal, near in zip(self.normals, self.near, strict=True):
            y = torch.relu(near((normal(x) * inside).transpose(1, 2))).transpose(1, 2)
            x = (x + self.drop(y)) * inside
        return self.last(self.normal(x)).squeeze(-1)


def batch(some: list[Broken]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Rows, which of them are words, and which of these are broken."""
    longest = max(len(words) for words, _ in some)
    rows = np.zeros((len(some), longest, 5), np.int64)
    wrong = np.zeros((len(some), longest), np.float32)
    inside = np.zeros((len(some), longest, 1), np.float32)
    for at, (words, broken) in enumerate(some):
        rows[at, : len(words)] = [rows_of(word, ROWS, ENDINGS) for word in words]
        wrong[at, : len(words)], inside[at, : len(words)] = broken, 1
    return torch.from_numpy(rows), torch.from_numpy(inside), torch.from_numpy(wrong)


def train(sentences: list[list[str]], known: Lexicon, minutes: float, seed: int) -> Network:
    """Break other words in every pass, for so long."""
    torch.manual_seed(seed)
    breaker, network = Breaker(known, seed), Network()
    learner = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=0.01)
    loss_of = nn.BCEWithLogitsLoss(reduction="none", pos_weight=torch.tensor(WEIGHT))
    start, step, done = time.monotonic(), 0, 0.0
    while done < 1:
        breaker.chance.shuffle(sentences)
        for at in range(0, len(sentences) - BATCH, BATCH):
            some = [
                (breaker.chance.random() < BROKEN and breaker.broken(words))
                or (words, [0] * len(words))
                for words in sorted(sentences[at : at + BATCH], key=len)
            ]
            rows, inside, wrong = batch(some)
            loss = (loss_of(network(rows, inside), wrong) * inside[..., 0]).sum() / inside.sum()
            learner.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            done = (time.monotonic() - start) / (60 * minutes)
            warm = min(1, step / 100 + 0.05)
            learner.param_groups[0]["lr"] = RATE * (warm if done < 0.5 else max(0.02, 2 - 2 * done))
            learner.step()
            step += 1
            if step % 200 == 0:
                print(f"{step} steps, {done:.0%}, loss {loss.item():.4f}", flush=True)
            if done >= 1:
                break
    return network.eval()


def packed(network: Network) -> dict[str, np.ndarray]:
    """The arrays of a file: tables in bytes with a scale a row, the rest in half precision, products as used."""
    found: dict[str, np.ndarray] = {}
    for name in ("words", "endings"):
        table = getattr(network, name).weight.detach().numpy()
        scale = (np.abs(table).max(1, keepdims=True) / 127 + 1e-9).astype(np.float16)
        found[name] = np.round(table / scale.astype(np.float32)).clip(-127, 127).astype(np.int8)
        found[f"{name}_scale"] = scale
    rest: dict[str, Any] = {"kinds": network.kinds.weight}
    for name, layer in {"in": network.first, "out": network.last}.items():
        rest |= {name: layer.weight.T, f"{name}_bias": layer.bias}
    for at, (normal, near) in enumerate(zip(network.normals, network.near, strict=True)):
        rest |= {f"normal{at}": normal.weight, f"normal{at}_bias": normal.bias}
        joined = torch.cat([near.weight[:, :, place].T for place in range(3)])
        rest |= {f"near{at}": joined, f"near{at}_bias": near.bias}
    rest |= {"normal": network.normal.weight, "normal_bias": network.normal.bias}
    return found | {name: one.detach().numpy().astype(np.float16) for name, one in rest.items()}


def translated(sentences: list[str]) -> list[str]:
    """What the translator makes of sentences, without those that it denies for no reason."""
    system = open_system("firefox:en-pt")
    outputs = [one.text for one in system.ask([Input(text, language="en") for text in sentences])]
    return [
        output
        for text, output in zip(sentences, outputs, strict=True)
        if not re.search(r"\bnão\b", output, re.IGNORECASE) or NEGATION.search(text)
    ]


def main() -> None:
    """Gather, train, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("treebanks", type=Path, nargs="+", help=".conllu or .conllu.gz")
    options.add_argument("--sentences", type=Path, required=True, help="English ones, one a line")
    options.add_argument("--minutes", type=float, default=15)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("-o", "--output", type=Path, required=True)
    chosen = options.parse_args()
    trees = [tree for path in chosen.treebanks for tree in read_parses(path)]
    texts = [tree.text for tree in trees]
    texts += translated(chosen.sentences.read_text("utf-8").splitlines())
    sentences = [WORDS.findall(text) for text in texts]
    sentences = [words for words in sentences if SHORTEST <= len(words) < LONGEST]
    print(f"{len(sentences)} sentences, {sum(map(len, sentences))} words")
    network = train(sentences, lexicon(trees), chosen.minutes, chosen.seed)
    np.savez_compressed(chosen.output, **packed(network))


if __name__ == "__main__":
    main()

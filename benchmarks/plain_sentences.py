"""More seeds for capabilities that labelled corpora have few sentences for, from plain ones.

    python -m benchmarks.plain_sentences sentiment TEXTS --opinions opinion_lexicon.zip -o more.jsonl
    python -m benchmarks.plain_sentences hate TEXTS -o more.jsonl
    python -m benchmarks.plain_sentences groups -o groups.jsonl

TEXTS is a folder with NLTK's archives and Multi30k. Sentiment: clauses of movie reviews that begin like *this is* and
have words of one side alone by the lexicon of Hu and Liu (of no system under test); captions of pictures, which state
what is seen, as neutral ones; blame from `written_seeds.toml`. Hate speech: sentences of news, speeches and edited
prose that name a group, as harmless ones. Groups: praise and plain statements of groups from that file, whose denial
is about somebody. Labels that are made so have to be read before they are trusted.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from zipfile import ZipFile

from polyglitch.languages import language
from polyglitch.nlp.proposers.slot_words import match_article
from polyglitch.tools import Toolbox

# What is called something, not a clause: "it is frightening that ..." stays so when it is denied.
OPENING = re.compile(
    r"(?:this is|that is|that's|it is|it's) (?:so |very |really |pretty )?([\w-]+)\b"
)
CLAUSE = re.compile(r" (that|which|who|when|if|how|to|because|and it's)\b")
# A clause of that form within a sentence, up to the next mark or joint.
PIECE = re.compile(
    r"(?:^|[,;:.!?(]|--|\b(?:and|but|because|so|though|although)) ?"
    r"((?:this is|that is|that's|it is|it's) [^,;:.!?()\"]+?)"
    r"(?= ?(?:[,;:.!?()\"]|--|$| but | because | and (?:it|this|that|the|i|we|he|she|they|you)\b))"
)
WRITTEN = Path(__file__).with_name("written_seeds.toml")
OF_GROUPS = 12  # written sentences drawn from each frame that takes the name of a group
NEWS = ("abc.zip", "state_union.zip", "inaugural.zip", "brown.zip")
LONGEST = 24  # words
ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'])")
TAGGED = re.compile(r"\S+/[a-z$*+-]+\s")
CUT = re.compile(r"\b(?:Mrs?|Dr|St|Prof|Gen)\.$")  # an abbreviation ends no sentence
FINITE = ("VBZ", "VBP", "VBD", "MD")
Row = tuple[str, str]


def files_of(path: Path) -> Iterator[tuple[str, str]]:
    """The texts of an archive with their names."""
    with ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/") and "README" not in name and "CONTENTS" not in name:
                yield name, archive.read(name).decode("utf-8", "replace")


def opinions(path: Path) -> dict[str, str]:
    """The words of Hu and Liu's lexicon with their sides."""
    found = {}
    for name, text in files_of(path):
        side = "negative" if "negative" in name else "positive"
        found |= {word: side for word in text.split("\n") if word and word[0] != ";"}
    return found


def reviews(path: Path, sides: dict[str, str]) -> Iterator[Row]:
    """Clauses of reviews that begin like *this is*, with the side that all of their opinion words are on."""
    for name, text in files_of(path):
        whole = "negative" if "/neg/" in name else "positive"
        for line in text.split("\n"):
            for clause in PIECE.finditer(line.strip()):
                plain = re.sub(r" (?=['.,!?])", "", clause[1].strip())
                words, called = plain.split(), OPENING.match(plain)
                if not called or not 4 <= len(words) <= LONGEST or CLAUSE.search(plain):
                    continue
                if called[1] not in ("a", "an", "one") and called[1] not in sides:
                    continue
                found = {sides[word] for word in words if word in sides}
                # Blame stays blame in a review that praises; praise in a bad one is often meant otherwise.
                if found == {"negative"} or (found == {"positive"} and whole == "positive"):
                    yield f"{proper(plain)}.", found.pop()


def written(kind: str, label: str) -> Iterator[Row]:
    """Sentences of `written_seeds.toml`: every word of a row in every frame, of groups a few a frame."""
    for row in tomllib.loads(WRITTEN.read_text("utf-8"))[kind]:
        for frame in row["frames"]:
            dice = random.Random(frame)
            groups = [group for group in group_names() if group != "men"]
            fillers = row.get("words") or dice.sample(groups, OF_GROUPS)
            yield from ((filled(frame, word), label) for word in fillers)


def filled(frame: str, word: str) -> str:
    """A frame with its word, article and capital as they should be."""
    made = frame.replace("{a}", f"{match_article('a', word)} {word}").replace("{}", word)
    return made.replace("{Group}", word[:1].upper() + word[1:]).replace("{group}", word)


def group_names() -> list[str]:
    """The plural names of groups, those with a capital written so."""
    lists = tomllib.loads(group_file().read_text("utf-8"))
    capital = {word.lower(): word for word in lists["written"]["capital"]}
    return [
        " ".join(capital.get(word, word) for word in name.split())
        for name in lists["identity"]["plural"]
    ]


def group_file() -> Traversable:
    """The words for groups."""
    found = language("en").file("groups.toml")
    assert found is not None
    return found


def proper(text: str) -> str:
    """A sentence that was written in small letters, with its first capital."""
    return re.sub(r"\bi\b", "I", text[:1].upper() + text[1:])


def captions(path: Path, sides: dict[str, str]) -> Iterator[Row]:
    """What is seen in pictures, where no word takes a side; what is only named, as *this is* too."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        seen = [line.strip() for line in lines]
    plain = [
        line
        for line in seen
        if not any(word in sides for word in re.findall(r"[a-z'-]+", line.lower()))
    ]
    for line, parsed in zip(plain, Toolbox().parser("en").parse(plain), strict=True):
        yield line, "neutral"
        finite = any(token.tag in FINITE for token in parsed.tokens)
        if re.match("An? ", line) and not finite:
            yield f"This is {line[0].lower()}{line[1:]}", "neutral"


def naming_groups(folder: Path) -> Iterator[Row]:
    """Sentences of edited text that name a group."""
    identity = tomllib.loads(group_file().read_text("utf-8"))["identity"]
    groups = "|".join(word for word in identity["plural"] if word != "men")  # often just people
    named = re.compile(rf"(?<!-)\b(?i:{groups})\b(?! [A-Z]|-)")  # not a first name, not half a word
    for archive in NEWS:
        for _, text in files_of(folder / archive):
            if TAGGED.search(text[:500]):
                words = (word.rpartition("/")[0] for word in text.split())
                text = " ".join(words).replace("``", '"').replace("''", '"')
            for sentence in ENDS.split(" ".join(text.split())):
                short = 4 <= len(sentence.split()) <= LONGEST
                whole = short and not CUT.search(sentence) and not re.search(r"\bmen\b", sentence)
                if whole and named.search(sentence):
                    yield re.sub(r" (?=[.,;!?])", "", sentence), "non-hate"


def write(rows: Iterable[Row], out: Path) -> None:
    """The rows once each, shuffled."""
    made = sorted(set(rows))
    random.Random(3).shuffle(made)
    lines = [json.dumps({"text": text, "label": label}) + "\n" for text, label in made]
    out.write_text("".join(lines), "utf-8")
    print(f"{len(made):,} rows in {out}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("sentiment", "hate", "groups"))
    parser.add_argument("texts", type=Path, nargs="?")
    parser.add_argument("--opinions", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()
    if options.task == "hate":
        write(naming_groups(options.texts), options.out)
    elif options.task == "groups":
        write([*written("praise", "non-hate"), *written("plain", "non-hate")], options.out)
    else:
        known = opinions(options.opinions)
        seen = list(captions(options.texts / "multi30k_test2016.en.gz", known))
        said = reviews(options.texts / "movie_reviews.zip", known)
        own = [*written("negative", "negative"), *written("neutral", "neutral")]
        write([*said, *seen, *own], options.out)

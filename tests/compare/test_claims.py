"""The oracle `claims`: what must stay, follow or vanish, and how well it tells on pairs that it was not made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from benchmarks import claims as benchmark

from polyglitch.compare.judge import Saved, trial_of
from polyglitch.compare.oracles.claims import claims
from polyglitch.compare.oracles.claims.edit import find_edit
from polyglitch.records import Verdict
from polyglitch.tools import Toolbox

PAIRS = benchmark.read()
BAR = 0.85


def judged(relation: str, source: str, followup: str, one: str, other: str) -> Verdict:
    saved = Saved("1", source, followup, one, other, relation=relation)  # type: ignore[arg-type]
    (verdict,) = claims(vectors=False)([trial_of(saved)], Toolbox())
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("half", "number"),
    [
        ("tune", 1),
        ("test", 1),
        ("tune", 2),
        ("test", 2),
        ("tune", 3),
        ("tune", 4),
        ("tune", 5),
        ("test", 5),
    ],
)
def test_claims_beat_the_bar_and_exact_match(half: str, number: int) -> None:
    rows = [row for row in PAIRS if row["half"] == half and row["set"] == number]
    pairs = benchmark.judged(rows)
    assert all(pair.verdict.outcome != "undecided" for pair in pairs)
    told = benchmark.score((pair.row["violated"], pair.found) for pair in pairs)
    exact = benchmark.score((pair.row["violated"], pair.exact) for pair in pairs)
    assert told[2] >= BAR > exact[2]


def test_pairs_cover_features_relations_and_both_sides() -> None:
    assert len(PAIRS) >= 1000 and len({row["id"] for row in PAIRS}) == len(PAIRS)
    topics = {(row["source"], row["half"]) for row in PAIRS}
    assert len(topics) == len({source for source, _ in topics})  # a topic is in one half only
    for half in ("tune", "test"):
        rows = [row for row in PAIRS if row["half"] == half]
        assert len({row["id"].split("-")[0] for row in rows}) == 8
        assert {row["relation"] for row in rows} == {"same", "follows", "differs"}
        assert 0.4 < sum(row["violated"] for row in rows) / len(rows) < 0.6


QUESTION = "The bridge was opened in 1853 by Anna Roe. When was the bridge opened?"
REMOVED = "The bridge was opened by Anna Roe. When was the bridge opened?"
OTHER_YEAR = "The bridge was opened in 1861 by Anna Roe. When was the bridge opened?"


@pytest.mark.slow
def test_reasons_name_the_claim_and_mark_both_places() -> None:
    one, other = "It was opened in 1853.", "The bridge was opened in 1861."
    verdict = judged("same", QUESTION, QUESTION.lower(), one, other)
    assert verdict.outcome == "violated" and "'1853' became '1861'" in verdict.reasons
    texts = (one, other)
    marked = {texts[span.output][span.start : span.end] for span in verdict.spans}
    assert {"1853", "1861"} <= marked


def test_following_the_edit_is_no_violation_and_ignoring_it_is_one() -> None:
    assert judged("follows", QUESTION, OTHER_YEAR, "In 1853.", "In 1861.").outcome == "holds"
    stuck = judged("follows", QUESTION, OTHER_YEAR, "In 1853.", "In 1853.")
    assert stuck.outcome == "violated" and stuck.spans


def test_a_fact_that_was_taken_out_must_not_be_said_nor_made_up() -> None:
    unknown = judged("differs", QUESTION, REMOVED, "In 1853.", "The text does not say.")
    kept = judged("differs", QUESTION, REMOVED, "In 1853.", "In 1853.")
    made_up = judged("differs", QUESTION, REMOVED, "In 1853.", "In 1871.")
    assert unknown.outcome == "holds"
    assert kept.reason == "said '1853', which the input no longer says"
    assert made_up.reason == "said '1871', for which the input gives no ground"


def test_fields_keep_their_types_and_may_change_their_order() -> None:
    ask = ("same", "Extract as JSON: 3 cats", "extract as JSON: 3 cats")
    assert judged(*ask, '{"n": 3, "of": "cats"}', '{"of": "cats", "n": 3}').outcome == "holds"
    typed = judged(*ask, '{"n": 3}', '{"n": "3"}')
    assert typed.outcome == "violated" and "number, then text" in typed.reason


def test_letters_of_options_stand_for_their_texts() -> None:
    before = "Which is largest? A) Mars B) Jupiter C) Venus"
    after = "Which is largest? A) Jupiter B) Venus C) Mars"
    assert judged("same", before, after, "B", "A").outcome == "holds"
    assert judged("same", before, after, "B", "B").outcome == "violated"


def test_sums_are_reckoned_anew() -> None:
    before, after = "3 pens at 4 euros each. Total?", "5 pens at 4 euros each. Total?"
    assert judged("follows", before, after, "12 euros", "20 euros").outcome == "holds"
    assert judged("follows", before, after, "12 euros", "12 euros").outcome == "violated"


def test_the_edit_is_found_as_facts_and_names() -> None:
    edit = find_edit("Ask John Smith by 3 May 2024.", "Ask Eva Long by 9 June 2024.")
    assert [(old.text, new.text) for old, new in edit.pairs] == [
        ("John Smith", "Eva Long"),
        ("3 May 2024", "9 June 2024"),
    ]


@pytest.mark.parametrize("row", PAIRS[::7], ids=lambda row: row["id"])
def test_an_answer_claims_what_it_claims(row: dict[str, Any]) -> None:
    for text in (row["source_output"], row["followup_output"]):
        again = judged("same", row["source"], row["source"], text, f" {text}\n")
        assert again.outcome == "holds" and again.score == 0


def test_what_cannot_be_judged_says_why() -> None:
    long = judged("same", "Q?", "q?", "word " * 3000, "other")
    assert long.outcome == "undecided" and "10000 characters" in long.reason
    contained = trial_of(Saved("1", "a", "b", "c", "d"))
    strange = msgspec.structs.replace(contained.case, relation="louder:caps")
    (verdict,) = claims(vectors=False)(
        [msgspec.structs.replace(contained, case=strange)], Toolbox()
    )
    assert verdict.outcome == "undecided" and "louder:caps" in verdict.reason


@pytest.mark.slow
def test_judge_reads_the_relations_and_writes_reasons(cli: Any, tmp_path: Path) -> None:
    rows = [row for row in PAIRS if row["id"].startswith("tools")]
    source, target = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    cli("judge", "--oracle", "claims", "-i", source, "-o", target)
    said = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert [row["id"] for row in said] == [row["id"] for row in rows]
    for row, verdict in zip(rows, said, strict=True):
        assert verdict["violated"] in (True, False)
        assert bool(verdict["reasons"]) == verdict["violated"]
        texts = (row["source_output"], row["followup_output"])
        assert all(0 <= s["start"] < s["end"] <= len(texts[s["output"]]) for s in verdict["spans"])


def test_letters_of_a_choice_are_claims() -> None:
    assert judged("same", "Which, A or B?", "which, A or B?", "A", "B").outcome == "violated"
    assert judged("same", "Which, A or B?", "which, A or B?", "A", "(A)").outcome == "holds"


@pytest.mark.parametrize(
    ("one", "other", "violated"),
    [
        ("A ponte foi aberta em 1931.", "Foi aberta em 1931.", False),
        ("A ponte foi aberta em 1931.", "O texto não diz quando foi aberta.", True),
        ("Sim, pode trazer um cão.", "Não, não pode trazer um cão.", True),
        ("El curso empieza el 14 de mayo.", "El curso empieza el 21 de mayo.", True),
        ("El curso empieza el 14 de mayo.", "Empieza el 14 de mayo.", False),
        ("El curso lo da Teresa Ward.", "No lo sé, el aviso no lo dice.", True),
        ("Oui, les chiens sont admis.", "Non, les chiens ne sont pas admis.", True),
        ("Le billet coûte 12 euros.", "Il coûte 12 euros.", False),
        ("Le billet coûte 12 euros.", "Le texte ne précise pas le prix.", True),
        ("Das Rad kostet 10 Euro am Tag.", "Es kostet 10 Euro am Tag.", False),
        ("Das Rad kostet 10 Euro am Tag.", "Es kostet 13 Euro am Tag.", True),
        ("Ja, Hunde sind erlaubt.", "Nein, Hunde sind nicht erlaubt.", True),
    ],
)
def test_claims_in_other_languages(one: str, other: str, violated: bool) -> None:
    found = judged("same", "?", "??", one, other)
    assert (found.outcome == "violated") is violated, found.reasons


ASKED = {
    "rewrite": ("Rewrite formally: tell them", "rewrite formally: tell them"),
    "list": ("List three fruits.", "list three fruits"),
    "choice": ("Is a whale a fish or a mammal?", "is a whale a fish or a mammal?"),
    "code": ("Write it in Python.", "write it in python"),
}


@pytest.mark.parametrize(
    ("asked", "one", "other", "violated"),
    [
        ("list", "Plum, fig and pear.", "- Pear\n- Fig\n- Plum", False),
        ("list", "Plum, fig and pear.", "Plum, potato and pear.", True),
        ("list", "1. Plum\n2. Fig\n3. Pear", "1. Plum\n2. Fig", True),
        ("choice", "It is a mammal.", "A whale is a mammal, although it looks like a fish.", False),
        ("choice", "It is a mammal.", "It is a fish.", True),
        ("rewrite", "Ida Roth thanked Max Held.", "Ida Brand thanked Max Held.", True),
        (
            "rewrite",
            "The firm owes us 6% and the bank 3%.",
            "The firm owes us 3% and the bank 6%.",
            True,
        ),
        ("rewrite", "We told the board twice.", "The board was told two times by us.", False),
        ("rewrite", "Delivery costs 5 euros.", "Delivery is free of charge.", True),
        ("rewrite", "The report is due next week.", "The report is due next month.", True),
        ("rewrite", "City: Ulm\nCurrency: EUR", "Currency: EUR\nCity: Ulm", False),
        ("rewrite", "City: Ulm\nCurrency: EUR", "City: Ulm\nCurrency: USD", True),
        ("code", "Use `ls -l *.log`.", "```bash\nls -l *.log\n```", False),
        ("code", "Use `ls -l *.log`.", "```bash\nrm *.log\n```", True),
    ],
)
def test_rows_roles_prices_and_choices(asked: str, one: str, other: str, violated: bool) -> None:
    found = judged("same", *ASKED[asked], one, other)
    assert (found.outcome == "violated") is violated, found.reasons


LOOP = """def positive(xs):
    found = []
    for x in xs:
        if x > 0:
            found.append(x)
    return found"""


def test_programs_are_told_apart_by_what_they_give() -> None:
    short, wrong = "def positive(a):\n    return [n for n in a if n > 0]", LOOP.replace(">", ">=")
    assert judged("same", *ASKED["code"], LOOP, short).outcome == "holds"
    told = judged("same", *ASKED["code"], LOOP, wrong.replace("> 0", "< 0").replace(">=", "<"))
    assert told.outcome == "violated" and "they give" in told.reason


def test_a_program_for_another_task_must_do_something_else() -> None:
    asked = (
        "Write a function top(a) that returns the largest of a.",
        "Write a function low(a) that returns the smallest of a.",
    )
    before = "def top(a):\n    return max(a)"
    assert judged("differs", *asked, before, "def low(a):\n    return min(a)").outcome == "holds"
    assert judged("differs", *asked, before, "def low(a):\n    return max(a)").outcome == "violated"


LAKE = "Lake Farrow lies near Bray. It is 84 metres deep. How deep is Lake Farrow?"
FLAG = "The flag of Tarsk is blue. It shows an otter. Which animal is on the flag of Tarsk?"
DENIED = FLAG.replace("It shows", "The next is not true. It shows")


@pytest.mark.parametrize(
    ("relation", "source", "followup", "one", "other", "violated"),
    [
        ("same", "Q?", "q?", "Sales of tea grew by 8% while those of coffee fell by 3%.",
         "Sales of tea fell by 8% while those of coffee grew by 3%.", True),
        ("same", "Q?", "q?", "Sales of tea grew by 8% while those of coffee fell by 3%.",
         "Tea is up 8% and coffee down 3%.", False),
        ("same", "Q?", "q?", "Keep it below 10 °C.", "Keep it below 10 degrees.", False),
        ("same", "Q?", "q?", "You can cancel up to 24 hours before.", "You can cancel until a day before.", False),
        ("same", "Wann?", "wann?", "Wir schließen um 18:30 Uhr.", "Wir schließen um 18.30 Uhr.", False),
        ("same", "Wann?", "wann?", "Wir schließen um 18:30 Uhr.", "Wir schließen um 19.30 Uhr.", True),
        ("same", "How many?", "How many? Are you sure? How many?", "There are 11.", "Yes, I am sure.", False),
        ("same", "How many?", "How many? Are you sure? How many?", "There are 11.", "There are 12.", True),
        ("same", "How many strings?", "Quantas cordas? (Please answer in English.)", "A violin has four strings.",
         "O violino tem quatro cordas e um arco.", True),
        ("same", "Extract as JSON: five chairs", "Extract as JSON: five ch41r5", '{"item": "chair"}',
         '{"item": "ch41r5"}', False),
        ("same", "Extract as JSON: five chairs", "Extract as JSON: five ch41r5", '{"item": "chair"}',
         '{"item": "table"}', True),
        ("follows", LAKE, LAKE.replace("84", "91"), "The text does not say.", "It is 91 metres deep.", True),
        ("differs", FLAG, DENIED, "An otter is on the flag of Tarsk.",
         "The flag of Tarsk is blue.", False),
        ("differs", FLAG, DENIED, "An otter is on the flag of Tarsk.",
         "There is an otter on the flag of Tarsk.", True),
    ],
)  # fmt: skip
def test_what_campaigns_against_a_chat_model_taught(
    relation: str, source: str, followup: str, one: str, other: str, violated: bool
) -> None:
    found = judged(relation, source, followup, one, other)
    assert (found.outcome == "violated") == violated, found.reasons


def test_what_was_asked_of_an_empty_list_counts() -> None:
    asked = "Write a function for the largest of a list, or None for an empty list."
    code = "```python\ndef largest(some):\n    return max(some) if some else {}\n```"
    one, other = code.format("None"), code.format("0")
    assert judged("same", asked, asked + "!", one, other).outcome == "violated"
    plain = "Write a function for the largest of a list."
    assert judged("same", plain, plain + "!", one, other).outcome == "holds"

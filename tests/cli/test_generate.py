"""From the command line: tests generated, a grammar counted, a prediction explained, a campaign on capabilities run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyglitch.nlp.parsers.constituents import read_grammar
from tests.conftest import Cli

pytestmark = pytest.mark.slow

CORPUS = """text,label
The film is wonderful.,positive
The actors are charming.,positive
The story is terrible.,negative
The songs are awful.,negative
He opens the door.,neutral
"""


def rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.needs("vaderSentiment")
def test_cases_of_a_corpus_go_to_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CORPUS)
    done = cli("generate", "--corpus", "c.csv", "--capability", "10-question-no", "-o", "o.jsonl")
    made = rows((tmp_path / "o.jsonl").read_text())
    assert {"text", "label", "capability"} <= set(made[0])
    own = [row for row in made if "parent" not in row]
    assert len(own) == 8
    assert 'Do I think that "The songs are awful"? No.' in {row["text"] for row in own}
    assert {row["label"] for row in own} == {"negative", "positive|neutral"}
    assert "form (10-question-no): 8" in done.stderr
    varied = json.loads(cli("diversity", "o.jsonl", "--json").stdout)["tests"]["10-question-no"]
    assert varied["texts"] == varied["sample"] == len({row["text"] for row in made})
    assert 0.5 < varied["self_bleu"] <= 1 and varied["productions"] > 5
    assert "belong together" in cli("diversity", "o.jsonl", "--known", "c.csv", code=2).stderr


def test_templates_need_no_corpus_and_do_not_repeat(cli: Cli) -> None:
    made = rows(cli("generate", "--suite", "sentiment-pt", "--limit", "100").stdout)
    texts = [row["text"] for row in made]
    assert len(texts) == len(set(texts)) > 500
    assert {row["capability"] for row in made} >= {"01-vocabulario", "02-negacao", "03-mudanca"}


@pytest.mark.needs("vaderSentiment")
def test_a_suite_from_elsewhere_can_be_run(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "suite.txt").write_text(
        "# Praise\n2\tI love it.\n# Blame\n0\tI love it not.\n1\t\n"
    )
    done = cli("generate", "--import", "suite.txt", "--numbered", "-o", "s.jsonl")
    assert "skipped, empty text: 1" in done.stderr
    figures = json.loads(
        cli("run", "--system", "vader", "--method", "suite", "--corpus", "s.jsonl", "--json").stdout
    )
    assert (figures["cases"], figures["undecided"]) == (2, 0)


@pytest.mark.needs("spacy")
def test_a_suite_from_elsewhere_grows_and_keeps_its_labels(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "suite.txt").write_text("# Praise\n2\tThe film is lovely.\n")
    made = rows(cli("generate", "--import", "suite.txt", "--numbered", "--expansions", "3").stdout)
    assert len(made) > 1 and {row["label"] for row in made} == {"positive"}
    assert "parent" not in made[0] and all(row["parent"] for row in made[1:])
    assert all(row["inputs"] == [made[0]["text"], row["text"]] for row in made[1:])


@pytest.mark.needs("vaderSentiment")
def test_a_campaign_on_capabilities(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CORPUS)
    options = ("--system", "vader", "--method", "alict", "--corpus", "c.csv", "--json")
    figures = json.loads(cli("run", *options, "-o", "r.jsonl").stdout)
    assert figures["cases"] > 100 and figures["undecided"] == 0
    assert 0 < figures["violations"] < figures["cases"]
    again = json.loads(cli("run", *options).stdout)
    assert again["queries"] == 0 and again["violations"] == figures["violations"]
    wrong = cli("run", *options, "--param", "alict.suite=sentimant", code=2)
    assert "did you mean 'sentiment'" in wrong.stderr


def test_a_grammar_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.mrg").write_text(
        "( (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)) )\n" * 3
    )
    assert "3 productions" in cli("grammar", "t.mrg", "-o", "g.tsv.gz").stdout
    rows = [
        "1 The _ DET DT _ 2 det _ _",
        "2 cat _ NOUN NN _ 3 nsubj _ _",
        "3 sleeps _ VERB VBZ _ 0 root _ _",
    ]
    one = "\n".join(row.replace(" ", "\t") for row in rows) + "\n\n"
    (tmp_path / "t.conllu").write_text(one * 3)
    assert "3 productions" in cli("grammar", "t.conllu", "-o", "u.tsv.gz").stdout
    assert read_grammar((tmp_path / "u.tsv.gz").read_bytes(), "u").counts == {
        "NP": {("DT", "NN"): 3},
        "S": {("NP", "VP"): 3},
        "VP": {("VBZ",): 3},
    }
    (tmp_path / "c.csv").write_text(CORPUS)
    # Of this grammar nothing is richer than what the sentences have, so nothing grows.
    done = cli("generate", "--corpus", "c.csv", "--grammar", "u.tsv.gz", "-o", "o.jsonl")
    assert "(10-question-no): 8" in done.stderr and "expanded" not in done.stderr
    wrong = cli("generate", "--corpus", "c.csv", "--grammar", "no.tsv.gz", "-o", "o.jsonl", code=2)
    assert "no.tsv.gz" in wrong.stderr
    assert "no such file" in cli("grammar", "x.mrg", "-o", "g.tsv.gz", code=2).stderr


@pytest.mark.needs("vaderSentiment")
def test_an_explanation(cli: Cli) -> None:
    done = cli("explain", "The plot is boring.", "--system", "vader", "--fills", "50", "--json")
    found = json.loads(done.stdout)
    assert found["label"] == "negative"
    assert found["template"] == ["[MASK]", "[MASK]", "[MASK]", "boring", "[MASK]"]


@pytest.mark.needs("vaderSentiment")
def test_generated_tests_run_as_the_campaign_that_would_make_them(cli: Cli, tmp_path: Path) -> None:
    """One file of tests, drawn evenly, serves every system: pass to fail and titles come with it."""
    (tmp_path / "c.csv").write_text(CORPUS)
    cli("generate", "--corpus", "c.csv", "--each", "12", "-o", "t.jsonl")
    made = rows((tmp_path / "t.jsonl").read_text())
    kinds = {(row["capability"], "parent" in row) for row in made}
    assert all(sum((r["capability"], "parent" in r) == k for r in made) <= 12 for k in kinds)
    assert len({r["seed"] for r in made if r["capability"] == "10-question-no"}) == 4
    told = json.loads(
        cli("run", "--system", "vader", "--method", "suite", "--corpus", "t.jsonl", "--json").stdout
    )["by_capability"]
    by = {row["name"]: row for row in told}
    assert by["10-question-no"]["title"] == "Parsing sentiment in (question, no) form"
    grown = [r for r in made if r["capability"] == "10-question-no" and "parent" in r]
    assert by["10-question-no"]["expansions"] == len(grown) > 0
    assert by["10-question-no"]["cases"] == 8 + len(grown)


@pytest.mark.needs("vaderSentiment")
def test_one_text_may_test_two_capabilities(cli: Cli, tmp_path: Path) -> None:
    """Only the same text under the same capability is a duplicate."""
    told = [("praise", "positive"), ("short", "positive"), ("praise", "positive")]
    made = [{"text": "It is lovely.", "label": label, "capability": name} for name, label in told]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, made)))
    ask = ("run", "--system", "vader", "--method", "suite", "--corpus", "t.jsonl", "--json")
    found = json.loads(cli(*ask).stdout)
    assert {row["name"]: row["cases"] for row in found["by_capability"]} == {
        "praise": 1,
        "short": 1,
    }
    assert found["skipped"] == {"duplicate": 1}

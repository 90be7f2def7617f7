"""Answers read as claims: the same fact however it is written, and what kind of answer it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.represent.claims import read_answer
from polyglitch.represent.claims.facts import facts, same_fact
from polyglitch.represent.claims.small_programs import parted, results
from polyglitch.represent.claims.structure import code_blocks, json_of, list_items, tool_call

SAME = [
    ("5", "five"), ("twenty-one", "21"), ("1,200 dollars", "$1200"), ("$1.2 million", "$1,200,000"),
    ("15 March 2024", "2024-03-15"), ("March 15th, 2024", "15/03/2024"), ("3 pm", "15:00"), ("noon", "12:00"),
    ("90 minutes", "1.5 hours"), ("5 km", "5000 metres"), ("50%", "half"), ("30-day", "30 days"),
    ("12 million euros", "12-million-euro"), ("1,238,402", "1.238 million"), ("3.142", "3.14"),
    ("INV-204", "INV 204".replace(" ", "")), ("Tuesday", "Tuesdays"), ("-5 °C", "-5 degrees Celsius"),
]  # fmt: skip
OTHER = [
    ("5", "six"), ("5 km", "5 miles"), ("$5", "€5"), ("15 March 2024", "2024-03-16"), ("3 pm", "3 am"),
    ("Tuesday", "Thursday"), ("INV-204", "INV-205"), ("5 million", "5 billion"), ("10 minutes", "10 hours"),
    ("2014", "2017"), ("1990", "1991"), ("2,000 euros", "2,001 euros"), ("1,238,402", "1.239 million"),
]  # fmt: skip


def only(text: str):  # type: ignore[no-untyped-def]
    """The one fact of a text."""
    (found,) = facts(f"It is {text} then")
    return found


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_fact_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert same_fact(only(one), only(other)) and same_fact(only(other), only(one))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_another_fact_is_another(one: str, other: str) -> None:
    assert not same_fact(only(one), only(other))


@pytest.mark.slow
@given(st.text(max_size=200))
def test_places_of_facts_hold_their_text_whatever_the_answer(text: str) -> None:
    for fact in facts(text):
        assert 0 <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.text
    for sentence in read_answer(text).sentences:
        for item in (*sentence.facts, *sentence.names):
            assert text[item.start : item.end] == item.text


@given(st.integers(min_value=2, max_value=10**9))
def test_a_number_is_itself_with_and_without_commas(number: int) -> None:
    assert same_fact(only(f"{number} euros"), only(f"{number:,} euros"))


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("Yes, you can.", "yes"), ("No. It closes at 5.", "no"), ("The text does not say when it opened.", "unknown"),
        ("This isn't mentioned in the passage.", "unknown"), ("N/A", "unknown"), ("I can't help with that.", "refusal"),
        ("I'm sorry, but I cannot assist with this request.", "refusal"), ("The bridge is long.", ""),
        ("The warranty does not cover water.", ""), ("Sorry for the delay! It opens at 9.", ""),
    ],
)  # fmt: skip
def test_what_kind_of_answer_it_is(text: str, stance: str) -> None:
    assert read_answer(text).stance == stance


def test_names_stand_inside_sentences_and_titles_are_no_part_of_them() -> None:
    read = read_answer("Yesterday Dr. Ben Jones met the Bank of England in New York.")
    assert [name.parts for name in read.names] == [
        ("ben", "jones"),
        ("bank", "england"),
        ("new", "york"),
    ]


def test_denials_and_hedges_are_seen_and_phrases_that_deny_nothing_are_not() -> None:
    denied, plain, hedged = read_answer(
        "You cannot return it. It comes no later than Monday. It is probably lost."
    ).sentences
    assert denied.negated and not plain.negated and hedged.hedged and not plain.hedged


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Hold the button for ten seconds. Then wait for it to", True),
        ('{"name": "Dana", "amount": 3', True),
        ("```python\ndef f():\n    return", True),
        ("Hold the button for ten seconds. Then wait.", False),
        ("negative", False),
        ("The bridge was opened in 1931. The correct answer is: 1931", False),
        ("- flour\n- eggs and a pinch of salt from the sea", False),
    ],
)
def test_an_answer_that_stops_in_the_middle_is_cut_off(text: str, cut: bool) -> None:
    assert read_answer(text).cut_off is cut


def test_language_is_told_by_common_words() -> None:
    assert read_answer("The museum is closed for the day and it opens on Monday.").language == "en"
    spanish = "El museo está cerrado por la mañana y se abre en la tarde de los lunes."
    assert read_answer(spanish).language == "es"


def test_forms_are_read() -> None:
    assert json_of('Here is the JSON: {"a": 1}') == {"a": 1}
    assert json_of("```json\n[1, 2]\n```") == [1, 2]
    assert json_of("no JSON") is ...
    called = tool_call('weather(city="Porto", days=3)')
    assert called == tool_call('{"name": "weather", "arguments": {"days": 3, "city": "Porto"}}')
    assert tool_call("weather(city=__import__('os').name)") is None  # read, never run
    assert [item for item, _, _ in list_items("- a cat\n- a dog")] == ["a cat", "a dog"]
    assert code_blocks("```js\nlet a = 1;\n```")[0].language == "js"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Das Fest ist am 15. September.", "It is on 15 September."),
        ("La réunion aura lieu le 3 juillet 2026.", "It is on 2026-07-03."),
        ("Le concert est pour quarante personnes de la ville.", "It is for 40."),
        ("O autocarro sai a cada doze minutos.", "Every 12 minutes."),
        ("El curso dura dos semanas y empieza el lunes.", "From Monday, for 14 days."),
    ],
)
def test_facts_are_read_in_other_languages(one: str, other: str) -> None:
    for fact in facts(other):
        assert any(same_fact(fact, found) for found in facts(one)), (fact, facts(one))


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return open('/etc/passwd').read()",
        "def f(x):\n    return x.__class__.__mro__",
        "def f(x):\n    return eval('1')",
        "import os\ndef f(x):\n    return os.getcwd()",
        "def f(x):\n    while True:\n        x = [x, x]",
        "def f(x):\n    return 10 ** (10 ** 9)",
        "def f(x):\n    return round(5, -10 ** 9)",
        "def f(x):\n    return f(x)",
        "def f(x):\n    return [i for i in range(300) for j in range(300) for k in range(300)]",
    ],
)
def test_code_that_reaches_out_or_runs_on_is_left_alone(code: str) -> None:
    assert results(code) is None


def test_programs_that_give_the_same_are_not_parted() -> None:
    short = "def back(s):\n    return s[::-1]"
    long = (
        "def back(word):\n    out = ''\n    for c in word:\n        out = c + out\n    return out"
    )
    assert parted(short, long) == (0.0, parted(short, long)[1])  # type: ignore[index]
    told = parted(short, "def back(s):\n    return s.upper()")
    assert told is not None and told[0] > 0.5 and "'abba'" not in told[1]

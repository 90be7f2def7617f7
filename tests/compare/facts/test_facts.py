"""Each translation against its own source: what is found, what is let pass, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.api.run import run
from polyglitch.compare.oracles.facts.numbers import deniers, inflected, read_amounts, readings
from polyglitch.compare.oracles.facts.oracle import THRESHOLD, broken_facts_of, facts, warn_once
from polyglitch.errors import UsageError
from polyglitch.records import Case, Input, Output, Trial, Verdict
from polyglitch.tools import Toolbox

ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("minimal_pairs.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def kinds(source: str, output: str, language: str, source_language: str = "en") -> set[str]:
    found = broken_facts_of(source, output, source_language, language)
    return {item.kind for item in found if item.weight > THRESHOLD}


def judge(source: str, *outputs: str, language: str | None = "pt") -> Verdict:
    case = Case("c", "s", "facts kept", (Input(source, language="en"),) * len(outputs))
    trial = Trial(case, tuple((Output(text),) for text in outputs))
    (verdict,) = facts(language=language)([trial], Toolbox())
    return verdict


@pytest.mark.parametrize(("language", "expected", "source", "output"), ROWS)
def test_minimal_pairs(language: str, expected: str, source: str, output: str) -> None:
    assert kinds(source, output, language) == (set() if expected == "-" else {expected})


def test_the_minimal_pairs_cover_what_they_promise() -> None:
    broken = [row for row in ROWS if row[1] != "-"]
    assert len(broken) >= 60
    assert len(ROWS) - len(broken) >= 60
    assert {row[0] for row in broken} == {"pt", "es", "fr", "de", "ru"}


@pytest.mark.parametrize("word", ["importante", "impostos", "investimento", "informação"])
def test_no_word_denies_for_how_it_begins(word: str) -> None:
    assert word not in deniers("pt")
    assert {"information", "important", "investment"}.isdisjoint(deniers("en"))
    assert {"información", "impuestos", "inversión"}.isdisjoint(deniers("es"))


def test_a_listed_word_is_known_in_its_forms() -> None:
    assert {"nega", "negou", "negaram"} <= deniers("pt")
    assert inflected("negar", {"ar": ("a", "ou")}) == {"negar", "nega", "negou"}
    assert inflected("abc", {"": ("s",)}) == {"abc"}  # too short to be read in all forms


@pytest.mark.parametrize(
    ("source", "output", "language", "expected"),
    [
        ("They keep the roos away.", "Eles mantêm os whips longe dos cães.", "pt", set()),
        ("The cost of the whole gear.", "O custo do whole equipamento.", "pt", {"untranslated"}),
        ("He saw the house.", "Ele viu a casa the.", "pt", {"untranslated"}),
        ("The Lessee shall pay.", "O Lessee deve pagar.", "pt", {"untranslated"}),
        ("See the Tower Bridge today.", "Veja a Tower Bridge hoje.", "pt", set()),
        ("It was in the hospital.", "Foi no hospital.", "pt", set()),
        ("Call the Bank of England and Wales.", "Ligue para o Bank of England and Wales.", "pt", set()),
        ("The dog of the man barked.", "O cão do do homem latiu.", "pt", {"repeated"}),
        ("You have 3 unread mails.", "Tem 3 mensagens não lidas.", "pt", set()),
        ("The expensive one is fine.", "O caro um é bom.", "pt", set()),  # a verb may follow
        ("Buy the expensive one.", "Compre o caro um.", "pt", {"wording"}),
        ("The new one with the lamp is good.", "O novo um com a lâmpada é bom.", "pt", {"wording"}),
        ("Read chapter one.", "Leia o capítulo um.", "pt", set()),
        ("Sell the cows one by one.", "Venda as vacas uma por uma.", "pt", set()),
        ("Not a single one.", "Nem mais um.", "pt", set()),
        ("The Caterer shall pay.", "O Caterer deve pagar.", "pt", {"untranslated"}),
        ("He signs this Deed today.", "Ele assina este Deed hoje.", "pt", {"untranslated"}),
        ("Wiggle your toes.", "Mexa os dedos dos dedos.", "pt", {"repeated"}),
        ("The lighthouse is old.", "O farol do farol é velho.", "pt", {"repeated"}),
        ("From time to time it rains.", "De tempo em tempo chove.", "pt", set()),
        ("The racks and the plotter broke.", "Os racks e o plotter quebraram.", "pt", set()),
        ("We saw ourselves.", "Nous nous sommes vus.", "fr", set()),
        ("East Africa is large.", "L'Afrique de l'Est est grande.", "fr", set()),
        ("The old man and his dog walked slowly along the river.", "O velho.", "pt", {"cut off"}),
        ("The dog barked.", "", "pt", {"cut off"}),
        ("The dog barked at the man in the street.", "The dog barked at the man.", "ru", {"language"}),
        ("The dog is in the house with the man.", "The dog is in the house with the man.", "pt", {"language"}),
        ("Write to ann@example.org today.", "Escreva hoje.", "pt", {"name"}),
        ("He reads the Sunday Morning Post.", "Ele lê o Sunday Morning Post.", "pt", set()),
        ("The A380 landed.", "O A380 pousou.", "pt", set()),
        ("The A380 landed.", "O A330 pousou.", "pt", {"name"}),
        ("Mr. Cohen left.", "O senhor Cohan saiu.", "pt", {"name"}),
        ("Mr. Cohen left.", "O Sr. Cohen saiu.", "pt", set()),
    ],
)  # fmt: skip
def test_words_and_names(source: str, output: str, language: str, expected: set[str]) -> None:
    assert kinds(source, output, language) == expected


def test_other_directions_have_the_same_lists() -> None:
    assert kinds(
        "O ministro não aumentou os impostos.", "The minister raised taxes.", "en", "pt"
    ) == {"negation"}
    assert kinds("Custa 4,34 milhões.", "It costs 4.34 million.", "en", "pt") == set()
    assert kinds("Custa 4,34 milhões.", "It costs 4.34 billion.", "en", "pt") == {"number"}


def test_a_language_without_lists_is_still_read_for_figures_and_script() -> None:
    assert kinds("There are 25 cows.", "Υπάρχουν 25 αγελάδες.", "el") == set()
    assert kinds("There are 25 cows.", "Υπάρχουν 52 αγελάδες.", "el") == {"number"}
    assert kinds("There are many cows.", "There are many cows.", "el") == {"language"}


def test_the_reason_is_true_and_the_place_is_marked() -> None:
    output = "O remédio é mantido não congelador."
    verdict = judge("The medicine is kept in the fridge.", output)
    assert verdict.outcome == "violated"
    assert verdict.reasons == ("'não' stands in the translation, and the source has no negation",)
    assert [output[span.start : span.end] for span in verdict.spans] == ["não"]
    lost = judge("He does not pay.", "Ele paga.")
    assert lost.reasons == ("'not' stands in the source, and the translation has no negation",)
    held = judge("He does not pay.", "Ele não paga.")
    assert (held.outcome, held.score, held.reasons) == ("holds", 0.0, ())


def test_an_error_that_both_outputs_have_is_reported() -> None:
    verdict = judge("It cost 4.34 million.", "Custou 4,44 milhões.", "Custava 4,44 milhões.")
    assert verdict.reasons == (
        "first: number '4.34 million' of the source became '4,44 milhões'",
        "second: number '4.34 million' of the source became '4,44 milhões'",
    )


def test_what_cannot_be_judged_says_why() -> None:
    assert judge("", "x").outcome == "undecided"
    assert "language" in judge("12 34", "zzz qqq", language=None).reason
    with pytest.raises(UsageError, match="no probability"):
        facts(threshold=2)


def test_a_campaign_without_mutants() -> None:
    said = {"The dog barks.": "O cão ladra.", "It is in the box.": "Está não caixa."}
    result = run(
        lambda texts: [said[text] for text in texts],
        list(said),
        methods=["facts"],
        source_language="en",
        target_language="pt",
    )
    assert (result.summary.cases, result.summary.violations) == (2, 1)


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["pt", "fr", "ru", "zh", "th"]))
def test_any_text_is_read(source: str, output: str, language: str) -> None:
    for item in broken_facts_of(source, output, "en", language):
        assert 0 <= item.start <= item.end <= len(output)
        assert 0 < item.weight < 1
        assert item.reason


@given(st.integers(0, 10**9), st.sampled_from(["pt", "es", "fr", "de", "ru"]))
def test_a_number_is_itself_however_it_is_grouped(number: int, language: str) -> None:
    english = f"It is {number:,} now."
    for sign in (".", " ", "", ","):
        output = "x " + f"{number:,}".replace(",", sign) + " y"
        (asked,) = read_amounts(english, "en", strict=True)
        assert any(asked.same(given) for given in read_amounts(output, language, strict=False))


def test_figures_are_read_as_the_language_writes_them() -> None:
    assert readings("1.000", ".", strict=True) == {1.0}
    assert readings("1.000", ",", strict=True) == {1000.0}
    assert readings("1,234.5", ".", strict=True) == {1234.5}
    assert readings("12.05.2019", ",", strict=False) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "output", "languages", "found"),
    [
        ("El camarero trajo la sopa.", "O camarero trouxe a sopa.", ("es", "pt"), {"untranslated"}),
        ("El dueño compró un sofá.", "O dono comprou um sofá.", ("es", "pt"), set()),
        ("Add a handful of nuts.", "Afegeix un handful de nous.", ("en", "ca"), {"untranslated"}),
        ("The menu has a podcast.", "El menu té un podcast.", ("en", "ca"), set()),
        # No list of Galician: what no other language has is no word of it either.
        ("Add the breadcrumbs.", "Engade o breadcrumbs.", ("en", "gl"), {"untranslated"}),
        ("Whisk three eggs.", "Whisk Tres huevos.", ("en", "es"), {"untranslated"}),
        ("Simmer the sauce.", "Simmer La salsa.", ("en", "es"), {"untranslated"}),
        ("Apple bought the firm.", "Apple compró la empresa.", ("en", "es"), set()),
        # A capital at the beginning makes no name of a word that only one language has often.
        ("Robbers drove off.", "Robbers saiu.", ("en", "pt"), {"untranslated"}),
        ("Hannah drove off.", "Hannah saiu.", ("en", "pt"), set()),
        ("Gomery drove off.", "Gomery saiu.", ("en", "pt"), set()),
        ("The hotel is new.", "O hotel é novo.", ("en", "gl"), set()),
    ],
)
def test_a_common_word_that_the_other_language_hardly_has_was_left_over(
    source: str, output: str, languages: tuple[str, str], found: set[str]
) -> None:
    pytest.importorskip("wordfreq")
    assert kinds(source, output, languages[1], languages[0]) == found


@pytest.mark.slow
def test_a_common_word_behind_a_prefix_excuses_a_negation() -> None:
    pytest.importorskip("wordfreq")
    lost = "As alterações não salvas serão perdidas."
    assert kinds("Unsaved changes will be lost.", lost, "pt") == set()
    assert kinds("Unique changes will be lost.", lost, "pt") == {"negation"}
    assert kinds("Changes under this will be lost.", lost, "pt") == {"negation"}


def test_a_word_that_denies_excuses_nothing_where_the_translation_has_its_own_word_for_it() -> None:
    pytest.importorskip("wordfreq")
    jobs = "Unemployment fell again in the second quarter."
    assert kinds(jobs, "O desemprego caiu de novo, não havendo alta.", "pt") == {"negation"}
    assert kinds(jobs, "Não ter emprego ficou mais raro.", "pt") == set()
    # A "não" is "no", which answers nothing: here it stands for the whole idiom.
    assert kinds("The lid no longer closes.", "A tampa já não fecha.", "pt") == set()
    late = "Fees are due on time, failing which we sue."
    unpaid = "As taxas não vencem, na falta das quais processamos."
    assert kinds(late, unpaid, "pt") == {"negation"}
    assert kinds("Nobody's at the door.", "Ninguém está na porta.", "pt") == set()


@pytest.mark.parametrize(
    ("output", "slips"),
    [
        ("O barco não ficou não mercado.", ["não"]),
        ("Não dia seguinte, não choveu.", ["Não"]),
        ("Ele não caiu não segundo dia.", ["não"]),
        ("Não toque no prato.", []),  # a verb, whatever else it is
        ("Eles não verão o mar.", []),
        ("Pode pagar, não todo ou em parte.", ["não"]),
        ("Não todo o bolo foi comido.", []),  # "not all": odd, and no slip
        ("Ele não receio que ela caia.", []),  # "recear" has it too
        ("Comprou um vaso, não prato.", []),  # one noun against another
        ("Quer um vaso e não prato.", []),
        ("O não pagamento tem juros.", []),
        ("Ele não o viu.", []),
    ],
)
def test_a_negation_of_a_noun_is_a_slip_whatever_the_source_denies(
    output: str, slips: list[str]
) -> None:
    found = broken_facts_of("It did not stay, or nobody saw it.", output, "en", "pt")
    said = [one for one in found if one.reason.endswith("a noun")]
    assert [output[one.start : one.end] for one in said] == slips


@pytest.mark.slow
def test_what_a_language_says_twice_is_no_repetition() -> None:
    assert kinds("Drink it slowly.", "Beveu-lo a poc a poc.", "ca") == set()
    assert kinds("Drink it slowly.", "Beveu-lo a casa a casa.", "ca") == {"repeated"}
    assert kinds("The worst I have ever had.", "El pitjor que he tingut mai.", "ca") == set()


def test_without_lists_of_frequencies_it_says_what_it_cannot_see(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("polyglitch.compare.oracles.facts.oracle.lists_at_hand", lambda: "none")
    warn_once.cache_clear()
    judge("The cat sleeps.", "O gato dorme.")
    judge("The cat sleeps.", "O gato dorme.")
    assert [r.message for r in caplog.records if "polyglitch[frequencies]" in r.message] == [
        caplog.records[0].message
    ]

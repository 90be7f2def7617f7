"""`polyglitch demo`: a campaign on the bundled sentences against a real translator."""

from __future__ import annotations

import sys

import click

NEWS = "sample:news-"
USUAL = "firefox:en-pt"


@click.command(name="demo")
@click.option(
    "--system",
    default=None,
    show_default="firefox:en-pt, or one of the language",
    help="What to test.",
)
@click.option("--language", default=None, help="Of the sentences: de es fr it pt zh; else English.")
@click.option(
    "--store", default="out/demo.sqlite", show_default=True, help="Where results are kept."
)
@click.option(
    "-o", "--output", multiple=True, default=("out/demo.html",), show_default=True, help="Report."
)
@click.option("--limit", type=int, default=None, help="At most so many sentences.")
def command(
    system: str | None,
    language: str | None,
    store: str,
    output: tuple[str, ...],
    limit: int | None,
) -> None:
    """Test Firefox's English-Portuguese translator on the bundled sentences, or one of another language."""
    from polyglitch.campaign import make_campaign
    from polyglitch.cli.run import run_campaign

    corpus, system = sentences(language), system or translator(language)
    options = {
        "system": system,
        "corpus": corpus,
        "methods": ["sit", "transrepair", "rti"],
        "parameters": {"sit": {"per_seed": 8}, "transrepair": {"per_seed": 4}},
        "store": store,
        "output": list(output),
    }
    sys.exit(run_campaign(make_campaign(options | ({"limit": limit} if limit else {}))))


def sentences(language: str | None) -> str:
    """The bundled sentences of a language, by the name of their corpus."""
    from polyglitch.corpus.source import SAMPLES
    from polyglitch.errors import UsageError
    from polyglitch.languages import DEFAULT, two_letters

    code = two_letters(language) or language
    if code in (None, DEFAULT):
        return "sample"
    if f"{NEWS}{code}" not in SAMPLES:
        known = ", ".join(name.removeprefix(NEWS) for name in SAMPLES if name.startswith(NEWS))
        raise UsageError(f"--language {language!r}: sentences are bundled in {DEFAULT}, {known}")
    return f"{NEWS}{code}"


def translator(language: str | None) -> str:
    """The translator of a language that is tested where none is named."""
    from polyglitch.errors import UsageError
    from polyglitch.languages import DEFAULT, two_letters
    from polyglitch.languages import language as language_of

    if (two_letters(language) or language) in (None, DEFAULT):
        return USUAL
    known = language_of(language).english
    if known is None:
        raise UsageError(
            f"--language {language!r}: no translator from it is known that runs here by itself; name yours, such as "
            f"--system 'cmd:./translate' (and --target-language)"
        )
    return known.there

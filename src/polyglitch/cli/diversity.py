"""`polyglitch diversity`: how varied tests are, in words, in syntax, and in what they wake in a model."""

from __future__ import annotations

import click

from polyglitch.cli.main import ENGLISH, say, say_json


@click.command(name="diversity")
@click.argument("tests")
@click.option("--language", default=ENGLISH, help="Of the texts, for the parser.")
@click.option("--sample", default=200, help="At most so many texts of a capability.")
@click.option(
    "--system", default=None, help="A model of hf:..., for neuron coverage; needs --known."
)
@click.option("--known", default=None, help="A corpus of inputs that the model knows: its bounds.")
@click.option("--curve", type=click.IntRange(1), help="Coverage after every so many tests, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    tests: str,
    language: str,
    sample: int,
    system: str | None,
    known: str | None,
    curve: int | None,
    as_json: bool,
) -> None:
    """Measure the texts of TESTS, by capability where they have one: Self-BLEU (lower is more varied) and distinct
    productions (higher is). With --system and --known also which neurons leave the bounds of known inputs."""
    from polyglitch.errors import UsageError
    from polyglitch.evaluate.diversity import by_capability, coverage_curve, measured

    if bool(system) != bool(known):
        raise UsageError("--system and --known belong together: coverage is beyond what is known")
    texts = by_capability(tests, language)
    rows = {name: measured(some, language, sample) for name, some in texts.items()}
    found: dict[str, object] = {"tests": rows}
    if system and known:
        every = [text for some in texts.values() for text in some]
        inputs = [text for some in by_capability(known, language).values() for text in some]
        most = 10 * sample
        steps = coverage_curve(system, inputs[:most], every[:most], curve or max(1, len(every)))
        covered = steps[-1][1]
        asked = {"known": min(most, len(inputs)), "asked": min(most, len(every))}
        found["neurons"] = vars(covered) | asked
        if curve:
            found["curve"] = [{"tests": count, **vars(row)} for count, row in steps]
    if as_json:
        say_json(found)
        return
    for name, figures in rows.items():
        say(
            f"{name}: {figures['sample']} of {figures['texts']} texts, "
            f"Self-BLEU {figures['self_bleu']:.3f}, {figures['productions']} productions"
        )
    if curve and system:
        for count, row in steps:
            say(f"after {count:,} tests: boundary {row.boundary:.1%}, strong {row.strong:.1%}")
    if "neurons" in found:
        say(
            f"{covered.neurons:,} neurons, {asked['asked']:,} of {len(every):,} texts against {asked['known']:,} of "
            f"{len(inputs):,} known inputs: boundary coverage {covered.boundary:.1%}, "
            f"strong activation coverage {covered.strong:.1%}"
        )

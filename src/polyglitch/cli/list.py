"""`polyglitch list`: what there is, by kind."""

from __future__ import annotations

from typing import Any

import click

from polyglitch.cli.main import say, say_json

KINDS = (
    "methods",
    "systems",
    "metrics",
    "parsers",
    "proposers",
    "embedders",
    "ranks",
    "oracles",
    "lenses",
    "languages",
    "relations",
)


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS), metavar="|".join(KINDS), required=False)
@click.option("--json", "as_json", is_flag=True, help="An array of objects, each with a name.")
def command(kind: str | None, as_json: bool) -> None:
    """Show the methods, systems, metrics, ... that can be named; without a kind, what kinds there are."""
    if kind is None:
        show_kinds(as_json)
        return
    from polyglitch.cli.languages import language_matrix, show

    made = {"languages": language_matrix, "relations": describe_relations}
    rows = made[kind]() if kind in made else describe(kind)
    if as_json:
        say_json(rows, indent=1)
        return
    if kind == "languages":
        for line in show(rows):
            say(line)
        return
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        more = (
            f"  [{row['direction']}, {row['range'][0]} to {row['range'][1]}]"
            if "range" in row
            else ""
        )
        needs = (
            f"  [{row['must']}; needs {', '.join(row['needs']) or 'nothing'}]"
            if "must" in row
            else ""
        )
        say(f"{row['name']:<{width}}  {row['about']}{more}{needs}")


def show_kinds(as_json: bool) -> None:
    """The kinds, each with its names."""
    from polyglitch import registry
    from polyglitch.languages import known_languages
    from polyglitch.mutate.llm.relations import bundled

    names = {kind: list(registry.entries(kind)) for kind in KINDS[:-2]}
    names["languages"] = [one.code for one in known_languages()]
    names["relations"] = [f"{len(bundled())} for the method llm"]
    if as_json:
        rows = [{"name": kind, "names": found} for kind, found in names.items()]
        say_json(rows, indent=1)
        return
    for kind, found in names.items():
        say(f"{kind:<10}  {', '.join(found)}")
    say("\nwhat each is: polyglitch list KIND, such as polyglitch list methods")


def describe_relations() -> list[dict[str, Any]]:
    """The relations of the method `llm`: what must happen, what each needs, and where it comes from."""
    from polyglitch.mutate.llm.relations import bundled

    return [
        {
            "name": each.name,
            "about": each.title,
            "method": "llm",
            "must": each.must,
            "changes": each.on,
            "needs": list(each.needs),
            "paper": each.source,
            "llmorph": each.llmorph,
        }
        for each in bundled()
    ]


def describe(kind: str) -> list[dict[str, Any]]:
    """The registered names of a kind with what is known of each."""
    from polyglitch import registry

    rows: list[dict[str, Any]] = []
    for entry in registry.entries(kind).values():
        row: dict[str, Any] = {
            "name": entry.name,
            "about": registry.about(kind, entry.name),
            **entry.data,
        }
        if kind == "metrics":
            metric = registry.load(kind, entry.name)
            row |= {"direction": metric.direction, "range": [json_number(x) for x in metric.range]}
        if kind == "methods":
            row["parameters"] = parameters(registry.load(kind, entry.name))
        rows.append(row)
    return rows


def parameters(factory: Any) -> dict[str, Any]:
    """What a method takes, with its defaults."""
    import inspect

    found = inspect.signature(factory).parameters
    return {name: parameter.default for name, parameter in found.items()}


def json_number(value: float) -> float | str:
    """A bound as JSON can say it."""
    return "inf" if value == float("inf") else value

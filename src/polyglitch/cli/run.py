"""`polyglitch run`: a campaign on a system.

What a run shows on the terminal: progress while it goes, a table when it ends.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyglitch.cli.main import complete, read_fields, reading, say, say_json
from polyglitch.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from polyglitch.campaign import Campaign
    from polyglitch.results.answer import Gate
    from polyglitch.results.findings import Summary
    from polyglitch.results.history import History
    from polyglitch.results.tables import CapabilityResult
    from polyglitch.run.budget import Progress, Watch


REPEATED = ("methods", "output")


class RunCommand(click.Command):
    """The command, its help with the defaults that a campaign has: an option that is not given is left to the file."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, each with its default."""
        import msgspec

        from polyglitch.campaign import Campaign

        defaults = {field.name: field.default for field in msgspec.structs.fields(Campaign)}
        for parameter in self.params:
            value = defaults.get(parameter.name or "")
            plain = isinstance(value, (str, int, float)) and not isinstance(value, bool)
            if isinstance(parameter, click.Option) and plain and value != "":
                parameter.show_default = str(value)
        super().format_options(ctx, formatter)


@click.command(name="run", cls=RunCommand)
@click.option(
    "--system",
    "systems",
    multiple=True,
    help="What to test, by URI: firefox:en-pt, cmd:..., python:mod:fn, ...; several are compared in a table.",
    shell_complete=complete("systems", after=":"),
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    help="What is said around each row: a .toml (system, examples, variables, tools, schema), your own .txt with "
    "{text} in it, or a bundled name; for openai:, hf: and smollm2:. Several are compared.",
)
@click.option(
    "--back",
    help="The system for the way back, for round trips and oracles that ask it: firefox:pt-en; none for none.",
    show_default="for oracles the system itself, where it can be looked into and has both directions",
)
@click.option(
    "--both",
    is_flag=True,
    default=None,
    help="Test --back too, on --back-corpus; what is not named is bundled: sentences, sit and transrepair.",
)
@click.option("--back-corpus", help="Seeds for --back under --both, in the language it reads.")
@click.option("--judge", help="A language model for a second opinion where the oracle is unsure.")
@click.option("--judge-budget", type=int, help="Questions to the judge at most.")
@click.option(
    "--lens",
    help="A model that says how likely it finds the outputs: firefox:en-pt, gguf:FILE; none for none.",
    show_default="the system itself, where it can be looked into",
    shell_complete=complete("systems", after=":"),
)
@click.option(
    "--corpus",
    help="Seeds: .txt .csv .tsv .jsonl .json .parquet .xlsx .tmx .xlf .po .conllu (also .gz), a folder of "
    "a Hugging Face dataset, - for stdin, or `sample`.",
)
@reading
@click.option("--text-column", help="The same as --field text=COLUMN.")
@click.option("--label-column", help="The same as --field label=COLUMN.")
@click.option("--context-column", help="The same as --field context=COLUMN.")
@click.option("--source-language", help="Two-letter code, where the system does not tell.")
@click.option("--target-language", help="Two-letter code, where the system does not tell.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="Method(s), by comma or repeated.",
    shell_complete=complete("methods"),
)
@click.option(
    "--param", "params", multiple=True, metavar="METHOD.KEY=VALUE", help="Set a parameter."
)
@click.option("--store", help="Where everything is kept: a file or a database URL.")
@click.option("--seed", type=int, help="Where random choices start.")
@click.option("--limit", type=int, help="At most so many seeds.")
@click.option("--budget", type=int, help="At most so many distinct queries.")
@click.option("--repeat", type=int, help="Ask each input so many times, to tell chance from bugs.")
@click.option("-j", "--jobs", type=int, help="Calls under way at once.")
@click.option("--timeout", type=float, help="Seconds a call may take.")
@click.option("--rate", type=float, help="Requests a second, for systems over the network.")
@click.option("--char-rate", type=float, help="Characters a second, for systems over the network.")
@click.option("--retries", type=int, help="Tries after the first, for systems over the network.")
@click.option("--price", help="Of a million characters (20), or tokens read/written (0.15/0.60).")
@click.option("--max-chars", type=int, help="Stop before more characters are sent; resumable.")
@click.option("--max-cost", type=float, help="Stop before it costs more; resumable.")
@click.option("--estimate", is_flag=True, help="Say what the run would send and cost; ask nothing.")
@click.option(
    "--rank",
    help="What a budget goes to first: ahead, adaptive, gri, wali; for questions combined, doubt.",
)
@click.option("--parser", help="spacy, stanza, benepar, or with a model, such as spacy:PACKAGE.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="SHARE",
    help="Exit 1 when a smaller share of decided cases holds, such as 0.95 or 95%; of one capability: "
    "NAME=SHARE (repeatable).",
)
@click.option(
    "--max-undecided",
    help="Exit 1 when a larger share of cases is undecided; 20% where --fail-under is given.",
)
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="SAID=MEANT",
    help="What a label of the system means to the tests, such as 0=negative (repeatable).",
)
@click.option("--fresh", is_flag=True, default=None, help="Start the run again; outputs stay.")
@click.option("--resume", is_flag=True, help="Go on with the run as it is (the default).")
@click.option("--engine", help="local, ray, or ray:ADDRESS of a cluster that runs already.")
@click.option("--retry-errors", is_flag=True, default=None, help="Ask again what failed.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    help="Report file: .html .jsonl .csv .md .xml .sarif .inspect.json .promptfoo.json, or - for JSON lines on "
    "stdout (repeatable).",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="Instead of the polyglitch.toml found upwards.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no table.")
@click.option(
    "-v", "--verbose", is_flag=True, help="Say what happens, a line at a time, on stderr."
)
def command(
    as_json: bool,
    quiet: bool,
    verbose: bool,
    config: Path | None,
    resume: bool,
    estimate: bool,
    systems: tuple[str, ...],
    prompts: tuple[str, ...],
    **given: Any,
) -> None:
    """Run a campaign; the same command again goes on where it stopped."""
    from polyglitch.campaign import find_file, make_campaign

    options = {key: value for key, value in given.items() if value not in (None, ())}
    if config is not None and not config.is_file():
        raise UsageError(f"--config {str(config)!r}: no such file; `polyglitch init` writes one")
    file = config or find_file()
    options = tidy(options)
    if prompts or len(systems) > 1 or {"both", "back_corpus"} & options.keys():
        from polyglitch.cli.several_systems import all_campaigns

        campaigns = all_campaigns(options, systems, prompts, file)
    else:
        named = {"system": systems[0]} if any(systems) else {}
        campaigns = [make_campaign(options | named, file)]
    campaign, *more = campaigns
    check_limits(campaign)
    if estimate:
        from polyglitch.flow import estimate as estimate_run

        for one in campaigns:
            say(str(estimate_run(one)))
        return
    if more:
        from polyglitch.cli.several_systems import run_matrix, run_several

        # Prompts are compared by relation, systems alone by what they can do.
        several = run_matrix if campaign.prompt or "llm" in campaign.methods else run_several
        sys.exit(several(campaigns, as_json=as_json, quiet=quiet, verbose=verbose))
    sys.exit(run_campaign(campaign, as_json=as_json, quiet=quiet, verbose=verbose))


def tidy(options: dict[str, Any]) -> dict[str, Any]:
    """The options as a campaign has them: lists split, parameters nested, shares as numbers."""
    params = options.pop("params", ())
    if "fields" in options:
        options["fields"] = read_fields(options["fields"])
    if "methods" in options:
        options["methods"] = [
            name for item in options["methods"] for name in item.split(",") if name
        ]
    if params:
        options["parameters"] = nested(params)
    if "labels" in options:
        options["labels"] = dict(named_label(item) for item in options["labels"])
    for item in options.pop("fail_under", ()):
        name, named, value = item.rpartition("=")
        if named:
            options.setdefault("capability_limits", {})[name.strip()] = share(value)
        else:
            options["fail_under"] = share(value)
    if "max_undecided" in options:
        options["max_undecided"] = share(options["max_undecided"], "--max-undecided")
    return {key: list(value) if key in REPEATED else value for key, value in options.items()}


def nested(params: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """`sit.top=5` as {"sit": {"top": "5"}}; the method knows which of them are lists."""
    found: dict[str, dict[str, Any]] = {}
    for item in params:
        name, _, value = item.partition("=")
        method, _, key = name.partition(".")
        if not key or not value:
            raise UsageError(f"--param {item!r}: write METHOD.KEY=VALUE, such as sit.threshold=2")
        found.setdefault(method, {})[key] = value
    return found


def named_label(item: str) -> tuple[str, str]:
    """`0=negative` as what the system says and what the tests call it."""
    said, _, meant = item.rpartition("=")
    if not said.strip() or not meant.strip():
        raise UsageError(f"--label {item!r}: write SAID=MEANT, such as 0=negative")
    return said.strip(), meant.strip()


def share(text: str, option: str = "--fail-under") -> float:
    """A share between 0 and 1, written as 0.95 or 95%."""
    try:
        value = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise UsageError(f"{option} {text!r}: not a number; write 0.95 or 95%") from None
    if not 0 <= value <= 1:
        raise UsageError(f"{option} {text!r}: must be between 0 and 1, or 0% and 100%")
    return value


def check_limits(campaign: Campaign) -> None:
    """Refuse a limit for a capability that no method of the campaign tests, before anything is asked."""
    from polyglitch.campaign import make_method
    from polyglitch.registry import suggest

    if not campaign.capability_limits:
        return
    methods = [make_method(name, campaign.parameters.get(name)) for name in campaign.methods]
    known = tuple(name for method in methods for name in method.capabilities)
    if "suite" in campaign.methods:  # its capabilities are those of the corpus
        return
    for name in campaign.capability_limits:
        if name not in known:
            told = (
                suggest(name, known) if known else "; alict, relations and suite have capabilities"
            )
            raise UsageError(
                f"--fail-under {name}=...: no method tests a capability {name!r}{told}"
            )


SPOKEN_EVERY = 2.0  # seconds between two lines of `-v`


def warned(watch: Watch, verbose: bool = False) -> Watch:
    """A watcher that says a warning once, whether or not progress is shown, and what happens if asked to."""

    told: set[str] = set()
    last = time.monotonic()

    def once(line: str) -> None:
        if line and line not in told:
            told.add(line)
            say(f"polyglitch: {line}", err=True)

    def tell(step: Progress) -> None:
        nonlocal last
        once(step.warning)
        if verbose:
            once(step.about)
            if time.monotonic() - last > SPOKEN_EVERY:
                last = time.monotonic()
                once(how_far(step, plain=True))
        watch(step)

    return tell


def run_campaign(
    campaign: Campaign, *, as_json: bool = False, quiet: bool = False, verbose: bool = False
) -> int:
    """Run, show, write reports; the exit code."""
    import msgspec

    from polyglitch.run.second_process import started

    engine = started(campaign)  # it loads while all that follows is imported

    from polyglitch.flow import finished
    from polyglitch.report.html import STDOUT, findings_for, prepare, write_report, writer_for
    from polyglitch.results.answer import gate_of
    from polyglitch.results.summary import summarise
    from polyglitch.store.store import shown

    piped = STDOUT in campaign.output  # then the report alone is on standard output
    with ExitStack() as stack:
        if engine:
            stack.callback(engine.close)
        for path in campaign.output:  # a wrong extension shows before the run, not after it
            writer_for(Path(path))
        with progress_bar(hidden=quiet or as_json or verbose) as watch:
            history, figures = stack.enter_context(
                finished(campaign, warned(watch, verbose), engine=engine)
            )
        gate = gate_of(
            figures, campaign.fail_under, campaign.max_undecided, campaign.capability_limits
        )
        if campaign.output or not (as_json or quiet):
            prepare(campaign.output, history)
            command = shlex.join(["polyglitch", *(shown(word) for word in sys.argv[1:])])
            summary = msgspec.structs.replace(summarise(history, command=command), gate=gate)
            if not as_json and not quiet:
                show_figures(summary, history, err=piped)
            for path in campaign.output:
                write_report(Path(path), summary, findings_for(path, history))
                if path != STDOUT:
                    say(f"report: {path}", err=as_json or piped)
        if as_json:
            say_json(as_data(history.run_id, figures, gate))
        tell_end(history, figures, gate, quiet=quiet or as_json, err=piped)
    return 1 if gate.passed is False else 0


def as_data(run_id: str, figures: dict[str, Any], gate: Gate) -> dict[str, Any]:
    """What `--json` prints: the figures of the run, and what came of its limits."""
    return {"run": run_id, **figures, "holds": round(gate.holds, 6), "passed": gate.passed}


def tell_end(
    history: History, figures: dict[str, Any], gate: Gate, *, quiet: bool, err: bool
) -> None:
    """The run's last words: what it cost, why it fails, how much holds, and what to do next."""
    from polyglitch.cli.main import look_at
    from polyglitch.results.answer import degenerate_of
    from polyglitch.results.history import short_id

    if figures["requests"] and not quiet:
        cost = f", cost {figures['cost']:.4f}" if figures["cost"] else ""
        told = f"{figures['characters']:,} characters in {figures['requests']:,} requests{cost}"
        if tokens := figures.get("tokens"):
            told += f", tokens {tokens['read']:,} read and {tokens['written']:,} written"
        if latency := figures.get("latency"):
            told += f", an answer in {latency['p50']:.2f} s (p50), {latency['p95']:.2f} s (p95)"
        say(told, err=err)
    failed = gate.passed is False
    lead = degenerate_of(figures).sentence  # the table began with it
    for why in gate.failures:
        if quiet or why != lead:
            say(why, err=True)
    if quiet and failed:
        say(gate.sentence, err=True)
    if not quiet:
        name = short_id(history)
        step = look_at(history, name)
        say(f"{gate.sentence} Run {name}. {step}", err=err or failed)


@contextmanager
def progress_bar(hidden: bool = False) -> Iterator[Callable[[Progress], None]]:
    """A bar over the queries, those that are done of those that are known; nothing where it goes into a pipe."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    console = Console(stderr=True, emoji=False)
    if hidden or not console.is_terminal:
        yield lambda _: None
        return
    bar = Bar(
        SpinnerColumn(),
        BarColumn(),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, told="loading")

        def watch(step: Progress) -> None:
            if step.stage == "run":
                total = step.queries_expected or None
                bar.update(task, completed=step.queries, total=total, told=how_far(step))

        yield watch


def how_far(step: Progress, plain: bool = False) -> str:
    """A run's progress in words: `12/250 queries`, or `12/~900` while seeds are still to come."""
    guess = "~" if step.queries_expected > step.queries_known else ""
    told = (
        f"{step.queries:,}/{guess}{step.queries_expected:,} queries · {step.cases:,} cases judged · "
        f"{step.violations:,} violated"
    )
    errors = f"{step.errors:,} errors" if plain else f"[red]{step.errors:,} errors[/red]"
    return f"{told} · {errors}" if step.errors else told


def show_figures(summary: Summary, history: History, worst: int = 5, err: bool = False) -> None:
    """What was found, in a short table, and the worst of it; first of all what makes it void."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from polyglitch.results.answer import degenerate_of

    console = Console(stderr=err, emoji=False)
    for alarm in summary.alarms:
        console.print(escape(visible(alarm)), style="bold red", highlight=False, soft_wrap=True)
    example = degenerate_of(history.row["figures"]).example
    if summary.alarms and example:
        console.print(f"  most often: {escape(visible(example))}", highlight=False)
    table = Table(title=escape(summary.title), title_justify="left", box=None, pad_edge=False)
    for name in ("method", "cases", "hold", "violated", "undecided", "issues"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for row in summary.methods:
        counts = (row.cases, row.holds, row.violated, row.undecided, row.issues)
        table.add_row(row.method, *(f"{count:,}" for count in counts))
    console.print(table)
    if summary.capabilities:
        console.print()
        wide = console if console.is_terminal else Console(stderr=err, emoji=False, width=140)
        wide.print(capability_table(summary.capabilities))
        if len(summary.capabilities) > MOST_CAPABILITIES:
            more = len(summary.capabilities) - MOST_CAPABILITIES
            console.print(f"and {more} that fail less: in the report", highlight=False)
    if summary.bugs:
        bugs = "bug" if summary.groups == 1 else "bugs"
        console.print(f"\n{summary.groups:,} suspected {bugs}; behind several issues:")
    for bug in summary.bugs[:worst]:
        told = f"  {len(bug.numbers):,} issues: {escape(visible(bug.title))}"
        console.print(told, highlight=False)
    for finding in islice(history.merged_findings(), worst):
        trial, verdict = finding.violations[0]
        console.print()
        for item, output in zip(trial.case.inputs, trial.outputs, strict=True):
            console.print(f"  {escape(visible(item.text))}", highlight=False, soft_wrap=True)
            console.print(
                f"    -> {escape(visible(output.said))}",
                style="cyan",
                highlight=False,
                soft_wrap=True,
            )
        why = "; ".join(verdict.reasons[:3]) or verdict.reason
        tested = str(trial.case.data.get("title") or ", ".join(finding.methods))
        console.print(
            f"  {escape(visible(tested))}: {escape(visible(why))}",
            style="dim",
            highlight=False,
            soft_wrap=True,
        )
    stages = ", ".join(
        f"{name} {spent:.1f}" for name, spent in summary.stages.items() if spent >= 0.05
    )
    console.print(
        f"\n{summary.queries:,} queries, {summary.cache_hits:,} from the store, {summary.errors:,} errors, "
        f"{summary.seconds:.1f} s{f' ({stages})' if stages else ''}",
        highlight=False,
    )
    for reason, count in list(summary.undecided_reasons.items())[:5]:
        console.print(
            f"undecided: {count:,} x {escape(visible(reason))}", highlight=False, soft_wrap=True
        )
    for reason, count in summary.skipped.items():
        console.print(f"skipped rows: {count:,} x {escape(reason)}", highlight=False)
    for note in summary.without_case_notes:
        console.print(escape(note), highlight=False, soft_wrap=True)
    if summary.unasked:
        console.print(f"not asked for want of budget: {summary.unasked:,} cases", highlight=False)


MOST_CAPABILITIES = 16  # rows on a screen; those that fail most


def capability_table(results: Sequence[CapabilityResult]) -> Table:
    """The capabilities that fail most, under their titles."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("capability", "cases", "failed", "rate (95%)", "undecided", "pass to fail"):
        left = name == "capability"
        table.add_column(name, justify="left" if left else "right", no_wrap=not left)
    worst = sorted(results, key=lambda row: -1.0 if row.rate is None else -row.rate)
    kept = {id(row) for row in worst[:MOST_CAPABILITIES]}
    for row in results:
        if id(row) in kept:
            counts = (f"{row.cases:,}", f"{row.failed:,}", row.rate_in_words, f"{row.undecided:,}")
            title = escape(visible(row.title))
            table.add_row(title, *counts, row.pass_to_fail_in_words)
    return table


def wide_console() -> Console:
    """A console for tables of figures: in a pipe they are not folded to 80 columns."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    return (
        console
        if console.is_terminal
        else Console(highlight=False, markup=False, emoji=False, width=140)
    )


def visible(text: str) -> str:
    """Text without control characters, so that a system's output cannot drive the terminal."""
    return "".join(c if c.isprintable() else f"<{ord(c):04X}>" for c in text[:400])

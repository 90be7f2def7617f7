"""Several systems side by side: capabilities by system, as a page with a chart or a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote

from polyglitch.report.html import asset, environment, source_hash
from polyglitch.report.markdown import safe
from polyglitch.results.capabilities import SystemColumn, table_rows


def html_overview(columns: Sequence[SystemColumn], files: Sequence[str]) -> str:
    """A page: every capability with a bar for each system, and a link to the report of each."""
    style = asset("report.css")
    page = environment().get_template("systems.html.j2")
    return page.render(
        columns=list(zip(columns, map(quote, files), strict=True)),
        rows=table_rows(columns),
        style=style,
        policy=f"default-src 'none'; style-src {source_hash(style)}; base-uri 'none'; form-action 'none'",
    )


def markdown_overview(
    columns: Sequence[SystemColumn],
    files: Sequence[str] = (),
    published: Mapping[str, str] | None = None,
) -> str:
    """A table: failed of decided cases, the rate with its interval, and pass to fail; published rates beside."""
    heads = [safe(column.system) for column in columns]
    if files:
        heads = [f"[{head}]({quote(file)})" for head, file in zip(heads, files, strict=True)]
    heads += ["published"] if published else []
    lines = ["| capability | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for title, results in table_rows(columns):
        cells = []
        for result in results:
            if result is None or result.rate is None:
                cells.append("-")
                continue
            grown = f", pass to fail {result.pass_to_fail_in_words}" if result.expansions else ""
            told = f"{result.failed:,} of {result.decided:,}: {result.rate_in_words}{grown}"
            cells.append(told)
        cells += [published.get(title, "-")] if published else []
        lines.append(f"| {safe(title)} | " + " | ".join(cells) + " |")
    return "## Capabilities by system\n\n" + "\n".join(lines) + "\n"


OVERVIEWS: dict[str, Callable[[Sequence[SystemColumn], Sequence[str]], str]] = {
    ".html": html_overview,
    ".md": markdown_overview,
}

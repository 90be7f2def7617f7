"""Hostile text as safe HTML: escaped, marked, hidden characters shown as chips."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from polyglitch.report.marks import Piece
from polyglitch.report.visible import code_point, name_of, plain, split_hidden

CHIP = Markup('<span class="chip" dir="ltr" title="{name}">{code}</span>')
MARK = Markup('<{tag} class="{kind}"{title}>{body}</{tag}>')
TITLE = Markup(' title="{}"')


def visible(text: str) -> Markup:
    """The text escaped, with a chip for every hidden character."""
    if text.isascii() and text.isprintable():  # most texts: a page has hundreds of them
        return escape(text)
    runs = (
        CHIP.format(name=name_of(run), code=code_point(run)) if hidden else escape(run)
        for run, hidden in split_hidden(text)
    )
    return Markup("").join(runs)


def marked(pieces: Sequence[Piece], tag: str) -> Markup:
    """Pieces of a text, the changed ones in `tag`, the faulty ones in an emphasised `mark`."""
    return Markup("").join(marked_piece(piece, Markup(tag)) for piece in pieces)  # noqa: S704


def marked_piece(piece: Piece, tag: Markup) -> Markup:
    """One piece, in one element or none."""
    body = visible(piece.text)
    if piece.changed:
        body = MARK.format(tag=tag, kind="changed", title="", body=body)
    if piece.fault is not None:
        title = TITLE.format(plain(piece.fault)) if piece.fault else ""
        body = MARK.format(tag=Markup("mark"), kind="fault", title=title, body=body)
    return body

"""Setting keys in a TOML file: the rest stays to the letter, and what cannot be edited safely is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyglitch.errors import UsageError
from polyglitch.files.settings import set_keys

FILE = """# ours
system = "cmd:./a # b"  # the old one

[parameters.sit]  # see the wiki
top = 5
threshold = 1     # was 0

[parameters.rti]
threshold = 0
"""


def test_a_key_is_replaced_where_it_stands_and_comments_stay() -> None:
    made = set_keys(FILE, ("parameters", "sit"), {"threshold": 4})
    assert made == FILE.replace("threshold = 1     # was 0", "threshold = 4     # was 0")


def test_a_new_key_goes_under_its_header_and_a_new_table_to_the_end() -> None:
    made = set_keys(FILE, ("parameters", "sit"), {"structure": "raw"})
    assert made == FILE.replace("# was 0\n", '# was 0\nstructure = "raw"\n')
    made = set_keys(FILE, ("parameters", "cat"), {"weights": [0.5, 0.5], "threshold": 0.93})
    assert made.startswith(FILE)
    assert tomllib.loads(made)["parameters"]["cat"] == {"weights": [0.5, 0.5], "threshold": 0.93}
    assert (
        set_keys("", ("parameters", "cat"), {"threshold": 1}).strip().startswith("[parameters.cat]")
    )


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "parameters = { sit = { threshold = 1 } }\n",
            "parameters = { sit = { threshold = 4 } }\n",
        ),
        ("parameters.sit.threshold = 1\n", "parameters.sit.threshold = 4\n"),
        (
            "[parameters]\nsit = { threshold = 1 }  # ours\n",
            "[parameters]\nsit = { threshold = 4 }  # ours\n",
        ),
        ("[parameters.sit]\nthreshold = [\n 1,\n]\n", "[parameters.sit]\nthreshold = 4\n"),
        (
            "[parameters.rti]\na = 1\n[x]\ny = 1\n[parameters.sit]\nb = 2",
            "[parameters.rti]\na = 1\n[x]\ny = 1\n[parameters.sit]\nb = 2\nthreshold = 4\n",
        ),
    ],
)
def test_however_a_table_is_written_it_is_edited_where_it_stands(text: str, made: str) -> None:
    assert set_keys(text, ("parameters", "sit"), {"threshold": 4}) == made


@pytest.mark.parametrize("text", ["parameters = 3\n", "[[parameters]]\na = 1\n"])
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="set by hand: threshold = 4"):
        set_keys(text, ("parameters", "sit"), {"threshold": 4})


tables = st.dictionaries(
    st.sampled_from(("sit", "rti", "a b")),
    st.dictionaries(st.sampled_from(("top", "threshold")), st.integers(), max_size=2),
    max_size=3,
)


@pytest.mark.slow
@given(tables, st.one_of(st.integers(), st.booleans(), st.text(), st.lists(st.floats(0, 9))))
def test_any_value_reads_back_and_nothing_else_changes(
    known: dict[str, dict[str, int]], value: Any
) -> None:
    rows = [
        f'[parameters."{name}"]\n' + "".join(f"{key} = {number}\n" for key, number in row.items())
        for name, row in known.items()
    ]
    made = tomllib.loads(set_keys("\n".join(rows), ("parameters", "sit"), {"new": value}))
    assert made["parameters"]["sit"].pop("new") == value
    assert made["parameters"] == {"sit": {}} | known

"""Setting keys in a TOML file: the rest stays to the letter, and what cannot be edited safely is refused."""

from __future__ import annotations

import tomllib

import pytest

from polyglitch.errors import UsageError
from polyglitch.files.toml_edit import set_keys

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
    assert made == FILE.replace("threshold = 1     # was 0", "threshold = 4  # was 0")


def test_a_new_key_goes_under_its_header_and_a_new_table_to_the_end() -> None:
    made = set_keys(FILE, ("parameters", "sit"), {"structure": "raw"})
    assert '[parameters.sit]  # see the wiki\nstructure = "raw"\ntop = 5' in made
    made = set_keys(FILE, ("parameters", "cat"), {"weights": [0.5, 0.5], "threshold": 0.93})
    assert made.startswith(FILE)
    assert tomllib.loads(made)["parameters"]["cat"] == {"weights": [0.5, 0.5], "threshold": 0.93}
    assert (
        set_keys("", ("parameters", "cat"), {"threshold": 1}).strip().startswith("[parameters.cat]")
    )


@pytest.mark.parametrize(
    "text",
    [
        "parameters = { sit = { threshold = 1 } }\n",
        "parameters.sit.threshold = 1\n",
        "[parameters]\nsit = { threshold = 1 }\n",
        "[parameters.sit]\nthreshold = [\n 1,\n]\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="set by hand: threshold = 4"):
        set_keys(text, ("parameters", "sit"), {"threshold": 4})

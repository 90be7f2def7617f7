"""polyglitch.toml and options: one set of keys, errors that name file, line, key and value."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyglitch.campaign import find_file, make_campaign, make_method, read_file
from polyglitch.errors import UsageError


def written(folder: Path, text: str) -> Path:
    path = folder / "polyglitch.toml"
    path.write_text(text)
    return path


def test_options_win_over_the_file_found_upwards(tmp_path: Path) -> None:
    file = written(tmp_path, 'system = "cmd:cat"\nlimit = 5\nstore = "here.sqlite"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_file(inner) == file
    campaign = make_campaign({"limit": 9}, file)
    assert (campaign.system, campaign.limit) == ("cmd:cat", 9)
    assert campaign.store == str(tmp_path / "here.sqlite")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('system = "x"\nlimti = 5\n', r"toml:2: unknown key 'limti'; did you mean 'limit'"),
        ('\n\nlimit = "many"\n', r"toml:3: limit = 'many'.*Expected `int"),
        ("limit = 0\n", r"toml:1: limit = 0.*>= 1"),
        ("fail_under = 1.5\n", r"fail_under = 1.5.*<= 1"),
        ("system = \n", r"not TOML.*line 1"),
        ('methods = "sit"\n', r"methods = 'sit'.*Expected `array`"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_file(written(tmp_path, text))


def test_parameters_are_checked_against_the_method() -> None:
    assert make_method("sit", {"top": "4"}).mutate.signature.count("top=4") == 1
    with pytest.raises(UsageError, match="did you mean 'threshold'"):
        make_method("sit", {"treshold": 1})
    with pytest.raises(UsageError, match="top = 'lots'"):
        make_method("sit", {"top": "lots"})

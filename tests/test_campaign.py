"""polyglitch.toml and options: one set of keys, errors that name file, line, key and value."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from polyglitch import registry
from polyglitch.campaign import find_file, make_campaign, make_method, read_file
from polyglitch.cli.run import nested
from polyglitch.errors import UsageError


def written(folder: Path, text: str) -> Path:
    path = folder / "polyglitch.toml"
    path.write_text(text)
    return path


def test_options_win_over_the_file_found_upwards(tmp_path: Path) -> None:
    file = written(tmp_path, 'system = "vader"\nlimit = 5\nstore = "here.sqlite"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_file(inner) == file
    campaign = make_campaign({"limit": 9}, file)
    assert (campaign.system, campaign.limit) == ("vader", 9)
    assert campaign.store == str(tmp_path / "here.sqlite")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('system = "x"\nlimti = 5\n', r"toml:2: unknown key 'limti'; did you mean 'limit'"),
        ('\n\nlimit = "many"\n', r"toml:3: limit = 'many': must be a whole number, and is text"),
        ("limit = 0\n", r"toml:1: limit = 0.*>= 1"),
        ("fail_under = 1.5\n", r"fail_under = 1.5.*<= 1"),
        ("system = \n", r"not TOML.*line 1"),
        ("methods = 3\n", r"methods = 3: must be a list such as .*, and is a whole number"),
        ('timeout = "long"\n', r"timeout = 'long': must be a number, and is text in quotes"),
        ('source_language = "Engl1sh"\n', r"must be the code of a language, such as en"),
        ("[labels]\n0 = 1\n", r"labels = .*: must be text in quotes, and is a whole number"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_file(written(tmp_path, text))


def test_no_error_speaks_of_the_library_that_found_it(tmp_path: Path) -> None:
    for text in ('limit = "x"\n', "fresh = 1\n", "[parameters]\nsit = 3\n", "output = [1]\n"):
        with pytest.raises(UsageError) as told:
            read_file(written(tmp_path, text))
        assert not {"$", "`", "null", "str", "Expected"} & set(
            str(told.value).split(": ", 2)[-1].split()
        )
        assert "$." not in str(told.value)


def test_methods_may_be_text_as_on_the_command_line(tmp_path: Path) -> None:
    for text, names in (("suite", ("suite",)), ("sit, rti", ("sit", "rti"))):
        file = written(tmp_path, f'methods = "{text}"\n')
        assert make_campaign({}, file).methods == names


def test_parameters_are_checked_against_the_method() -> None:
    assert make_method("sit", {"top": "4"}).mutate.signature.count("top=4") == 1
    with pytest.raises(UsageError, match="did you mean 'threshold'"):
        make_method("sit", {"treshold": 1})
    with pytest.raises(UsageError, match="top = 'lots'"):
        make_method("sit", {"top": "lots"})


def parameters() -> list[tuple[str, str, Any, Any]]:
    """Every parameter of every method: method, key, type, default."""
    found = []
    for name in registry.entries("methods"):
        factory = registry.load("methods", name)
        types, shape = get_type_hints(factory), inspect.signature(factory).parameters
        found += [(name, key, types[key], shape[key].default) for key in shape]
    return found


# What the type alone cannot tell: values that mean something, where the default is none or empty.
SAMPLES: dict[str, str] = {
    "metrics": "chrf,jaccard",
    "thresholds": "80,0.5",
    "weights": "1,1,1,1",
    "relations.relations": "antonym,contract",
    "capabilities": "02-short-laden,03-change-over-time",
    "vote": "1",
    "structure": "raw",
    "oracle": "published",
    "grammar": "",
    "cross": "",
    "cross_back": "cmd:cat,cmd:tac",
}
TOGETHER: dict[str, dict[str, str]] = {
    "weights": {"threshold": "0.9"},
    "thresholds": {"metrics": "chrf,jaccard"},
}


@pytest.mark.parametrize(("method", "key", "kind", "default"), parameters())
def test_every_parameter_of_every_method_can_be_given_as_text(
    method: str, key: str, kind: Any, default: Any
) -> None:
    text = SAMPLES.get(f"{method}.{key}", SAMPLES.get(key))
    if text is None:
        several = isinstance(default, tuple)
        text = ",".join(map(str, default)) if several else str(3 if default is None else default)
    if text:
        wanted = (
            {key: text, **TOGETHER.get(key, {})}
            if method in ("cat", "transrepair")
            else {key: text}
        )
        if method == "semmt" and key in ("metrics", "thresholds", "weights"):
            wanted = {"metrics": "semmt-r,jaccard", "thresholds": "0.7,0.5", "weights": "1,2"}
        given = nested(tuple(f"{method}.{name}={value}" for name, value in wanted.items()))
        assert make_method(method, given[method]).name == method
        if get_origin(kind) is tuple or any(get_origin(part) is tuple for part in get_args(kind)):
            as_list = {name: value.split(",") for name, value in wanted.items() if "," in value}
            from_toml = make_method(method, wanted | as_list)
            assert from_toml.signature == make_method(method, given[method]).signature


def test_one_text_in_a_file_is_a_list_of_one() -> None:
    made = [make_method("transrepair", {"metrics": given}) for given in ("lcs", ["lcs"], ("lcs",))]
    assert len({method.signature for method in made}) == 1
    assert "metrics=lcs," in made[0].compare.signature
    two = make_method("transrepair", {"metrics": "lcs, chrf"})
    assert "metrics=lcs+chrf," in two.compare.signature


def test_a_list_with_a_wrong_member_is_refused() -> None:
    with pytest.raises(UsageError, match="no metric is called 'lcss'; did you mean 'lcs'"):
        make_method("transrepair", {"metrics": "chrf,lcss"})
    with pytest.raises(UsageError, match=r"weights = .*'heavy'"):
        make_method("cat", {"weights": "heavy,1"})
    with pytest.raises(UsageError, match="need as many thresholds, not 1"):
        make_method("cat", {"metrics": "lcs,chrf", "thresholds": "0.5"})

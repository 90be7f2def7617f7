"""A store of version 3 or 4 is read, goes on, and says of the same rows that they are damaged."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, create_engine, select, text, update

from polyglitch.records import Input, Output, Seed, Verdict, digest, encode, new_case
from polyglitch.store import schema as s
from polyglitch.store.cases import output_key
from polyglitch.store.store import Store, server_url
from polyglitch.store.verify import chain_of, digests, seals

TABLES = {
    "about": ("key", "value"),
    "runs": ("id", "created", "state", "definition", "figures"),
    "seeds": ("run", "id", "position", "record"),
    "generated": ("run", "method", "seed"),
    "cases": ("run", "method", "id", "seed", "position", "record"),
    "verdicts": ("run", "method", "case", "seed", "outcome", "severity", "reason", "record"),
    "outputs": ("key", "status", "record"),
    "claims": ("key", "token"),
    "digests": ("run", "name", "key", "digest"),
    "seals": ("run", "rows", "chain"),
}
KEYS = {"runs": 1, "seeds": 2, "generated": 3, "cases": 3, "verdicts": 3, "outputs": 1}
NUMBERS = {"position": "integer", "severity": "float", "token": "integer", "rows": "integer"}
SEEDS = [Seed(f"s{n}", Input(f"The cat sat on mat {n}.")) for n in range(5)]
CASES = [new_case(seed, "similar", (seed.input, Input(f"A dog {seed.id}."))) for seed in SEEDS]
CONTENT: dict[str, list[tuple[Any, ...]]] = {
    "runs": [("r1", "2026-01-01T00:00:00+00:00", "done", "{}", "{}")],
    "seeds": [("r1", seed.id, n, encode(seed)) for n, seed in enumerate(SEEDS)],
    "generated": [("r1", "sit", seed.id) for seed in SEEDS],
    "cases": [
        ("r1", "sit", case.id, case.seed_id, n, encode(case)) for n, case in enumerate(CASES)
    ],
    "verdicts": [
        ("r1", "sit", c.id, c.seed_id, "holds", 0.5, "", encode(Verdict(c.id, "holds", score=0.5)))
        for c in CASES
    ],
    "outputs": [
        (output_key("m", seed.input), "ok", encode(Output(f"O {seed.id}"))) for seed in SEEDS
    ],
}


def write_version_3(connection: Connection) -> None:
    """All that a finished run left, with a digest a row and a chain over them, as version 3 wrote it."""
    for name, columns in TABLES.items():
        listed = ", ".join(f'"{c}" {NUMBERS.get(c, "varchar(500)")}' for c in columns)
        connection.execute(text(f"create table {name} ({listed})"))
    connection.execute(text("create index cases_in_order on cases (run, method, position)"))
    sealed = []
    for name, rows in CONTENT.items():
        for row in rows:
            add(connection, name, row)
            key = " ".join(row[1 if KEYS[name] > 1 else 0 : KEYS[name]])
            owner = "" if name == "outputs" else "r1"
            sealed.append((owner, name, key, digest(map(str, row), 32)))
    for owner in ("r1", ""):
        state = hashlib.blake2b(digest_size=32)
        own = sorted(row for row in sealed if row[0] == owner)
        for row in own:
            add(connection, "digests", row)
            state.update(digest(row[1:], 32).encode())
        if owner:
            add(connection, "seals", (owner, len(own), state.hexdigest()))
    add(connection, "about", ("schema", "3"))
    add(connection, "claims", ("k", 1))


def add(connection: Connection, name: str, row: tuple[Any, ...]) -> None:
    marks = ", ".join(f":v{n}" for n in range(len(row)))
    connection.execute(
        text(f"insert into {name} values ({marks})"), {f"v{n}": v for n, v in enumerate(row)}
    )


def opened(where: str, damage: str = "") -> Store:
    """A store of version 3, perhaps damaged, opened by this version."""
    engine = create_engine(server_url(where) if "://" in where else f"sqlite:///{where}")
    with engine.begin() as connection:
        write_version_3(connection)
        if damage:
            connection.execute(text(damage))
    engine.dispose()
    return Store(where)


def test_everything_is_there_and_sealed(where: str) -> None:
    store = opened(where)
    pairs = store.verdicts.get("r1", "sit")
    assert [(case.seed_id, case.inputs) for case, _ in pairs] == [
        (case.seed_id, case.inputs) for case in CASES
    ]
    assert [verdict for _, verdict in pairs] == [Verdict(c.id, "holds", score=0.5) for c in CASES]
    assert store.cases.seed("r1", "s3") == SEEDS[3]
    assert store.cases.generated("r1", "sit", SEEDS) == {seed.id for seed in SEEDS}
    key = output_key("m", SEEDS[2].input)
    assert store.outputs.get([key]) == {key: Output("O s2")}
    assert store.seals.runs() == {"r1": True}
    assert store.seals.verify("r1") == store.seals.verify("") == []
    assert store.leases.claim(store.leases.grant(), ["k"]).mine == {"k"}
    store.close()
    again = Store(where)
    assert len(again.verdicts.get("r1", "sit")) == len(CASES)
    again.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "run", "told"),
    [
        ("update cases set record = replace(record, 'dog', 'dag') where seed = 's3'", "r1", "cases: 1 changed"),
        ("update cases set record = 'no JSON' where seed = 's3'", "r1", "cases: 1 changed"),
        ("delete from verdicts where seed = 's4'", "r1", "verdicts: 1 lost"),
        ("delete from digests where name = 'seeds'", "r1", "seeds: 5 added"),
        ("update seals set chain = 'x'", "r1", "the chain"),
        ("update outputs set record = replace(record, 'O s1', 'O s9')", "", "outputs: 1 changed"),
    ],
)  # fmt: skip
def test_what_was_damaged_stays_damaged(where: str, damage: str, run: str, told: str) -> None:
    store = opened(where, damage)
    (found,) = store.seals.verify(run)
    assert told in str(found)
    store.close()


def test_a_store_of_version_4_is_read_goes_on_and_keeps_its_seal(where: str) -> None:
    store = Store(where)
    store.runs.begin("r1", {"methods": [], "systems": ["m"]})
    store.cases.add_seeds("r1", 0, SEEDS)
    store.cases.add("r1", "sit", 0, CASES, [seed.id for seed in SEEDS])  # with all their inputs
    store.outputs.add({output_key("m", seed.input): Output(f"O {seed.id}") for seed in SEEDS})
    store.verdicts.add("r1", "sit", [(case, Verdict(case.id, "holds")) for case in CASES])
    store.runs.finish("r1", {})
    with store.database.engine.begin() as connection:
        for row in connection.execute(select(digests)).all():
            table = s.metadata.tables[row.name]
            pairs = list(store.seals._rows(table, row.run))  # whole keys and digests
            content = zlib.compress(msgspec.msgpack.encode(pairs))
            its = (digests.c.run == row.run) & (digests.c.name == row.name)
            connection.execute(update(digests).where(its).values(content=content))
        rows, chain = chain_of(connection, "r1")
        connection.execute(update(seals).values(rows=rows, chain=chain))
        connection.execute(text("create index seeds_in_order on seeds (run, position)"))
        connection.execute(text("update about set value = '4' where key = 'schema'"))
    store.close()
    store = Store(where)
    try:
        assert [store.seals.verify(run) for run in ("r1", "")] == [[], []]
        found_cases = [case for case, _ in store.verdicts.get("r1", "sit")]
        assert found_cases == [msgspec.structs.replace(case, method="sit") for case in CASES]
        more = [new_case(seed, "same", (seed.input, seed.input)) for seed in SEEDS]
        known = {seed.id: seed for seed in SEEDS}
        store.cases.add("r1", "rti", 0, more, seeds=known)
        assert store.cases.of_seeds("r1", "rti", SEEDS) == [
            msgspec.structs.replace(case, method="rti") for case in more
        ]
        with store.database.engine.begin() as connection:
            assert connection.scalar(select(s.about.c.value)) == str(s.VERSION)
            connection.execute(text("update verdicts set outcome = 'violated'"))
        (found,) = store.seals.verify("r1")[1:]
        assert found.table == "verdicts" and len(found.changed) == len(CASES)
    finally:
        store.close()

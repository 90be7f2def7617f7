"""One wheel and one environment of each kind for all that a stranger tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.first_hour.stranger import Stranger, build, install, settle_in

collect_ignore = ["materials"]  # a stranger's files, among them a test of theirs


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("all") / "environment")


@pytest.fixture(scope="session")
def core_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("core") / "environment", core_alone=True)


@pytest.fixture
def stranger(environment: Path, tmp_path: Path) -> Stranger:
    return settle_in(environment, tmp_path)


@pytest.fixture
def with_core_alone(core_environment: Path, tmp_path: Path) -> Stranger:
    return settle_in(core_environment, tmp_path)

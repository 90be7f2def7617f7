"""A stranger's machine: the package installed from a wheel, its commands on the path, the repository nowhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tests.conftest import ROOT

MATERIALS = Path(__file__).with_name("materials")


@dataclass(frozen=True)
class Stranger:
    """An environment of its own and a folder to work in."""

    environment: Path
    folder: Path

    def paste(self, commands: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run lines as they would be pasted into a shell."""
        (self.folder / "home").mkdir(exist_ok=True)
        path = os.pathsep.join([str(self.environment / "bin"), os.environ["PATH"]])
        known = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        return subprocess.run(
            ["bash", "-c", commands],
            cwd=self.folder,
            env=known | {"PATH": path, "HOME": str(self.folder / "home"), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=timeout,
        )


def build(folder: Path) -> Path:
    """The wheel of this project."""
    project = folder / "project"
    project.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, project)  # a copy: a build leaves its folder behind
    leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", project / "src", ignore=leave)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(folder), str(project)], check=True, capture_output=True)
    (wheel,) = folder.glob("polyglitch-*.whl")
    return wheel


def install(wheel: Path, environment: Path, *, core_alone: bool = False) -> Path:
    """An environment with a wheel; what it depends on is lent by the environment of the tests.

    Lent is all that is there, or only what the core asks for.
    """
    venv.create(environment, with_pip=not core_alone)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    own = next((environment / "lib").glob("python*")) / "site-packages"
    lent = Path(sysconfig.get_path("purelib"))
    if not core_alone:  # read after its own folder, so that the wheel wins over an editable install
        (own / "lent.pth").write_text(f"{lent}\n")
        return environment
    for name in sorted(set(core())):
        for file in metadata.distribution(name).files or ():
            top = own / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and not top.exists():
                top.symlink_to(lent / file.parts[0])
    return environment


def core(name: str = "polyglitch", seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """What a package asks for without its extras, and what that asks for."""
    declared = metadata.requires(name) or []
    if name == "polyglitch":  # as the checkout says, which may be newer than what is installed
        import tomllib

        declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for one in declared:
        wanted = re.match(r"[\w.-]+", one)
        if not wanted or "extra ==" in one or wanted[0] in seen:
            continue
        try:
            metadata.distribution(wanted[0])
        except metadata.PackageNotFoundError:
            continue  # for another platform or Python
        yield wanted[0]
        yield from core(wanted[0], seen | {name, wanted[0]})


def settle_in(environment: Path, folder: Path) -> Stranger:
    """A folder with a translator, a classifier and some sentences, as a stranger has them."""
    for source in MATERIALS.iterdir():
        target = folder / source.name
        target.write_bytes(source.read_bytes())
        target.chmod(source.stat().st_mode)
    return Stranger(environment, folder)

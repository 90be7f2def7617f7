"""A stranger's machine: the package installed from a wheel, its commands on the path, the repository nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
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


def install(folder: Path) -> Path:
    """An environment with this project's wheel; what it depends on is lent by the environment of the tests."""
    wheels, project = folder / "wheels", folder / "project"
    project.mkdir()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
    ):  # a copy: a build leaves its folder behind
        shutil.copy(ROOT / name, project)
    leave = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", project / "src", ignore=leave)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(wheels), str(project)], check=True, capture_output=True)
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    (wheel,) = wheels.glob("polyglitch-*.whl")
    pip = [str(python), "-m", "pip", "install", "-q", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    own = next((environment / "lib").glob("python*")) / "site-packages"
    # Read after its own folder, so that the wheel wins over an editable install.
    (own / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment


def settle_in(environment: Path, folder: Path) -> Stranger:
    """A folder with a translator, a classifier and some sentences, as a stranger has them."""
    for source in MATERIALS.iterdir():
        target = folder / source.name
        target.write_bytes(source.read_bytes())
        target.chmod(source.stat().st_mode)
    return Stranger(environment, folder)

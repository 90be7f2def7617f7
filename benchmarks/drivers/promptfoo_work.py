"""promptfoo's part of `benchmarks.peers`: the cases as tests with one assertion, kept in its own database.

Its provider is a file of JavaScript, the quickest way it has: a Python one starts a process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROVIDER = """
const words = new Set(%s);
module.exports = class {
  id() { return 'words'; }
  async callApi(prompt) {
    const bad = prompt.toLowerCase().split(/\\s+/).some((word) => words.has(word));
    return { output: bad ? 'negative' : 'positive' };
  }
};
"""


def run(folder: Path, texts: list) -> dict:
    """Seconds of an evaluation of these texts, from the command to its end."""
    wanted = [{"type": "equals", "value": "positive"}]
    tests = [{"vars": {"text": text}, "assert": wanted} for text in texts]
    told = {"prompts": ["{{text}}"], "providers": ["file://provider.js"], "tests": tests}
    (folder / "tests.json").write_text(json.dumps(told), "utf-8")
    command = ["promptfoo", "eval", "-c", "tests.json", "--no-cache", "--no-progress-bar"]
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, "--no-table", "-o", "out.json"],
        cwd=folder,
        env=os.environ | {"PROMPTFOO_CONFIG_DIR": str(folder / "kept")},
        capture_output=True,
        text=True,
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if not (folder / "out.json").is_file():
        raise SystemExit(done.stderr or done.stdout)
    results = json.loads((folder / "out.json").read_text("utf-8"))["results"]["results"]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cases": len(results), "seconds": seconds, "processor": spent}


def main() -> None:
    """Read the task, print the figures as the last line; what starting costs is taken off."""
    task = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "provider.js").write_text(PROVIDER % json.dumps(task["negative"]), "utf-8")
        start = run(folder, task["texts"][:1])
        whole = run(folder, task["texts"][: task["cases"]])
    less = {key: whole[key] - start[key] for key in ("seconds", "processor")}
    print(json.dumps({"running": whole | less}))


if __name__ == "__main__":
    main()

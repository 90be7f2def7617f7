"""One campaign on the bundled translator that several tests start from."""

from __future__ import annotations

import pytest

from polyglitch.campaign import make_campaign
from polyglitch.flow import run

SEEDS = """\
The museum will reopen in the autumn of next year with a new wing for modern art.
Many of the workers who lost their jobs in the spring have found better ones since.
The dog that had been missing for nine days was found asleep in the back of a delivery van.
"""


@pytest.fixture(scope="session")
def firefox_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a run of sit and transrepair on firefox:en-pt."""
    folder = tmp_path_factory.mktemp("firefox")
    (folder / "seeds.txt").write_text(SEEDS)
    store = str(folder / "runs.sqlite")
    options = {
        "system": "firefox:en-pt",
        "corpus": str(folder / "seeds.txt"),
        "methods": ["sit", "transrepair"],
        # The pair alone: with a look inside, none of the mended outputs of these sentences would pass.
        "parameters": {
            "sit": {"proposer": "bundled", "oracle": "aligned"},
            "transrepair": {"proposer": "bundled", "oracle": "aligned"},
        },
        "store": store,
    }
    run(make_campaign(options))
    return store

"""The user's own folders: what can be made again lies in the cache, decisions lie in the settings."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_config_path


def cache_folder() -> Path:
    """Where what can be made again is kept: POLYGLITCH_CACHE, else the user's cache folder."""
    if base := os.environ.get("POLYGLITCH_CACHE"):
        return Path(base) / "polyglitch"
    return user_cache_path("polyglitch", appauthor=False)


def config_folder() -> Path:
    """Where the user's decisions are kept: POLYGLITCH_CONFIG, else the user's folder of settings."""
    if base := os.environ.get("POLYGLITCH_CONFIG"):
        return Path(base) / "polyglitch"
    return user_config_path("polyglitch", appauthor=False)

"""The one part that can be compiled: only where POLYGLITCH_NATIVE is set, and what fails to compile is left out."""

import os

from setuptools import Extension, setup

AUTOMATA = Extension(
    "polyglitch.represent.automata._native",
    ["native/automata.c"],
    py_limited_api=True,  # one file for every Python from 3.11 on
    optional=True,
)
native = bool(os.environ.get("POLYGLITCH_NATIVE"))
setup(
    ext_modules=[AUTOMATA] if native else [],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if native else {},
)

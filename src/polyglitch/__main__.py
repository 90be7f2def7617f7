"""`python -m polyglitch`."""

from polyglitch.cli.main import main

main()

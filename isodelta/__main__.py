"""The entry point of ``python -m isodelta``."""

from isodelta.cli import main

main()

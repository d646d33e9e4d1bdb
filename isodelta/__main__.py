"""``python -m isodelta``."""

from isodelta.cli import main

main()

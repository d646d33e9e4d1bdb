"""A Delta table read straight from its files: log, data files, deletion vectors."""

"""A Delta table as its files have it: log, data files, deletion vectors."""

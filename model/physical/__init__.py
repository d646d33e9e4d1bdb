"""The physical layer: files, footprints, the log, and the files that a scan reads."""

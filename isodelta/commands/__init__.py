"""The commands of the command line, one folder for each."""

"""Refused commits: the text of a conflict's exception read, and the conflict explained."""

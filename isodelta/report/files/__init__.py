"""The files of a report besides its page."""

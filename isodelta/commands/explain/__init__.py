"""``isodelta explain``: why a job failed, from the text of its exception."""

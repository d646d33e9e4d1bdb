"""``isodelta claims``: the ledger of the documents' claims, each with status and evidence."""

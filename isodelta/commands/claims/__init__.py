"""The claims ledger: every claim of the documents, checked, with status and evidence.

``model.documents.claims`` has the claims as data; here is what decides each of them. A status is
what came of running a check, and nothing else.
"""

"""The store of a campaign: its Delta tables, their schemas, and writes that can be repeated."""

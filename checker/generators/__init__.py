"""Random scenarios, and random histories without SQL."""

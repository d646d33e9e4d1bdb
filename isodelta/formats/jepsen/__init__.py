"""Jepsen's and Elle's histories: operations in EDN and in JSON."""

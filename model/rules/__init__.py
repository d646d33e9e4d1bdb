"""Conflict rules of the physical layer, one module each."""

from model.rules.base import Attempt, Conflict, Rule

__all__ = ["Attempt", "Conflict", "Rule"]

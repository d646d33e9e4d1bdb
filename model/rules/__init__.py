"""Conflict rules of the physical layer: one file for each author of rules, and the rule type."""

from model.rules.base import Attempt, Conflict, Rule

__all__ = ["Attempt", "Conflict", "Rule"]

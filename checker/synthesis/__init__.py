"""Histories that the rules admit and a level forbids, found by the solver instead of by search."""

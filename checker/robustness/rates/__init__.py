"""How often jobs abort: an estimate by simulation, from their rates and durations."""

from checker.robustness.rates.estimate import Estimate, Variant, estimate
from checker.robustness.rates.given import JobRate, Rates

__all__ = ["Estimate", "JobRate", "Rates", "Variant", "estimate"]

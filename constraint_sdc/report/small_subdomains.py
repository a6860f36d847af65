"""Which subdomains are told no further: statistics of a handful of records are the records themselves."""

from __future__ import annotations

from constraint_sdc.model.assessment import Assessment, SubdomainMeasured
from constraint_sdc.report.charts_bins import least_records


def is_hidden(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> bool:
    """Tell whether a subdomain holds too few records, unless the user asked for what tells about single ones."""
    return part.records < least_records(assessment.pair.k) and not show_values


def few(assessment: Assessment) -> str:
    """Return what stands in place of the number of records."""
    return f"fewer than {least_records(assessment.pair.k)}"

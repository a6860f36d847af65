"""What verifying a certificate found, for a terminal."""

from __future__ import annotations

from constraint_sdc.maskers.masked import CertificateCheck
from constraint_sdc.reports.terminal import clean


def certificate_text(found: CertificateCheck) -> str:
    """Return the verdict and a line per statement, those that do not agree first.

    >>> print(certificate_text(CertificateCheck(("the file is the one that was certified",), ())), end="")
    certificate agrees
      confirmed  the file is the one that was certified
    """
    lines = [f"certificate {'does not agree' if found.mismatches else 'agrees'}"]
    lines += [f"  MISMATCH   {clean(line)}" for line in found.mismatches]
    lines += [f"  confirmed  {clean(line)}" for line in found.confirmed]
    return "\n".join(lines) + "\n"

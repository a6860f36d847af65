"""Mask microdata without breaking its edit rules, and check it against them.

The commands' verbs are here too: `plan_file`, `mask_file`, `check_file`, `assess_files`, `sweep_file`,
`partition_file`, `list_rules`, `describe_file`, `convert_file`, `export_domain`. They are imported on first use:
importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from constraint_sdc.errors import ConstraintSdcError as ConstraintSdcError
    from constraint_sdc.model.assessment import AssessOptions as AssessOptions
    from constraint_sdc.model.masking import MaskOptions as MaskOptions
    from constraint_sdc.model.partitioned import PartitionOptions as PartitionOptions
    from constraint_sdc.model.sweep import SweepOptions as SweepOptions
    from constraint_sdc.pipeline.assess import assess_files as assess_files
    from constraint_sdc.pipeline.check import CheckOptions as CheckOptions
    from constraint_sdc.pipeline.check import check_file as check_file
    from constraint_sdc.pipeline.conversion import ConvertOptions as ConvertOptions
    from constraint_sdc.pipeline.conversion import convert_file as convert_file
    from constraint_sdc.pipeline.description import describe_file as describe_file
    from constraint_sdc.pipeline.domain import export_domain as export_domain
    from constraint_sdc.pipeline.mask import mask_file as mask_file
    from constraint_sdc.pipeline.partition import partition_file as partition_file
    from constraint_sdc.pipeline.plan import plan_file as plan_file
    from constraint_sdc.pipeline.rule_list import list_rules as list_rules
    from constraint_sdc.pipeline.sweep import sweep_file as sweep_file
    from constraint_sdc.read.recipe import read_recipe as read_recipe
    from constraint_sdc.report.plan_text import plan_text as plan_text
    from constraint_sdc.report.render import render as render

__version__ = "0.1.0"

_HOMES = {
    "ConstraintSdcError": "constraint_sdc.errors",
    "MaskOptions": "constraint_sdc.model.masking",
    "mask_file": "constraint_sdc.pipeline.mask",
    "plan_file": "constraint_sdc.pipeline.plan",
    "PartitionOptions": "constraint_sdc.model.partitioned",
    "partition_file": "constraint_sdc.pipeline.partition",
    "plan_text": "constraint_sdc.report.plan_text",
    "read_recipe": "constraint_sdc.read.recipe",
    "AssessOptions": "constraint_sdc.model.assessment",
    "assess_files": "constraint_sdc.pipeline.assess",
    "SweepOptions": "constraint_sdc.model.sweep",
    "sweep_file": "constraint_sdc.pipeline.sweep",
    "CheckOptions": "constraint_sdc.pipeline.check",
    "check_file": "constraint_sdc.pipeline.check",
    "ConvertOptions": "constraint_sdc.pipeline.conversion",
    "convert_file": "constraint_sdc.pipeline.conversion",
    "describe_file": "constraint_sdc.pipeline.description",
    "export_domain": "constraint_sdc.pipeline.domain",
    "list_rules": "constraint_sdc.pipeline.rule_list",
    "render": "constraint_sdc.report.render",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'constraint_sdc' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])

"""What the observations of an SDMX message are, by a walk of its tree."""

from __future__ import annotations

from pathlib import Path

from lxml import etree


def walked(path: Path) -> list[dict[str, str]]:
    """Return the observations by a walk of the tree: attributes, or names and values of `Value` elements."""
    found = []
    for obs in etree.parse(path).iter("{*}Obs"):
        if "DataSet" not in (etree.QName(one).localname for one in obs.iterancestors()):
            continue
        row: dict[str, str] = {}
        series = obs.getparent()
        owners = [obs] if etree.QName(series).localname == "DataSet" else [series, obs]
        for owner in owners:
            row.update({str(name): str(value) for name, value in owner.attrib.items() if "}" not in str(name)})
            for node in owner.iter("{*}Value", "{*}ObsValue", "{*}ObsDimension", "{*}Time"):
                if owner is obs or next(node.iterancestors("{*}Obs"), None) is None:
                    row[_name(node)] = str(node.get("value", node.text))
        found.append(row)
    return found


def _name(node: etree._Element) -> str:
    default = {"ObsValue": "OBS_VALUE"}.get(etree.QName(node).localname, "TIME_PERIOD")
    return str(node.get("id") or node.get("concept") or default)

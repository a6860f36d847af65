"""Write turnover.xml: two quarters of 80 made-up firms as SDMX structure-specific data by series.

python examples/sdmx/generate.py [FOLDER]          build/examples/sdmx if no folder is named
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

_VERSION = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1"
_OPENING = f"""<?xml version="1.0" encoding="UTF-8"?>
<message:StructureSpecificData xmlns:message="{_VERSION}/message" xmlns:common="{_VERSION}/common"
    xmlns:data="{_VERSION}/data/structurespecific">
  <message:Header>
    <message:ID>TURNOVER_2025</message:ID>
    <message:Test>false</message:Test>
    <message:Prepared>2025-08-01T09:00:00</message:Prepared>
    <message:Sender id="OFFICE"><common:Name>Statistical office</common:Name></message:Sender>
    <message:Structure structureID="TURNOVER" namespace="urn:office:turnover" dimensionAtObservation="TIME_PERIOD">
      <common:Structure><Ref agencyID="OFFICE" id="TURNOVER" version="1.0"/></common:Structure>
    </message:Structure>
  </message:Header>
  <message:DataSet data:structureRef="TURNOVER" data:dataScope="DataStructure" data:action="Replace">
"""
_CLOSING = "  </message:DataSet>\n</message:StructureSpecificData>\n"


def series(number: int, draw: random.Random) -> str:
    """Return one firm: its key, and an observation for each quarter."""
    area, activity = draw.choice(("CH01", "CH02", "CH03")), draw.choice(("C", "G", "I"))
    size = draw.lognormvariate(4.5, 0.9)
    lines = [f'    <Series FREQ="Q" REF_AREA="{area}" ACTIVITY="{activity}" FIRM="F{number:03}" UNIT="CHF">']
    for quarter in ("2025-Q1", "2025-Q2"):
        wages = round(size * draw.uniform(0.2, 0.4))
        materials = round(size * draw.uniform(0.3, 0.5))
        turnover = wages + materials + round(size * draw.uniform(0.05, 0.4))
        said = f'OBS_VALUE="{turnover}" WAGES="{wages}" MATERIALS="{materials}" MARGIN="{turnover - wages - materials}"'
        status = "E" if draw.random() < 0.1 else "A"
        lines.append(f'      <Obs TIME_PERIOD="{quarter}" {said} OBS_STATUS="{status}"/>')
    return "\n".join((*lines, "    </Series>\n"))


def main(folder: Path) -> None:
    """Write turnover.xml into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(18)
    path = folder / "turnover.xml"
    path.write_text(_OPENING + "".join(series(number, draw) for number in range(1, 81)) + _CLOSING, "utf-8")
    print(f"{path.as_posix()}: 80 firms, 160 observations")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/sdmx"))

"""A headless browser for tests, spoken to over a pipe in the DevTools protocol: no driver, no network, no port."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip
_PATIENCE = PATIENCE


def find_browser() -> str:
    """Return the browser's command; without one the test is skipped, or fails where a browser is required."""
    wished = os.environ.get("CONSTRAINT_SDC_BROWSER")
    found = shutil.which(wished) if wished else next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        return found
    said = f"no browser: {', '.join(NAMES)} are not installed, and CONSTRAINT_SDC_BROWSER names no other"
    if wished:
        said = f"no browser: CONSTRAINT_SDC_BROWSER names {wished!r}, which is no command"
    if os.environ.get("CONSTRAINT_SDC_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{said} (CONSTRAINT_SDC_REQUIRE_BROWSER=1)")
    pytest.skip(f"{said}; the page is not tested in a browser")


class Browser:
    """One page of one browser. `complaints` are console messages, exceptions and blocked content; `requests` URLs."""

    def __init__(self, command: str) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._events: list[dict[str, Any]] = []
        self._numbers = itertools.count(1)
        self._rest = b""
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._start(command)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = None
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setScrollbarsHidden", hidden=True)

    def _start(self, command: str) -> None:
        """Start the browser with its ends of two pipes as descriptors 3 and 4."""
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        words = [command, *_FLAGS, f"--user-data-dir={self._profile.name}"]
        # A pipe may already have number 3 or 4: dup through numbers well out of the way.
        moved = f"exec 13<&{theirs_in} 14>&{theirs_out} 3<&13 4>&14 13<&- 14>&-; exec {shlex.join(words)}"
        self._process = subprocess.Popen(
            ["bash", "-c", moved], pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._session = None

    def close(self) -> None:
        """End the browser that was started, and nothing else."""
        try:
            self._session = None
            self._call("Browser.close")
            self._process.wait(_PATIENCE)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def open(self, page: Path, *, width: int = 1280, dark: bool = False, paper: bool = False) -> None:
        """Open a file as on a screen of `width` pixels, in the dark or on paper; what it complains of is kept."""
        screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", media="print" if paper else "screen", features=[scheme])
        self._call("Page.navigate", url="about:blank")
        self._await("Page.loadEventFired")
        self.complaints.clear()
        self.requests.clear()
        self._call("Page.navigate", url=page.as_uri())
        self._await("Page.loadEventFired")
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the page; the page's policy does not bind the tester."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, file: Path) -> None:
        """Save the whole page as a picture."""
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(taken["data"]))

    def pdf(self) -> bytes:
        """Return the page as it prints, on the paper that it asks for."""
        printed = self._call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        return base64.b64decode(printed["data"])

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def _await(self, event: str) -> None:
        while not any(seen["method"] == event for seen in self._events):
            self._read()
        self._events.clear()

    def _read(self) -> dict[str, Any]:
        """Return the next message; one that nobody asked for is noted."""
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            read = os.read(self._in, 1 << 20) if ready else b""
            if not read:
                raise TimeoutError(f"the browser says nothing (exit code {self._process.poll()})")
            self._rest += read
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self._note(message)
        return message

    def _note(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        match event["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])
            case "Log.entryAdded":
                self.complaints.append(event["params"]["entry"]["text"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(event["params"]))

# SPDX-License-Identifier: GPL-2.0-only
"""A browser without a window that a test steers: keys, sizes, colours, scripts. Chromium's protocol over two pipes."""

import base64
import itertools
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SWITCHES = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --remote-debugging-pipe"
)
_ATTEMPTS = 100


class Tab:
    """One page of the browser."""

    def __init__(self, commands: int, answers: int) -> None:
        self._out = os.fdopen(commands, "wb")
        self._in = os.fdopen(answers, "rb")
        self._numbers = itertools.count(1)
        self._session = ""
        self._rest = b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method: str, **params: Any) -> Any:
        """Result of one command. Raises AssertionError if the browser refuses it."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def close(self) -> None:
        """Closes both pipes; the browser ends."""
        self._out.close()
        self._in.close()

    def _read(self) -> Any:
        while b"\0" not in self._rest:
            part = os.read(self._in.fileno(), 1 << 16)
            assert part, "the browser ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def open(self, address: str) -> None:
        """Opens an address and waits until it is loaded."""
        self.call("Page.navigate", url=address)
        self.wait(f"document.readyState === 'complete' && location.href !== 'about:blank' && {json.dumps(address)}")

    def run(self, script: str) -> Any:
        """Value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, script: str) -> Any:
        """The value of the expression as soon as it is true."""
        for _ in range(_ATTEMPTS):
            if value := self.run(script):
                return value
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def press(self, key: str, times: int = 1) -> None:
        """Presses a key: "Tab", "Enter", " "."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        texts = {"Enter": "\r", " ": " "}
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                text = {"text": texts[key]} if kind == "keyDown" and key in texts else {}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key], **text)

    def type(self, text: str) -> None:
        """Types into the element that has the focus."""
        self.call("Input.insertText", text=text)

    def size(self, width: int, height: int = 900) -> None:
        """Sets the size of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def dark(self, on: bool) -> None:
        """Sets the colours that the user prefers."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if on else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def scripts(self, on: bool) -> None:
        """Allows or forbids the scripts of pages."""
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Writes a PNG of what the window shows. whole: of the whole page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def tab(directory: Path) -> Iterator[Tab]:
    """A browser for this block. directory: for its own files."""
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()

    argv = [
        *("bash", "-c", f'exec "$0" "$@" 3<&{commands} 4>&{answers}', "chromium"),
        *(*_SWITCHES.split(), f"--user-data-dir={directory / 'profile'}", "about:blank"),
    ]
    browser = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(commands, answers))
    os.close(commands)
    os.close(answers)
    page = None
    try:
        page = Tab(to_browser, from_browser)
        yield page
    finally:
        if page is not None:
            page.close()
        browser.terminate()
        browser.wait(30)

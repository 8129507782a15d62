# SPDX-License-Identifier: MIT
"""Chromium without a window, driven over the two pipes of --remote-debugging-pipe: no port, and no
time limit but ours. The protocol: https://chromedevtools.github.io/devtools-protocol/"""

import collections
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Chromium reads commands from descriptor 3 and writes to 4.
CONNECTED = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'

# What a page reported, what the browser complained about, and the addresses that were asked for.
Visit = collections.namedtuple("Visit", "reported console requests")


class BrowserError(Exception):
    """The browser ended, refused a command or was not done in time; says what it wrote."""


class Browser:
    """A browser, as a context. All that is asked of it has to be done within `patience` seconds."""

    def __init__(self, patience):
        self.deadline = time.monotonic() + patience
        self.received, self.events, self.commands = b"", [], 0

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = pathlib.Path(self.home.name, "log.txt")
        commands, self.output = os.pipe()
        self.input, answers = os.pipe()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", CONNECTED, "browser", str(commands), str(answers), PROGRAM,
                 "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--disable-background-networking", "--no-first-run", "--enable-logging=stderr",
                 "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.home.name}",
                 "--remote-debugging-pipe", "about:blank"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(commands, answers),
                start_new_session=True, env={**os.environ, "HOME": self.home.name})
        os.close(commands)
        os.close(answers)
        return self

    def __exit__(self, *_):
        os.close(self.output)  # which ends it
        os.close(self.input)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.home.cleanup()

    def fail(self, why):
        said = self.log.read_text(encoding="utf-8", errors="replace")
        raise BrowserError(f"{why}; the browser wrote: {said[-2000:]}")

    def message(self):
        """The next message: an answer or an event."""
        while b"\0" not in self.received:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                self.fail("the browser did not answer in time")
            more = os.read(self.input, 1 << 20)
            if not more:
                self.fail("the browser has ended")
            self.received += more
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def command(self, method, session=None, **parameters):
        """Its result. What happens meanwhile is added to the events."""
        self.commands += 1
        command = {"id": self.commands, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        unsent = json.dumps(command).encode() + b"\0"
        while unsent:
            unsent = unsent[os.write(self.output, unsent):]
        while True:
            message = self.message()
            if message.get("id") == self.commands:
                if "error" in message:
                    self.fail(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def visit(self, address, width, report):
        """Opens a page as if nothing had been opened before it, and stays until it has called the
        function named `report`, whose one argument is a text."""
        context = self.command("Target.createBrowserContext")["browserContextId"]
        target = self.command("Target.createTarget", url="about:blank",
                              browserContextId=context)["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events = []
        for domain in ("Inspector", "Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable", session)
        self.command("Emulation.setDeviceMetricsOverride", session, width=width, height=800,
                     deviceScaleFactor=1, mobile=False)
        self.command("Runtime.addBinding", session, name=report)
        went = self.command("Page.navigate", session, url=address)
        if "errorText" in went:
            self.fail(f"{address}: {went['errorText']}")
        while not (reported := self.happened(session, "Runtime.bindingCalled")):
            self.events.append(self.message())
            if self.happened(session, "Inspector.targetCrashed"):
                self.fail(f"{address}: the page has crashed")
        self.command("Log.disable", session)  # whose answer comes after all that came before it
        visit = Visit(reported[0]["payload"], self.complaints(session),
                      [event["request"]["url"] for event in
                       self.happened(session, "Network.requestWillBeSent")])
        self.command("Target.disposeBrowserContext", browserContextId=context)
        return visit

    def happened(self, session, method):
        return [event["params"] for event in self.events
                if event.get("sessionId") == session and event.get("method") == method]

    def complaints(self, session):
        """Whatever would be in the console."""
        said = [event["entry"]["text"] for event in self.happened(session, "Log.entryAdded")]
        said += [" ".join(str(value.get("value", value.get("description")))
                          for value in event["args"])
                 for event in self.happened(session, "Runtime.consoleAPICalled")]
        said += [event["exceptionDetails"].get("exception", {}).get("description") or
                 event["exceptionDetails"]["text"]
                 for event in self.happened(session, "Runtime.exceptionThrown")]
        return said

# SPDX-License-Identifier: MIT
"""The page of livetcp report in a browser: that everything is drawn, reacts, and asks no network.
Needs chromium; skipped without. usage: page_test.py LIVETCP"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import browser

LIVETCP = os.path.abspath(sys.argv.pop(1))
HERE = pathlib.Path(__file__).parent
FIXTURES = HERE / "fixtures"
BROWSER = None
PATIENCE_S = 600  # for what hangs; a page has been seen to take three minutes
SKIPPED = 77


def make_page(folder, files, *arguments):
    """A page of these files with inspect.js in it, first of all."""
    page = pathlib.Path(folder, "page.html")
    subprocess.run([LIVETCP, "report", *map(str, files), "-o", str(page), *arguments], check=True,
                   stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
    text = page.read_text(encoding="utf-8")
    script = (HERE / "inspect.js").read_text(encoding="utf-8")
    page.write_text(text.replace("<style>", f"<script>{script}</script><style>", 1), encoding="utf-8")
    return page


def look(page, width=1280):
    """What inspect.js found, and what the browser complained about."""
    visit = BROWSER.visit(page.as_uri(), width, "inspected")
    found = json.loads(visit.reported)
    found["requests"] += [address for address in visit.requests
                          if address != page.as_uri() and not address.startswith("data:")]
    # Advice about reading pixels back is for inspect.js, which does so; the page does not.
    return found, [line for line in visit.console if "willReadFrequently" not in line]


class Everything(unittest.TestCase):
    """All fixtures in one page."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.found, cls.console = look(make_page(folder, sorted(FIXTURES.iterdir())))
        cls.figures = {figure["id"]: figure for figure in cls.found["figures"]}

    def test_nothing_went_wrong(self):
        self.assertEqual(self.found["errors"], [])
        self.assertEqual(self.found["problems"], "")
        self.assertEqual(self.console, [])

    def test_nothing_was_requested(self):
        self.assertEqual(self.found["requests"], [])

    def test_every_part_is_there(self):
        self.assertEqual(self.found["sections"],
                         ["delay", "loss", "region", "model", "startup", "probe", "papers", "doctor"])

    def test_every_chart_is_drawn(self):
        expected = {
            "ccdf-voice-rtt20-loss1": 5, "ccdf-voice-rtt100-loss1": 5, "ccdf-voice-rtt100-loss3": 5,
            "loss-100-174": 5, "model-0": 1, "probe-0-service": 1, "probe-0-rate": 1,
            "probe-0-components": 1, "paper-0": 5, "paper-1": 3, "startup-0": 3,
            **{f"paper-{2 + panel}": 2 for panel in range(6)},
        }
        for name, series in expected.items():
            self.assertEqual(self.figures[name]["drawn"], series, name)
        for name, figure in self.figures.items():
            if figure["ink"] is None:
                self.assertTrue(name.startswith(("region-", "paper-1", "startup-")), name)
            else:
                self.assertGreater(figure["ink"]["pixels"], 2000, name)
                self.assertGreater(figure["ink"]["colours"], len(figure["legend"]), name)

    def test_legends_name_what_is_shown(self):
        self.assertEqual(self.figures["ccdf-voice-rtt100-loss3"]["legend"][:4],
                         ["single", "shortest-queue x5", "hedge x5", "duplicate x8"])
        self.assertTrue(self.figures["ccdf-voice-rtt100-loss3"]["legend"][4].startswith("model"))
        self.assertEqual(self.figures["paper-0"]["legend"][0], "RTT 100 ms (paper)")
        self.assertEqual(self.figures["paper-7"]["legend"], ["kernel (measured)", "model (model)"])

    def test_sentences_say_the_numbers_of_the_files(self):
        run = json.loads((FIXTURES / "voice-rtt100-loss3.json").read_text())
        p99 = [result["all"]["p99_ms"] for result in run["results"]]
        sentence = self.figures["ccdf-voice-rtt100-loss3"]["sentence"]
        shown = [float(number) for number in re.findall(r"([\d.]+) ms", sentence)]
        self.assertTrue(sentence.startswith("99 of 100 packets arrive within "), sentence)
        self.assertAlmostEqual(shown[0], min(p99), delta=0.01 * min(p99))
        self.assertAlmostEqual(shown[1], max(p99), delta=0.01 * max(p99))
        self.assertIn(sentence.rstrip("."), self.found["headline"])

    def test_the_region_has_the_model_beside_the_measurement(self):
        titles = {name: figure["title"] for name, figure in self.figures.items()
                  if name.startswith("region-174")}
        self.assertEqual(list(titles.values()), [
            "Model, one connection", "Model, connections × split as advised", "Measured: single",
            "Measured: shortest-queue x5", "Measured: hedge x5", "Measured: duplicate x8"])
        row = json.loads((FIXTURES / "model-region.json").read_text())["rows"][-1]
        cells = self.figures["region-174-0"]["cells"], self.figures["region-174-1"]["cells"]
        for cell in row["grid"]:
            delay, advice = cell["delay_ms"], cell["advice"]
            text = "∞" if delay is None else f"{round(delay)}"
            self.assertIn(text, cells[0])
            self.assertIn(f"{round(advice['delay_ms'])}{advice['connections']}×{advice['split']}", cells[1])
        run = json.loads((FIXTURES / "voice-rtt20-loss1.json").read_text())
        self.assertIn(str(round(run["results"][0]["all"]["p95_ms"])),
                      self.figures["region-174-2"]["cells"])

    def test_values_follow_the_pointer(self):
        self.assertRegex(self.found["where"], r"^at [\d.]+ ms$")
        self.assertTrue(any(re.fullmatch(r"[\d.]+\s%", text) for text in self.found["hovered"]),
                        self.found["hovered"])

    def test_a_name_hides_its_line(self):
        hiding = self.found["hiding"]
        self.assertEqual(hiding["pressed"], "false")
        self.assertLess(hiding["after"]["pixels"], hiding["before"]["pixels"] - 100)

    def test_the_other_theme_is_drawn_as_well(self):
        self.assertEqual({self.found["theme"], self.found["otherTheme"]}, {"light", "dark"})
        self.assertGreater(min(self.found["redrawn"]), 2000)

    def test_another_percentile_can_be_chosen(self):
        self.assertIn("p99 is", self.found["chosen"])

    def test_the_doctor_and_the_circumstances(self):
        text = self.found["text"]
        for words in ("sysctl -w net.ipv4.tcp_slow_start_after_idle=0", "livetcp bench --policy",
                      "Linux 6.18.44", "nothing on this page is fetched from a network"):
            self.assertIn(words, text)

    def test_text_of_a_file_is_text(self):
        self.assertEqual(self.found["bold"], 0)
        self.assertIn("<b>not bold</b>", self.found["text"])


class Parts(unittest.TestCase):
    def look(self, files, **keywords):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, content in files.items():
                paths.append(pathlib.Path(folder, name))
                paths[-1].write_text(content if isinstance(content, str) else json.dumps(content))
            return look(make_page(folder, paths), **keywords)

    def test_what_is_given_is_shown_and_a_broken_part_takes_no_other_with_it(self):
        run = json.loads((FIXTURES / "voice-rtt20-loss1.json").read_text())
        nasty = "</script><script>throw 1</script>"
        run["results"][0]["scheme"] = nasty
        found, console = self.look({
            "run.json": run,
            "probe.json": {"schema": "livetcp/probe/1", "rates": 7},
            "doctor.json": {"schema": "livetcp/doctor/1"},
            "papers.json": {"schema": "livetcp/papers/1", "figures": [{}, {"series": [{}]}]},
        })
        self.assertEqual(found["errors"], [])
        self.assertEqual(console, [])
        figures = {figure["id"]: figure for figure in found["figures"]}
        self.assertEqual(figures["ccdf-run"]["legend"][0], nasty)
        self.assertEqual(figures["ccdf-run"]["drawn"], 4)
        self.assertIn("probe", found["problems"])
        self.assertIn("doctor", found["sections"])

    def test_one_measured_point_is_a_number_beside_the_map_of_the_model(self):
        names = ("voice-rtt100-loss1.json", "model-region.json")
        found, _ = self.look({name: (FIXTURES / name).read_text() for name in names})
        self.assertEqual(found["problems"], "")
        figures = {figure["id"]: figure for figure in found["figures"]}
        measured = [name for name in figures if name.endswith("-measured")]
        self.assertEqual(len(measured), 1)
        self.assertEqual(figures[measured[0]]["cells"], [])
        run = json.loads((FIXTURES / names[0]).read_text())
        self.assertEqual(figures[measured[0]]["drawn"], len(run["results"]))

    def test_cards_side_by_side_have_one_height(self):
        found, _ = self.look({path.name: path.read_text() for path in FIXTURES.iterdir()})
        for row in found["rows"]:
            self.assertLessEqual(max(row) - min(row), 1, found["rows"])
        self.assertTrue(any(len(row) > 1 for row in found["rows"]))

    def test_a_narrow_window_is_not_scrolled_sideways(self):
        found, _ = self.look({path.name: path.read_text() for path in FIXTURES.iterdir()}, width=390)
        self.assertFalse(found["overflow"])
        self.assertEqual([f["id"] for f in found["figures"] if f["wide"]], [])
        self.assertEqual(found["errors"], [])


PLANTED = """<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; img-src http:">
<img src="http://planted.invalid/picture"><script src="http://planted.invalid/script"></script>
<script>
  console.warn("planted", "warning");
  setTimeout(() => { throw new Error("planted exception"); });
  const stored = localStorage.length;
  addEventListener("load", () => inspected(`${innerWidth} ${stored}`));
  localStorage.setItem("planted", "storage");
</script>"""


class Planted(unittest.TestCase):
    """What the browser is asked to find is found."""

    def test_what_is_wrong_with_a_page_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "planted.html")
            page.write_text(PLANTED, encoding="utf-8")
            visits = [BROWSER.visit(page.as_uri(), width, "inspected") for width in (400, 900)]
        self.assertEqual([visit.reported for visit in visits], ["400 0", "900 0"])
        for visit in visits:
            self.assertEqual(visit.requests[:2], [page.as_uri(), "http://planted.invalid/picture"])
            for words in ("planted warning", "Error: planted exception", "http://planted.invalid/script",
                          "ERR_NAME_NOT_RESOLVED"):
                self.assertIn(words, "\n".join(visit.console))


if __name__ == "__main__":
    if not browser.PROGRAM:
        print("skipped: there is no chromium to look at the page with; script/bootstrap installs it")
        sys.exit(SKIPPED)
    with browser.Browser(PATIENCE_S) as BROWSER:
        unittest.main()

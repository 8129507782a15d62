#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts a small engine, and expects a table that is out of date to be found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import components

SCRIPT = pathlib.Path(components.__file__)
TREE = {
    "docs/architecture.md": "# A\n<!-- components: begin -->\n<!-- components: end -->\nend\n",
    "include/livetcp/engine.h": """
typedef struct livetcp_engine livetcp_engine;
#ifdef __cplusplus
extern "C" {
#endif
typedef struct livetcp_setup {
    void (*on_packet)(void *user);
} livetcp_setup;
/* livetcp_engine_old(); is no more. */
LIVETCP_API int livetcp_engine_create(const livetcp_setup *setup,
                                      livetcp_engine **engine);
LIVETCP_API void livetcp_engine_destroy(livetcp_engine **engine);
#ifdef __cplusplus
}
#endif
""",
    "src/engine/session.c": "struct livetcp_engine {\n    int a, b;\n};\nint x;\n",
    "src/engine/rate/rate.h": """
typedef struct lt_rate {
    int a;                          /* one; not; three */
    unsigned b, c;
    struct { int d, e; } nested[4];
    void (*on_change)(int f, int g);
} lt_rate;
void lt_rate_init(lt_rate *rate);
static inline int lt_rate_get(const lt_rate *rate)
{
    if (rate->a) { return lt_rate_other(rate); }
    return 0;
}
""",
    "src/engine/rate/rate.c": "int y;\n",
    "src/engine/repair/unacked.c": "int z;\n",
    "tests/unit/engine/rate/rate_test.cc": 'TEST_CASE("a") {}\nTEST_CASE("b") {}\n',
    "tests/unit/engine/fixture.h": '#include "engine/repair/unacked.h"\n',
    "tests/unit/engine/unacked_test.cc": '#include "fixture.h"\nTEST_CASE("c") {}\n',
}


class Components(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name)
        for name, text in TREE.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def tearDown(self):
        self.temporary.cleanup()

    def run_script(self, *options):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--root", self.root, *options],
                              capture_output=True).returncode

    def test_counts(self):
        self.assertEqual(list(components.rows(self.root)), [
            ("`session`", 2, 2, 1, None),
            ("`rate`", 5, 2, 2, 2),
            ("`repair`", None, None, 1, 1)])

    def test_table_out_of_date(self):
        self.assertEqual(self.run_script("--check"), 1)
        self.assertEqual(self.run_script(), 0)
        self.assertEqual(self.run_script("--check"), 0)
        (self.root / "src/engine/rate/more.c").write_text("")
        self.assertEqual(self.run_script("--check"), 1)

    def test_rest_of_the_document_stays(self):
        self.run_script()
        text = (self.root / "docs/architecture.md").read_text()
        self.assertTrue(text.startswith("# A\n") and text.endswith("-->\nend\n"), text)

    def test_document_without_a_place_for_it(self):
        (self.root / "docs/architecture.md").write_text("# A\n")
        self.assertEqual(self.run_script(), 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles small trees with planted circles and expects circles.py to name them."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import circles

# session.c calls two components, of which the sender uses the links; both use base.
CLEAN = {
    "src/base/ring.c": "int lt_ring(void) { return 1; }\n",
    "src/engine/session.c": "int lt_links(void), lt_sender(void);\n"
                            "int lt_session(void) { return lt_links() + lt_sender(); }\n",
    "src/engine/links/slots.c": "int lt_ring(void);\nint lt_slots(void) { return lt_ring(); }\n",
    "src/engine/links/links.c": "int lt_slots(void);\nint lt_links(void) { return lt_slots(); }\n",
    "src/engine/sender/sender.c": "int lt_links(void), lt_ring(void);\n"
                                  "int lt_sender(void) { return lt_links() + lt_ring(); }\n",
    "plugins/gst/sink.c": "int lt_session(void);\nint sink(void) { return lt_session(); }\n",
}
FOLDERS = [".", "src", "src/engine", "src/engine/links", "plugins/gst"]


class Circles(unittest.TestCase):
    def check(self, folders=FOLDERS, **changes):
        """Compiles CLEAN with some files changed ("/" and "." written as "_")."""
        tree = dict(CLEAN)
        for name in list(tree):
            tree[name] = changes.pop(name.replace("/", "_").replace(".", "_"), tree[name])
        tree.update({name: text for name, text in changes.pop("more", {}).items()})
        self.assertEqual(changes, {})
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            commands = []
            for name, text in tree.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                commands.append({"directory": str(root), "file": name,
                                 "command": f"cc -c {name} -o {name}.o"})
                subprocess.run([os.environ.get("CC", "cc"), "-w", "-c", name, "-o", f"{name}.o"],
                               cwd=root, check=True)
            (root / "compile_commands.json").write_text(json.dumps(commands))
            return circles.check(root, root, folders)

    def expect(self, *parts, **changes):
        problems, _ = self.check(**changes)
        self.assertEqual(len(problems), 1, problems)
        for part in parts:
            self.assertIn(part, problems[0])

    def test_clean_tree_passes(self):
        self.assertEqual(self.check(), ([], []))

    def test_two_files(self):
        self.expect("src/engine/links: in a circle: links.c calls slots.c (lt_slots); "
                    "slots.c calls links.c (lt_links)",
                    src_engine_links_slots_c="int lt_links(void);\n"
                                             "int lt_slots(void) { return lt_links(); }\n")

    def test_three_files_in_one_line(self):
        self.expect("a.c calls b.c (lt_b); b.c calls c.c (lt_c); c.c calls a.c (lt_a)", more={
            f"plugins/gst/{a}.c": f"int lt_{b}(void);\nint lt_{a}(void) {{ return lt_{b}(); }}\n"
            for a, b in ("ab", "bc", "ca")})

    def test_circle_through_data(self):
        self.expect("slots.c calls links.c (lt_table)",
                    src_engine_links_slots_c="extern int lt_table;\n"
                                             "int lt_slots(void) { return lt_table; }\n",
                    src_engine_links_links_c="int lt_slots(void);\nint lt_table;\n"
                                             "int lt_links(void) { return lt_slots(); }\n")

    def test_components(self):
        self.expect("src/engine: in a circle: links calls sender (lt_sender); "
                    "sender calls links (lt_links)",
                    src_engine_links_slots_c="int lt_sender(void);\n"
                                             "int lt_slots(void) { return lt_sender(); }\n")

    def test_component_that_calls_the_session(self):
        self.expect("src/engine: in a circle: links calls session.c (lt_session)",
                    "session.c calls links (lt_links)", "; so do sender",
                    src_engine_links_slots_c="int lt_session(void);\n"
                                             "int lt_slots(void) { return lt_session(); }\n")

    def test_rooms(self):
        self.expect("src: in a circle: base calls engine (lt_links); engine calls base (lt_ring)",
                    src_base_ring_c="int lt_links(void);\nint lt_ring(void) { return lt_links(); }")

    def test_two_circles_are_two_lines(self):
        problems, _ = self.check(more={
            f"plugins/gst/{a}.c": f"int lt_{b}(void);\nint lt_{a}(void) {{ return lt_{b}(); }}\n"
            for a, b in ("ab", "ba", "cd", "dc")})
        self.assertEqual(len(problems), 2, problems)

    def test_call_back_through_a_pointer_passes(self):
        self.assertEqual(self.check(
            src_engine_links_slots_c="int (*lt_hook)(void);\n"
                                     "int lt_slots(void) { return lt_hook(); }\n",
            src_engine_links_links_c="int lt_slots(void);\nextern int (*lt_hook)(void);\n"
                                     "int lt_links(void) { lt_hook = lt_links; "
                                     "return lt_slots(); }\n"), ([], []))

    def test_same_name_in_two_programs(self):
        self.assertEqual(self.check(more={
            "demo/a.c": "int now(void);\nint a(void) { return now(); }\n",
            "demo/now.c": "int now(void) { return 1; }\n",
            "src/base/now.c": "int now(void) { return 1; }\n"}, folders=FOLDERS + ["demo"]),
            ([], []))

    def test_other_folders_give_remarks(self):
        problems, remarks = self.check(
            folders=[".", "src", "src/engine", "plugins/gst"],
            src_engine_links_slots_c="int lt_links(void);\n"
                                     "int lt_slots(void) { return lt_links(); }\n")
        self.assertEqual((problems, len(remarks)), ([], 1))

    def test_all_folders(self):
        self.expect("demo: in a circle", folders=circles.ALL, more={
            f"demo/{a}.c": f"int lt_{b}(void);\nint lt_{a}(void) {{ return lt_{b}(); }}\n"
            for a, b in ("ab", "ba")})

    def test_clean_folder_that_is_not_named_is_mentioned(self):
        problems, remarks = self.check(folders=[".", "src", "src/engine"])
        self.assertEqual(problems, [])
        self.assertEqual(remarks, ["src/engine/links: no circle; name it in FOLDERS, so that it "
                                   "stays so"])

    def test_nothing_compiled_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "compile_commands.json").write_text("[]")
            self.assertEqual(len(circles.check(root, root, circles.ALL)[0]), 1)


if __name__ == "__main__":
    unittest.main()

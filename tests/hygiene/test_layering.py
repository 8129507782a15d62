#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants one violation at a time in a small tree and expects layering.py to name it."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import layering

CLEAN = {
    "include/livetcp/base.h": "",
    "include/livetcp/policy.h": "#include <livetcp/base.h>\n#include <stdint.h>\n",
    "include/livetcp/session.h": "#include <livetcp/base.h>\n",
    "src/base/ring.h": "#include <stddef.h>\nint lt_ring(void);\n",
    "src/base/ring.c": '#include "base/ring.h"\nint lt_ring(void) { return 1; }\n',
    "src/engine/frame.h": "int lt_frame(void);\n",
    "src/engine/frame.c": '#include "engine/frame.h"\n#include "base/ring.h"\n#include <string.h>\n'
                        "int lt_frame(void) { return lt_ring(); }\n",
    "src/policy/single.c": '#include <livetcp/policy.h>\n#include "base/ring.h"\n',
    "src/io/loop.c": '#include "engine/frame.h"\n#include <uv.h>\n',
    "src/tool/main.c": '#include "local.h"\n#include <livetcp/session.h>\n#include <popt.h>\n',
    "src/tool/local.h": "",
    "plugins/gst/sink.c": "#include <gst/gst.h>\n#include <livetcp/session.h>\n",
    "samples/send.c": "#include <livetcp/session.h>\n#include <time.h>\n",
}


class Tree(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name).resolve()
        for name, text in CLEAN.items():
            self.plant(name, text)

    def tearDown(self):
        self.temporary.cleanup()

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Includes(Tree):
    def expect(self, name, text, complaint):
        self.plant(name, text)
        problems = layering.check_includes(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(name, problems[0])
        self.assertIn(complaint, problems[0])

    def test_clean_tree_passes(self):
        self.assertEqual(layering.check_includes(self.root), [])

    def test_engine_may_not_include_a_clock(self):
        self.expect("src/engine/bad.c", "#include <time.h>\n", "<time.h>")

    def test_policy_may_not_include_a_socket(self):
        self.expect("src/policy/bad.c", "\n# include <sys/socket.h>\n", "bad.c:2")

    def test_model_may_not_include_threads(self):
        self.expect("src/lab/model/bad.h", "#include <pthread.h>\n", "<pthread.h>")

    def test_engine_may_not_include_libuv(self):
        self.expect("src/engine/bad.c", "#include <uv.h>\n", "src/io")

    def test_engine_may_not_draw_random_numbers(self):
        self.expect("src/engine/bad.c", "#include <openssl/rand.h>\n", "src/io")

    def test_base_may_not_include_the_engine(self):
        self.expect("src/base/bad.c", '#include "engine/frame.h"\n', "src/engine/frame.h")

    def test_policy_may_not_include_the_engine(self):
        self.expect("src/policy/bad.c", '#include "engine/frame.h"\n', "src/engine")

    def test_parent_paths_do_not_get_around_it(self):
        self.expect("src/base/bad.c", '#include "../engine/frame.h"\n', "src/engine/frame.h")

    def test_policy_sees_only_the_public_policy_header(self):
        self.expect("src/policy/bad.c", "#include <livetcp/session.h>\n", "livetcp/session.h")

    def test_tool_may_not_include_the_engine(self):
        self.expect("src/tool/bad.c", '#include "engine/frame.h"\n', "src/engine/frame.h")

    def test_elements_use_the_public_api_only(self):
        self.expect("plugins/gst/bad.c", '#include "base/ring.h"\n', "src/base/ring.h")

    def test_samples_use_the_public_api_only(self):
        self.expect("samples/bad.c", '#include "base/ring.h"\n', "src/base/ring.h")

    def test_glib_stays_in_the_plugin(self):
        self.expect("src/io/bad.c", "#include <glib.h>\n", "plugins/gst")

    def test_socket_calls_stay_behind_the_platform(self):
        for header in ("sys/socket.h", "netinet/in.h", "unistd.h", "pthread.h", "sys/queue.h"):
            self.expect("src/io/bad.c", f"#include <{header}>\n", "src/platform")

    def test_public_headers_hide_libuv(self):
        self.expect("include/livetcp/bad.h", "#include <uv.h>\n", "uv.h")

    def test_public_headers_hide_openssl(self):
        self.expect("include/livetcp/bad.h", "#include <openssl/evp.h>\n", "openssl/evp.h")


class Symbols(Tree):
    def compile(self, **sources):
        """Compiles {module: text} and returns what the check says."""
        commands = []
        for module, text in sources.items():
            name = f"src/{module}/planted.c"
            self.plant(name, text)
            commands.append({"directory": str(self.root), "file": name,
                             "command": f"cc -c {name} -o {module}.o"})
            subprocess.run([os.environ.get("CC", "cc"), "-w", "-c", name, "-o", f"{module}.o"],
                           cwd=self.root, check=True)
        self.plant("compile_commands.json", json.dumps(commands))
        return layering.check_symbols(self.root, self.root)

    def expect(self, body, complaint, module="engine"):
        problems = self.compile(**{module: f"int x(void);\nint f(int a)\n{{ {body} }}\n"})
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(complaint, problems[0])

    def test_clean_objects_pass(self):
        self.assertEqual(self.compile(
            base="int lt_ring(void) { return 1; }",
            engine="#include <stdio.h>\n#include <string.h>\nint lt_ring(void);\n"
                 "int f(char *s) { return snprintf(s, 9, \"%d\", lt_ring()) + strlen(s); }"), [])

    def test_clock(self):
        self.expect("return clock_gettime(1, 0);", "clock_gettime")

    def test_socket(self):
        self.expect("return sendmsg(a, 0, 0);", "sendmsg")

    def test_thread(self):
        self.expect("return pthread_mutex_lock(0);", "pthread_mutex_lock")

    def test_libuv(self):
        self.expect("return uv_run(0, 0);", "uv_run", module="policy")

    def test_randomness(self):
        self.expect("return rand();", "rand", module="rtp")

    def test_function_pointer(self):
        self.expect("extern long time(); return time != 0 ? (long)time : a;", "time")

    def test_call_against_the_direction(self):
        problems = self.compile(engine="int lt_frame(void) { return 1; }",
                                base="int lt_frame(void); int g(void) { return lt_frame(); }")
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("src/engine", problems[0])

    def test_public_function_of_a_layer_above(self):
        caller = "int livetcp_find(void); int {}(void) {{ return livetcp_find(); }}"
        problems = self.compile(engine="int livetcp_find(void) { return 1; }",
                                policy=caller.format("g"), tool=caller.format("h"))
        self.assertEqual(len(problems), 1, problems)
        self.assertIn("src/engine", problems[0])

    def test_nothing_compiled_is_a_failure(self):
        self.plant("compile_commands.json", "[]")
        self.assertEqual(len(layering.check_symbols(self.root, self.root)), 1)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""testssl.sh at a listener with TLS: what it finds in versions, ciphers, forward secrecy and the
certificate. usage: testssl_test.py LIVETCP"""

import json
import shutil
import signal
import subprocess
import sys
import unittest

from common import PATIENCE_S, ToolTest, text

SKIPPED = 77
TESTSSL = shutil.which("testssl") or shutil.which("testssl.sh")
VERSIONS = {"SSLv2": False, "SSLv3": False, "TLS1": False, "TLS1_1": False, "TLS1_2": True,
            "TLS1_3": True}
WEAK = ("cipherlist_NULL", "cipherlist_aNULL", "cipherlist_EXPORT", "cipherlist_LOW",
        "cipherlist_3DES_IDEA")
PATIENCE = 4 * PATIENCE_S  # it takes half a minute, on a machine that does nothing else


class TestSsl(ToolTest):
    def setUp(self):
        super().setUp()
        self.certificate, self.key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "365", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", self.key, "-out", self.certificate],
            check=True, capture_output=True)
        self.receiver, self.port = self.listen(
            "receive", "--keep", settings=f"&tls=on&tls-cert={self.certificate}&tls-key={self.key}"
            "&joins-per-second=10000")

    def findings(self, *sections):
        """{id: finding}, of these sections."""
        file = self.folder / "findings.json"
        done = subprocess.run(
            [TESTSSL, "--quiet", "--color", "0", "--warnings", "batch", "--nodns", "none",
             "--ip", "127.0.0.1", "--connect-timeout", "20", "--openssl-timeout", "20",
             "--openssl", shutil.which("openssl"), "--add-ca", self.certificate,
             "--jsonfile", file, *sections, f"localhost:{self.port}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
            check=False)
        self.said = done.stdout + done.stderr
        self.assertTrue(file.exists(), self.said)
        return {one["id"]: one for one in json.loads(file.read_text())}

    def test_versions_ciphers_and_certificate(self):
        found = self.findings("-p", "-s", "-f", "-S")

        def finding(*names):
            """Of the first of these names that this version of testssl.sh has."""
            for name in names:
                if name in found:
                    return found[name]["finding"]
            return self.fail(f"{names} is not in\n{self.said}")

        for version, offered in VERSIONS.items():
            with self.subTest(version=version):
                self.assertEqual(finding(version).startswith("offered"), offered, self.said)
        for cipher in WEAK:
            with self.subTest(cipher=cipher):
                self.assertEqual(finding(cipher), "not offered", self.said)
        self.assertEqual(finding("cipherlist_AVERAGE", "cipherlist_OBSOLETED"), "not offered")
        self.assertTrue(finding("PFS", "FS").startswith("offered"), self.said)
        for cipher in finding("PFS_ciphers", "FS_ciphers").split():
            with self.subTest(cipher=cipher):
                self.assertRegex(cipher, "^(TLS_|ECDHE-)")
        self.assertIn("X25519", finding("PFS_ECDHE_curves", "FS_ECDHE_curves"))
        self.assertIn("EC 256", finding("cert_keySize"))
        self.assertEqual(finding("cert_commonName"), "localhost")
        self.assertIn("localhost", finding("cert_subjectAltName"))
        self.assertTrue(finding("cert_trust").startswith("Ok"), found["cert_trust"])
        self.assertTrue(finding("cert_chain_of_trust").startswith("passed"), self.said)
        self.assertEqual(found["cert_expirationStatus"]["severity"], "OK")

    def tearDown(self):
        """After all that the listener goes on."""
        sent = text("send", "--signal=tone", "--duration=200ms",
                    f"livetcps://localhost:{self.port}?tls-ca={self.certificate}")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.receiver.send_signal(signal.SIGINT)
        self.finish(self.receiver)
        super().tearDown()


if __name__ == "__main__":
    if not TESTSSL:
        print("skipped: testssl.sh is not installed (script/bootstrap installs it)")
        sys.exit(SKIPPED)
    unittest.main()

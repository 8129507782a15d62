#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Somebody else's TLS at our listener: openssl s_client.
usage: s_client_test.py LIVETCP"""

import shutil
import subprocess
import sys
import time
import unittest

from common import ToolTest, text

SKIPPED = 77


class SClient(ToolTest):
    def setUp(self):
        super().setUp()
        self.certificate = self.folder / "cert.pem"
        self.key = self.folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", self.key, "-out", self.certificate],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.receiver, self.port = self.listen(
            "receive", "--keep", settings=f"&tls=on&tls-cert={self.certificate}&tls-key={self.key}")

    def heard(self, words):
        """The receiver's next line that has them."""
        for line in self.receiver.stderr:
            if words in line:
                return line
        self.fail(f"the receiver did not say {words!r}")

    def tearDown(self):
        self.receiver.terminate()
        self.finish(self.receiver)
        super().tearDown()

    def s_client(self, *options, said=b""):
        return subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-servername",
             "localhost", "-CAfile", self.certificate, "-verify_hostname", "localhost",
             "-verify_return_error", *options],
            input=said, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            check=False).stdout.decode(errors="replace")

    def test_versions_and_the_protocol(self):
        for version, words in [("-tls1_3", "TLSv1.3, Cipher is TLS_"),
                               ("-tls1_2", "TLSv1.2, Cipher is ECDHE-")]:
            with self.subTest(version=version):
                said = self.s_client(version, "-alpn", "livetcp")
                self.assertIn(words, said)
                self.assertIn("Verify return code: 0 (ok)", said)
                self.assertIn("ALPN protocol: livetcp", said)

    def test_what_is_old_is_refused(self):
        for options in (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
                        ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
                        ["-tls1_2", "-cipher", "AES128-SHA"],  # no forward secrecy
                        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"]):  # CBC
            with self.subTest(options=options):
                said = self.s_client(*options)
                self.assertIn("Cipher is (NONE)", said)

    def test_a_browser_in_tls_gets_nothing_and_harms_nobody(self):
        said = self.s_client("-quiet", "-alpn", "livetcp",
                             said=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertNotIn("HTTP/1", said)
        sent = text("send", "--signal=tone", "--duration=200ms",
                    f"livetcps://127.0.0.1:{self.port}?tls-ca={self.certificate}"
                    "&tls-name=localhost")
        self.assertEqual(sent.returncode, 0, sent.stderr)

    def test_tls_insecure_is_said(self):
        sent = text("send", "--signal=tone", "--duration=200ms",
                    f"livetcps://127.0.0.1:{self.port}?tls-insecure=true")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(sent.stderr.count("is not checked; anybody on the way"), 1, sent.stderr)

    def test_a_certificate_that_is_replaced_by_a_wrong_one_is_said(self):
        before = self.s_client("-alpn", "livetcp")
        good = self.certificate.read_bytes()
        self.certificate.write_bytes(good[:len(good) // 2])
        time.sleep(1.1)  # the files are looked at once a second
        after = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{self.port}", "-alpn", "livetcp"],
            input=b"", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            check=False).stdout.decode(errors="replace")
        self.assertIn("the certificate before stays in use", self.heard("certificate"))
        for said in (before, after):
            self.assertIn("-----BEGIN CERTIFICATE-----", said)
        self.certificate.write_bytes(good)


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("skipped: the openssl command is not installed (script/bootstrap installs it)")
        sys.exit(SKIPPED)
    unittest.main()

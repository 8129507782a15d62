#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""livetcp receive --tokens and livetcp send --tokens: who is let in, and what the others are told.
usage: tokens_test.py LIVETCP"""

import base64
import hashlib
import hmac
import json
import os
import signal
import time
import unittest

from common import ToolTest, text

SECRET = b"k" * 32
PASSPHRASE = "passphrase=correct-horse-battery"
LISTED = "studio-0123456789abcdef"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(secret=SECRET, **claims):
    claims = {"sub": "studio", "roles": ["publish"], "exp": int(time.time()) + 3600, **claims}
    body = ".".join(base64url(json.dumps(part).encode())
                    for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return body + "." + base64url(hmac.new(secret, body.encode(), hashlib.sha256).digest())


class Tokens(ToolTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "tokens.json"
        self.file.write_text(json.dumps({
            "keys": [{"kty": "oct", "alg": "HS256", "k": base64url(SECRET)}],
            "tokens": [{"token": LISTED, "sub": "studio", "roles": ["publish"]}]}))

    def call(self, port, token, stream="studio"):
        query = f"?{PASSPHRASE}" + (f"&token={token}" if token else "")
        return text("send", "--signal=tone", "--duration=200ms",
                    f"livetcp://127.0.0.1:{port}/{stream}{query}")

    def test_who_is_let_in_and_what_the_others_are_told(self):
        receiver, port = self.listen("receive", f"--tokens={self.file}",
                                     settings=f"&{PASSPHRASE}")
        for token, stream, words in [
                ("", "studio", "this listener wants a token (401)"),
                ("nobody-knows-this-token", "studio", "the token is not known here (401)"),
                (jwt(secret=b"x" * 32), "studio", "signature is wrong"),
                (jwt(exp=1), "studio", "the token has expired (401)"),
                (jwt(roles=["subscribe"]), "studio", "does not allow that (roles) (403)"),
                (LISTED, "attic", "not for this stream (sub) (403)")]:
            with self.subTest(words=words):
                sent = self.call(port, token, stream)
                self.assertEqual(sent.returncode, 1)
                self.assertIn(words, sent.stderr)
                if token:
                    self.assertNotIn(token, sent.stderr)
        sent = self.call(port, jwt())
        self.assertEqual(sent.returncode, 0, sent.stderr)
        code, _, err = self.finish(receiver)
        self.assertEqual(code, 0, err)
        self.assertIn("refused by the application: the token has expired", err)
        self.assertNotIn(LISTED, err)

    def test_a_listed_token_is_let_in(self):
        receiver, port = self.listen("receive", f"--tokens={self.file}",
                                     settings=f"&{PASSPHRASE}")
        sent = self.call(port, LISTED)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(self.finish(receiver)[0], 0)

    def test_a_file_that_changes_is_read_again(self):
        receiver, port = self.listen("receive", f"--tokens={self.file}",
                                     settings=f"&{PASSPHRASE}")
        renewed = LISTED[::-1]
        self.assertEqual(self.call(port, renewed).returncode, 1)
        self.file.write_text("{")  # as a program that is not done with writing it
        self.assertIn("the token is not known here", self.call(port, renewed).stderr)
        self.file.write_text(json.dumps({
            "tokens": [{"token": renewed, "sub": "studio", "roles": ["publish"]}]}))
        self.assertIn("the token is not known here", self.call(port, LISTED).stderr)
        # A file of the same size and date is read again when it is asked for.
        third = renewed[:-1] + ("y" if renewed[-1] == "x" else "x")
        state = os.stat(self.file)
        text_before = self.file.read_text()
        with open(self.file, "r+", encoding="utf-8") as file:
            file.write(text_before.replace(renewed, third))
        os.utime(self.file, ns=(state.st_atime_ns, state.st_mtime_ns))
        self.assertEqual(self.call(port, third).returncode, 1)
        receiver.send_signal(signal.SIGHUP)
        sent = self.call(port, third)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        code, _, err = self.finish(receiver)
        self.assertEqual(code, 0, err)
        self.assertIn("the tokens before stay in use: --tokens", err)
        self.assertEqual(err.count("read the tokens again"), 2, err)
        for secret in (LISTED, renewed, third):
            self.assertNotIn(secret, err)

    def test_callers_of_the_same_role_are_told(self):
        receiver, port = self.listen("receive")
        other = text("receive", f"livetcp://127.0.0.1:{port}")
        self.assertEqual(other.returncode, 1)
        self.assertIn("this listener receives: call it by livetcp send", other.stderr)
        receiver.terminate()

    def test_bad_input(self):
        secure = f"livetcp://:0?mode=listener&{PASSPHRASE}"
        wrong = self.folder / "wrong.json"
        wrong.write_text('{"tokens": [{"token": "' + LISTED + '"}]}')
        for file, uri, words in [
                (self.file, "livetcp://:0?mode=listener", "under TLS or a passphrase only"),
                (self.file, f"livetcp://h:1?{PASSPHRASE}", "--tokens is for listeners"),
                (self.folder / "missing.json", secure, "cannot read"),
                (wrong, secure, "tokens, number 1: sub is missing")]:
            with self.subTest(words=words):
                for command in ("receive", "send"):
                    run = text(command, f"--tokens={file}", uri,
                               *(["--signal=tone"] if command == "send" else []))
                    self.assertEqual(run.returncode, 2, run.stderr)
                    self.assertIn(words, run.stderr)
                    self.assertNotIn(LISTED, run.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Secrets are never printed: planted wherever the commands take one, they are in nothing that these
say, in no figure, and not in what hooks find. usage: secrets_test.py LIVETCP"""

import base64
import json
import pathlib
import signal
import socket
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request

from relays import PATIENCE_S, RelayTest, environment, port_of, rtp, text

PASSPHRASE = "Zq7PassPhraseXk93"
TOKEN = "Vw4TokenOfStudioJh21"
PASSWORD = "Ty8ProxyPassWordMb65"
USER = "Gn3ProxyUserRd72"
SRT_KEY = "Lp6SrtPassPhraseCf48"
CA_KEY = "Bs9KeyOfTokensWq17" * 2  # a secret of 32 bytes and more, of --tokens
PLANTED = (PASSPHRASE, TOKEN, PASSWORD, USER, SRT_KEY, CA_KEY)


def forms(secret):
    """As it may turn up: itself, in hexadecimal, and within any base64."""
    raw = secret.encode()
    yield secret.lower()
    yield raw.hex()
    for before in range(3):
        whole = base64.b64encode(b"x" * before + raw).decode()
        yield whole[4 if before else 0:-4].lower()


class Proxy:
    """Speaks to one caller after the other, as `answer` of its request says."""

    def __init__(self, answer):
        self.answer, self.requests = answer, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                head = b""
                while b"\r\n\r\n" not in head:
                    got = peer.recv(4096)
                    if not got:
                        break
                    head += got
                self.requests.append(head.decode(errors="replace"))
                peer.sendall(self.answer(head))


class Secrets(RelayTest):
    def setUp(self):
        super().setUp()
        self.said = []
        self.tokens = self.folder / "tokens.json"
        self.tokens.write_text(json.dumps({
            "tokens": [{"token": TOKEN, "sub": "studio", "roles": ["publish", "subscribe"]}],
            "keys": [{"kty": "oct", "alg": "HS256",
                      "k": base64.urlsafe_b64encode(CA_KEY.encode()).rstrip(b"=").decode()}]}))
        self.stats = self.folder / "stats"
        self.stats.mkdir(0o700)
        self.env = environment(LIVETCP_STATS_DIR=str(self.stats))

    def keep(self, *texts):
        self.said += [one if isinstance(one, str) else one.decode(errors="replace")
                      for one in texts if one]

    def check(self, at_least):
        whole = "\n".join(self.said).lower()
        self.assertGreater(len(whole), at_least, whole)
        for secret in PLANTED:
            for form in forms(secret):
                at = whole.find(form)
                self.assertEqual(at, -1, f"{secret} is shown: {whole[max(0, at - 300):at + 100]}")

    def tell(self, *arguments, **keywords):
        """Runs a command to its end and keeps what it says."""
        keywords.setdefault("env", self.env)
        done = text(*arguments, **keywords)
        self.keep(done.stdout, done.stderr)
        return done

    def place(self, how, name, secret):
        """The value of a setting that is this secret, directly, in a file or in a variable."""
        if how == "file":
            (self.folder / name).write_text(secret + "\n")
            return f"file:{self.folder / name}"
        if how == "env":
            self.env[name.upper()] = secret
            return f"env:{name.upper()}"
        return secret

    def test_the_test_would_find_them(self):
        for secret in PLANTED:
            for shown in (secret, secret.encode().hex().upper(),
                          base64.b64encode(f"u:{secret}".encode()).decode(),
                          base64.b64encode(f"user:{secret}!".encode()).decode(),
                          urllib.parse.quote(secret)):
                self.assertTrue(any(form in shown.lower() for form in forms(secret)), shown)

    def test_a_session_and_its_figures(self):
        for how in ("text", "file", "env"):
            with self.subTest(how=how):
                self.session(how)
        self.check(5000)

    def session(self, how):
        settings = "&passphrase=" + self.place(how, "passphrase", PASSPHRASE)
        received, sent = self.folder / "received.json", self.folder / "sent.json"
        receiver, port = self.listen("receive", f"--tokens={self.tokens}", f"--json={received}",
                                     self.folder / "x.rtpdump", settings=settings, env=self.env)
        uri = (f"livetcp://127.0.0.1:{port}/studio?connections=2{settings}"
               f"&token={self.place(how, 'token', TOKEN)}")
        sender = self.start("send", f"--json={sent}", uri, env=self.env)
        for line in sender.stderr:
            self.keep(line)
            if "session open" in line:
                break
        for process in receiver, sender:
            self.assertIsNone(process.poll())
        self.assertEqual(self.tell("stat", "-c", "--count=2", "--interval=50ms").returncode, 0)
        self.assertIn("schema", self.tell("stat", "--json").stdout)
        sender.send_signal(signal.SIGINT)
        for process in sender, receiver:
            code, out, err = self.finish(process)
            self.keep(out, err)
            self.assertEqual(code, 0, err)
        self.keep(received.read_text(), sent.read_text())

    def test_what_is_said_to_those_who_are_turned_away(self):
        receiver, port = self.listen("receive", "--keep", f"--tokens={self.tokens}",
                                     self.folder / "x.rtpdump",
                                     settings=f"&passphrase={PASSPHRASE}", env=self.env)
        right, wrong = f"passphrase={PASSPHRASE}", f"passphrase={PASSPHRASE[::-1]}"
        for query in (f"{wrong}&token={TOKEN}", f"{right}&token={TOKEN[::-1]}",
                      f"{right}&token=a.{TOKEN}.c", right, f"{right}&token={TOKEN}&tls=off",
                      f"{right}&token={TOKEN}&wire=plain", f"token={TOKEN}",
                      f"{right}&token={TOKEN}&websocket=on"):
            with self.subTest(query=query):
                done = self.tell("send", "--duration=100ms",
                                 f"livetcp://127.0.0.1:{port}/attic?{query}&handshake-timeout=1000"
                                 "&auto-reconnect=false&connections=1")
                self.assertNotEqual(done.returncode, 0, done.stderr)
        self.tokens.write_text(json.dumps({"tokens": [{"token": TOKEN, "exp": TOKEN}]}))
        receiver.send_signal(signal.SIGHUP)
        receiver.send_signal(signal.SIGINT)
        _, out, err = self.finish(receiver)
        self.keep(out, err)
        self.check(1000)

    def test_what_is_said_about_settings_that_are_wrong(self):
        for uri in (f"livetcp://h:1?passphrase={PASSPHRASE}&passphrase={TOKEN}&port=x",
                    f"livetcp://h:1?passprase={PASSPHRASE}", f"livetcp://h:1?tokens={TOKEN}",
                    f"livetcp://{USER}:{PASSWORD}@h:1", f"livetcp://{PASSWORD}@h:1",
                    f"livetcp://h:1?passphrase={PASSPHRASE}%zz", f"livetcp://h:1#{TOKEN}",
                    f"livetcp://h:1?passphrase={PASSPHRASE}%0a&token={TOKEN}",
                    f"livetcp://h:1?token={TOKEN * 200}",
                    f"livetcp://h:1?proxy=http://{USER}:{PASSWORD}@",
                    f"livetcp://h:1?proxy=ftp://{USER}:{PASSWORD}@h:1",
                    f"livetcp://h:1?proxy=http://{USER}:{PASSWORD}@h:99999",
                    f"livetcp://h:1?proxy=http://{USER}%25zz:{PASSWORD}@h:9",
                    f"livetcp://h:1?proxy={PASSWORD}",
                    f"http://{USER}:{PASSWORD}@h/", f"livetpc://h?token={TOKEN}",
                    f"h:1?token={TOKEN}", f"{USER}:{PASSWORD}@h:1", f"srt://h:1?passphrase={SRT_KEY}"):
            for command in ("send", "receive"):
                with self.subTest(uri=uri, command=command):
                    self.assertNotEqual(self.tell(command, uri).returncode, 0)
        for place in ("file", "env"):
            value = self.place(place, "long", PASSPHRASE * 40)
            done = self.tell("send", f"livetcp://h:1?passphrase={value}")
            self.assertNotEqual(done.returncode, 0)
        for words in (["--help"], ["send", "--help"], ["relay", "--help"], ["relay", "--help-url"],
                      ["bench", "--check", "--policy", f"auto:passphrase={PASSPHRASE}:x=1"],
                      ["bench", "--check", "--policy", f"auto:token={TOKEN}"], ["doctor", "--json"]):
            self.keep(text(*words, env=environment(PASSPHRASE=PASSPHRASE, TOKEN=TOKEN,
                                                   HTTPS_PROXY=f"http://{USER}:{PASSWORD}@h:1")
                           ).stdout)
        self.check(3000)

    def test_proxies(self):
        kinds = (lambda head: b"HTTP/1.1 407 no\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n",
                 lambda head: b"HTTP/1.1 407 no\r\nProxy-Authenticate: Digest realm=\"x\", "
                              b"nonce=\"y\", qop=\"auth\", algorithm=SHA-256\r\n\r\n",
                 # one that says all that it was told
                 lambda head: (b"HTTP/1.1 407 no\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n"
                               if b"Proxy-Authorization" not in head else
                               b"HTTP/1.1 502 " + head.replace(b"\r\n", b" ") + b"\r\n\r\n"),
                 lambda head: b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 what?\r\n\r\n",
                 lambda head: b"")
        for kind in kinds:
            proxy = Proxy(kind)
            self.addCleanup(proxy.socket.close)
            for how in ("text", "file", "env"):
                url = f"http://{USER}:{PASSWORD}@127.0.0.1:{proxy.port}"
                for value in (self.place(how, "url", url), "env"):
                    done = self.tell(
                        "send", "--duration=100ms",
                        f"livetcp://media.invalid:443?connections=2&auto-reconnect=false"
                        f"&connect-timeout=1000&handshake-timeout=1000&proxy={value}",
                        env={**self.env, "HTTPS_PROXY": url, "https_proxy": url})
                    self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertTrue(proxy.requests)
        self.check(1000)

    def test_a_relay_at_its_most_talkative(self):
        hook = self.folder / "hook.sh"
        found = self.folder / "hook.txt"
        hook.write_text(f"#!/bin/sh\nenv | grep LIVETCP_ >>{found}\n")
        hook.chmod(0o755)
        there = self.socket()
        for log in ([], ["--log-json"]):
            far = self.relay(f"livetcp://127.0.0.1:0?mode=listener&passphrase={PASSPHRASE}",
                             f"udp://127.0.0.1:{port_of(there)}", "--log-level=trace",
                             f"--tokens={self.tokens}", f"--on-open={hook}", f"--on-close={hook}",
                             "--stats=100ms", "--json", *log, env=self.env)
            port = far.wait_for(r"listening on port (\d+)")[1]
            near = self.relay("udp://@127.0.0.1:0",
                              f"livetcp://127.0.0.1:{port}/studio?passphrase={PASSPHRASE}"
                              f"&token={TOKEN}&proxy=", "--log-level=trace", f"--on-open={hook}",
                              "--stats=100ms", "--json", *log, env=self.env)
            near.wait_for("session open")
            far.wait_for("session open")
            here = self.socket()
            near_port = near.wait_for(r"waiting for datagrams on port (\d+)")[1]
            for i in range(20):
                here.sendto(rtp(i), ("127.0.0.1", int(near_port)))
                there.recv(100)
            wrong = self.relay("udp://@127.0.0.1:0",
                               f"livetcp://127.0.0.1:{port}/studio?passphrase={PASSPHRASE}"
                               f"&token={TOKEN[::-1]}", "--log-level=trace", *log, env=self.env)
            wrong.wait_for("401")
            self.tell("stat", "--json")
            for relay in wrong, near, far:
                relay.end()
                self.keep(*relay.lines, relay.process.stdout.read())
        self.assertIn("LIVETCP_EVENT", found.read_text())
        self.keep(found.read_text())
        self.check(10000)

    def test_figures_for_prometheus(self):
        far = self.relay("--metrics=127.0.0.1:0",
                         f"livetcp://127.0.0.1:0/studio?mode=listener&passphrase={PASSPHRASE}",
                         "udp://127.0.0.1:9", f"--tokens={self.tokens}", "--log-level=trace")
        port = far.port()
        if far.said("built without libmicrohttpd"):
            self.skipTest("this livetcp was built without libmicrohttpd")
        near = self.relay("udp://@127.0.0.1:0",
                          f"livetcp://127.0.0.1:{port}/studio?passphrase={PASSPHRASE}&token={TOKEN}")
        near.wait_for("session open")
        figures = far.wait_for(r"http://(127.0.0.1:\d+)/metrics")[1]
        for path in ("/metrics", "/", "/x"):
            try:
                with urllib.request.urlopen(f"http://{figures}{path}", timeout=PATIENCE_S) as page:
                    self.keep(page.read())
            except urllib.error.HTTPError as error:
                self.keep(error.read())
        for relay in near, far:
            relay.end()
            self.keep(*relay.lines)
        self.check(2000)

    def test_a_file_of_routes_that_is_wrong(self):
        file = pathlib.Path(self.folder) / "routes.yaml"
        secret = f"livetcp://h:1?passphrase={PASSPHRASE}&token={TOKEN}&proxy=http://{USER}:{PASSWORD}@h:1"
        for body in (f"routes:\n  a:\n    in: {secret}&x=1\n    out: udp://h:1\n",
                     f"routes:\n  a:\n    in: {secret}\n    out: [{secret}, srt://h:1?passphrase={SRT_KEY}&y=1]\n",
                     f"routes:\n  a:\n    in: udp://@:0\n    out: \"{secret}\n",
                     f"routes:\n  - {secret}\n", f"{secret}: 1\n", f"routes: {secret}\n",
                     f"routes:\n  a:\n    in: {secret}\n    in: {secret}\n",
                     f"routes:\n  a:\n    {secret}: x\n"):
            file.write_text(body)
            with self.subTest(body=body):
                self.assertNotEqual(self.tell("relay", f"--config={file}").returncode, 0)
        for out in (f"livetcp://h:1?passphrase={PASSPHRASE}&q=1", f"srt://h:1?passphrase={SRT_KEY}&q=1",
                    f"srt://h:1?passphrase={SRT_KEY * 10}",
                    f"livetcp://{USER}:{PASSWORD}@h:1", f"{USER}:{PASSWORD}@h:1",
                    f"livetpc://{USER}:{PASSWORD}@h:1", f"livetpc://h:1?token={TOKEN}"):
            with self.subTest(out=out):
                self.assertNotEqual(self.tell("relay", "udp://@127.0.0.1:0", out).returncode, 0)
        self.check(500)


if __name__ == "__main__":
    unittest.main()

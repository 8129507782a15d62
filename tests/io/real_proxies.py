#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sessions of the livetcp command through proxies of others: squid, tinyproxy, microsocks, dante in
front of a caller, haproxy and nginx in front of a listener, also of one that takes WebSockets.

usage: real_proxies.py LIVETCP PROXY
Exit code 77: the proxy is not installed (script/bootstrap --proxies).
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from certificates import certificate_for_localhost

PATIENCE_S = 100
USER, PASSWORD = "media user", "s3cr3t:word@%"  # to be percent-encoded
ENCODED = "media%2520user:s3cr3t%253Aword%2540%2525@"  # twice: in a URL in a URI


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def need(*names):
    """The path of the first program that exists."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    for name in names:
        found = shutil.which(name, path=path)
        if found:
            return found
    print(f"SKIPPED: {names[0]} is not installed; script/bootstrap --proxies does")
    sys.exit(77)


class Background:
    """A program that runs until the block ends; its output goes to a file."""

    def __init__(self, folder, command, port=None):
        self.log = os.path.join(folder, f"{os.path.basename(command[0])}-{free_port()}.log")
        self.command, self.port = command, port

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + PATIENCE_S
        while self.port:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    sys.exit(f"{self.command[0]} does not listen:\n{self.text()}")
                time.sleep(0.05)
        return self

    def __exit__(self, *_):
        for what in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, what)  # its own children, too
                self.process.wait(10)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


class Tool:
    def __init__(self, livetcp, folder):
        self.livetcp, self.folder = livetcp, folder

    def session(self, port, listener="", caller="", called=None, connections=3,
                listens="livetcp", calls="livetcp", path=""):
        """Sends a second of a tone. Returns what the receiver said."""
        got = os.path.join(self.folder, "got.json")
        sent = os.path.join(self.folder, "sent.json")
        uri = f"{listens}://127.0.0.1:{port}{path}?mode=listener{listener}"
        receive = Background(self.folder, [self.livetcp, "receive", f"--json={got}", uri,
                                           os.path.join(self.folder, "got.rtpdump")])
        with receive:
            time.sleep(0.2)  # --keep calls again
            uri = (f"{calls}://localhost:{called or port}{path}?connections={connections}"
                   f"{caller}")
            done = subprocess.run([self.livetcp, "send", "--keep", "--duration=1s",
                                   f"--json={sent}", uri], timeout=PATIENCE_S, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            said = done.stdout
            if done.returncode:
                sys.exit(f"send failed:\n{said}\n{receive.text()}")
            receive.process.wait(PATIENCE_S)
            if receive.process.returncode:
                sys.exit(f"receive failed:\n{receive.text()}")
        assert "s3cr3t" not in said + receive.text(), said
        with open(got, encoding="utf-8") as file:
            packets = json.load(file)
        return receive.text() + json.dumps(packets)

    def refusal(self, caller, port=9, timeout="", expected=(), calls="livetcp", path=""):
        """What a caller says that must not get through."""
        uri = f"{calls}://localhost:{port}{path}?connections=1{timeout}{caller}"
        process = subprocess.run([self.livetcp, "send", "--duration=1s", uri],
                                 timeout=PATIENCE_S, check=False, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        assert process.returncode == 1, process.stdout
        for text in expected:
            assert text in process.stdout, f"{text!r} is not in: {process.stdout}"
        assert "s3cr3t" not in process.stdout, process.stdout
        print(process.stdout.strip().splitlines()[0])


def curl_through(tool, proxy, target):
    """curl as the other end of a listener's WebSocket, through the same proxy."""
    if not shutil.which("curl"):
        print("curl is not installed: not tried through this proxy")
        return
    listener = f"livetcp+ws://127.0.0.1:{target}/live?mode=listener"
    upgrade = [part for field in ("Connection: Upgrade", "Upgrade: websocket",
                                  "Sec-WebSocket-Version: 13",
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
               for part in ("-H", field)]
    with Background(tool.folder, [tool.livetcp, "receive", "--keep", listener, os.devnull], target):
        for fields, expected in ((upgrade, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), ([], "HTTP/1.1 426")):
            done = subprocess.run(
                ["curl", "-s", "-i", "--max-time", "3", "--proxytunnel", "--proxy", proxy, *fields,
                 f"http://127.0.0.1:{target}/live"], capture_output=True, check=False,
                timeout=PATIENCE_S)
            answer = done.stdout.decode("latin-1")
            assert expected in answer, answer


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o644)
    return path


def squid(tool, folder):
    program, port, target = need("squid"), free_port(), free_port()
    helper = "/usr/lib/squid/digest_file_auth"
    users = write(folder, "users", "media:s3cr3t@%\n")  # its passwords have no colon
    config = write(folder, "squid.conf", f"""
http_port 127.0.0.1:{port}
auth_param digest program {helper} {users}
auth_param digest children 1
auth_param digest realm LiveTCP test
acl users proxy_auth REQUIRED
acl target port {target}
http_access deny !target
http_access allow CONNECT users
http_access deny all
cache deny all
cache_mem 1 MB
pid_filename none
access_log none
cache_log /dev/stderr
cache_store_log none
coredump_dir {folder}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
max_filedescriptors 256
""")
    with Background(folder, [program, "-N", "-f", config], port):
        url = f"&proxy=http://media:s3cr3t%2540%2525@127.0.0.1:{port}"
        tool.session(target, caller=url)
        tool.refusal(f"&proxy=http://127.0.0.1:{port}", target,
                     expected=("407", "http://USER:PASSWORD@HOST:PORT"))
        tool.refusal(f"&proxy=http://x:s3cr3t@127.0.0.1:{port}", target,
                     expected=("407", "does not accept the user and password"))
        tool.refusal(url, 9, expected=("403", "443"))
        time.sleep(0.1)
        tool.refusal(url, target, expected=("503", "cannot reach it"))


def tinyproxy(tool, folder):
    program, port, target = need("tinyproxy"), free_port(), free_port()
    config = write(folder, "tinyproxy.conf", f"""
Port {port}
Listen 127.0.0.1
Timeout 60
MaxClients 20
LogLevel Critical
BasicAuth me s3cr3t
ConnectPort {target}
""")
    with Background(folder, [program, "-d", "-c", config], port):
        url = f"&proxy=http://me:s3cr3t@127.0.0.1:{port}"
        tool.session(target, caller=url)
        secret = "&passphrase=correct-horse"
        tool.session(target, caller=url + secret, listener=secret)
        tool.session(target, caller=url, listens="livetcp+ws", calls="livetcp+ws", path="/live")
        curl_through(tool, f"http://me:s3cr3t@127.0.0.1:{port}", target)
        tool.refusal(f"&proxy=http://127.0.0.1:{port}", target, expected=("407",))
        tool.refusal(f"&proxy=http://me:s3cr3t-not@127.0.0.1:{port}", target,
                     expected=("proxy http://127.0.0.1", "user and password"))
        tool.refusal(url, 9, expected=("403",))
        tool.refusal(f"&proxy=socks5://127.0.0.1:{port}", target, expected=("proxy socks5://",),
                     timeout="&connect-timeout=2000")


def microsocks(tool, folder):
    program, port, target = need("microsocks"), free_port(), free_port()
    command = [program, "-i", "127.0.0.1", "-p", str(port), "-u", USER, "-P", PASSWORD]
    with Background(folder, command, port):
        url = f"&proxy=socks5://{ENCODED}127.0.0.1:{port}"
        tool.session(target, caller=url)
        tool.session(target, caller=url + "&wire=plain", listener="&wire=plain", connections=1)
        curl_through(tool, f"socks5h://media%20user:s3cr3t%3Aword%40%25@127.0.0.1:{port}", target)
        tool.refusal(f"&proxy=socks5://127.0.0.1:{port}", target,
                     expected=("socks5://USER:PASSWORD@HOST:PORT",))
        tool.refusal(f"&proxy=socks5://x:s3cr3t@127.0.0.1:{port}", target,
                     expected=("does not accept the user and password",))
        tool.refusal(url, target, expected=("connection refused",))
        tool.refusal(f"&proxy=http://127.0.0.1:{port}", target, expected=("proxy http://",),
                     timeout="&connect-timeout=2000")


def dante(tool, folder):
    program, port, target = need("danted", "sockd"), free_port(), free_port()
    config = write(folder, "danted.conf", f"""
logoutput: stderr
internal: 127.0.0.1 port = {port}
external: 127.0.0.1
clientmethod: none
socksmethod: none
user.unprivileged: nobody
client pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 }}
socks pass {{ from: 127.0.0.0/8 to: 0.0.0.0/0 port = {target} command: connect }}
""")
    command = [program, "-f", config, "-N", "1", "-p", os.path.join(folder, "danted.pid")]
    with Background(folder, command, port):
        url = f"&proxy=socks5://127.0.0.1:{port}"
        tool.session(target, caller=url)
        tool.refusal(url, 9, expected=("rules forbid it",))
        tool.refusal(url, target, expected=("proxy socks5://", "SOCKS5 reply"))


PROXIED = "&proxy-protocol=1&proxy-protocol-from=127.0.0.1"


def haproxy(tool, folder):
    program, target = need("haproxy"), free_port()
    ports = [free_port(), free_port()]
    config = write(folder, "haproxy.cfg", f"""
defaults
    mode tcp
    timeout connect 10s
    timeout client 60s
    timeout server 60s
listen v1
    bind 127.0.0.1:{ports[0]}
    server media 127.0.0.1:{target} send-proxy
listen v2
    bind 127.0.0.1:{ports[1]}
    server media 127.0.0.1:{target} send-proxy-v2
""")
    with Background(folder, [program, "-db", "-f", config], ports[0]):
        for port in ports:
            said = tool.session(target, PROXIED, "&localaddress=127.0.0.5", called=port)
            assert "127.0.0.5" in said, said


def websockets_through(tool, target, port, tls_port, certificate):
    """A server in front that passes on WebSockets at /live, and ends TLS at its other port."""
    tool.session(target, called=port, listens="livetcp+ws", calls="livetcp+ws", path="/live")
    tool.session(target, caller=f"&tls-ca={certificate}", called=tls_port, listens="livetcp+ws",
                 calls="livetcp+wss", path="/live")
    tool.session(target, listener="&wire=plain", caller=f"&wire=plain&tls-ca={certificate}",
                 called=tls_port, connections=1, listens="livetcp+ws", calls="livetcp+wss",
                 path="/live")
    said = tool.session(target, "&websocket-forwarded-from=127.0.0.1", "&localaddress=127.0.0.6",
                        called=port, listens="livetcp+ws", calls="livetcp+ws", path="/live")
    assert "127.0.0.6" in said, said
    tool.refusal("", port, calls="livetcp+ws", path="/live", timeout="&connect-timeout=9000",
                 expected=("cannot reach the listener",))
    tool.refusal("", port, calls="livetcp+ws", path="/none", expected=("404", "websocket-path"))
    tool.refusal(f"&token=s3cr3t&tls-ca={certificate}", tls_port, calls="livetcp+wss", path="/live",
                 expected=("WebSocket",))


def nginx_websocket(tool, folder):
    program, target = need("nginx"), free_port()
    port, tls_port = free_port(), free_port()
    certificate, key = certificate_for_localhost(folder)
    temporary = "".join(f"    {name}_temp_path {folder}/{name};\n"
                        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    locations = f"""
        location /live {{
            proxy_pass http://127.0.0.1:{target};
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }}
        location /forgotten {{ proxy_pass http://127.0.0.1:{target}/live; }}
        location / {{ return 404; }}
"""
    config = write(folder, "nginx.conf", f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off;
{temporary}
    server {{
        listen 127.0.0.1:{port};{locations}
    }}
    server {{
        listen 127.0.0.1:{tls_port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {key};{locations}
    }}
}}
""")
    with Background(folder, [program, "-p", folder, "-e", "stderr", "-c", config], port):
        websockets_through(tool, target, port, tls_port, certificate)
        listener = f"livetcp+ws://127.0.0.1:{target}/live?mode=listener"
        with Background(folder, [tool.livetcp, "receive", "--keep", listener, os.devnull], target):
            tool.refusal("", port, calls="livetcp+ws", path="/forgotten",
                         expected=("426", "proxy_http_version 1.1"))


def haproxy_websocket(tool, folder):
    program, target = need("haproxy"), free_port()
    port, tls_port = free_port(), free_port()
    certificate, key = certificate_for_localhost(folder)
    with open(certificate, encoding="ascii") as one, open(key, encoding="ascii") as other:
        both = write(folder, "both.pem", one.read() + other.read())
    config = write(folder, "haproxy.cfg", f"""
defaults
    mode http
    option forwardfor
    timeout connect 10s
    timeout client 60s
    timeout server 60s
    timeout tunnel 1h
    retries 0
frontend web
    bind 127.0.0.1:{port}
    bind 127.0.0.1:{tls_port} ssl crt {both} alpn h2,http/1.1
    http-request return status 404 unless {{ path /live }}
    default_backend media
backend media
    server media 127.0.0.1:{target}
""")
    with Background(folder, [program, "-db", "-f", config], port):
        websockets_through(tool, target, port, tls_port, certificate)


def nginx(tool, folder):
    program, target, port = need("nginx"), free_port(), free_port()
    module = "/usr/lib/nginx/modules/ngx_stream_module.so"
    if not os.path.exists(module):
        print("SKIPPED: nginx's stream module (libnginx-mod-stream) is not installed")
        sys.exit(77)
    certificate, key = certificate_for_localhost(folder)
    config = write(folder, "nginx.conf", f"""
load_module {module};
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 64; }}
stream {{
    map $ssl_preread_alpn_protocols $where {{
        ~\\blivetcp\\b 127.0.0.1:{target};
        default 127.0.0.1:9;
    }}
    server {{
        listen 127.0.0.1:{port};
        ssl_preread on;
        proxy_pass $where;
        proxy_protocol on;
    }}
}}
""")
    with Background(folder, [program, "-p", folder, "-e", "stderr", "-c", config], port):
        said = tool.session(target, f"{PROXIED}&tls=on&tls-cert={certificate}&tls-key={key}",
                            f"&tls=on&tls-ca={certificate}&localaddress=127.0.0.5", called=port)
        assert "127.0.0.5" in said, said
        tool.session(target, f"{PROXIED}&websocket=auto&tls=on&tls-cert={certificate}&tls-key={key}",
                     f"&tls-ca={certificate}", called=port, calls="livetcp+wss")


def main():
    tests = {"squid": squid, "tinyproxy": tinyproxy, "microsocks": microsocks, "dante": dante,
             "haproxy": haproxy, "nginx": nginx, "haproxy-websocket": haproxy_websocket,
             "nginx-websocket": nginx_websocket}
    for name in ("NO_PROXY", "no_proxy"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        tests[sys.argv[2]](Tool(sys.argv[1], folder), folder)
    print("passed")


if __name__ == "__main__":
    main()

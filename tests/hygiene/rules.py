# SPDX-License-Identifier: MIT
"""The layers of the code base: who may include whom, and what pure code may not call.

docs/architecture.md explains them; this file is the one the test suite enforces.
"""

import re

C_STANDARD = {
    "assert.h", "ctype.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h",
    "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "string.h",
}

# What pure code may use of libc: also the comparisons that POSIX keeps in strings.h.
LIBC = C_STANDARD | {"strings.h"}

# Functions of their arguments: digests, key derivation, constant-time comparison.
PURE_CRYPTO = {
    "openssl/core_names.h", "openssl/crypto.h", "openssl/err.h", "openssl/evp.h",
    "openssl/hmac.h", "openssl/kdf.h", "openssl/params.h", "openssl/sha.h",
}

# libssl, over memory: its own randomness and session tickets apart, a function of its arguments.
TLS = {"openssl/bio.h", "openssl/ssl.h", "openssl/x509_vfy.h", "openssl/x509v3.h"}

# Parsers: bytes in, callbacks out.
HTTP = {"llhttp.h"}
WEBSOCKET = {"wslay/wslay.h"}

# CXSparse solves the Markov chains and the regressions.
LINEAR_ALGEBRA = {"suitesparse/cs.h"}

ANY = None


class Layer:
    """One folder. `modules` are the folders of src/ whose headers it may include, `public` the
    public headers (ANY, or a set of names; headers those include are allowed with them), `system`
    everything else (ANY, or the complete list). `pure` code is a function of
    its arguments: no clock, no socket, no thread; `may_call` names the exceptions."""

    def __init__(self, folder, modules, public=ANY, system=ANY, pure=False, may_call=()):
        self.folder = folder
        self.modules = modules
        self.public = public
        self.system = system
        self.pure = pure
        self.may_call = may_call


MODEL = {"base.h", "playout.h", "model.h", "service_curve.h"}
PRODUCT = {"base", "rtp", "wire", "policy", "settings", "engine", "playout", "http", "proxy", "tls",
           "websocket", "platform", "io"}

# The first whose folder a path is in.
LAYERS = [
    Layer("include/livetcp", set(), system=C_STANDARD),
    Layer("src/base", {"base"}, {"base.h", "version.h"}, LIBC,
          pure=True),
    Layer("src/rtp", {"base", "rtp"}, {"base.h", "rtp.h"}, LIBC,
          pure=True),
    Layer("src/wire", {"base", "rtp", "wire"}, {"base.h", "config.h"}, LIBC | PURE_CRYPTO,
          pure=True),
    Layer("src/policy", {"base", "policy"}, {"base.h", "policy.h"}, LIBC, pure=True),
    Layer("src/settings", {"base", "policy", "settings"}, {"config.h", "policy.h"}, LIBC, pure=True),
    Layer("src/engine", {"base", "rtp", "wire", "policy", "settings", "engine"}, ANY, LIBC,
          pure=True),
    Layer("src/playout", {"base", "rtp", "playout"},
          {"base.h", "playout.h"}, LIBC, pure=True),
    Layer("src/http", {"base", "http"}, {"base.h"}, LIBC | HTTP, pure=True),
    Layer("src/proxy", {"base", "http", "proxy"}, {"base.h", "version.h"}, LIBC | PURE_CRYPTO,
          pure=True),
    Layer("src/tls", {"base", "tls"}, {"base.h"}, LIBC | PURE_CRYPTO | TLS, pure=True,
          may_call={"randomness"}),
    Layer("src/websocket", {"base", "http", "websocket"}, {"base.h", "version.h"},
          LIBC | PURE_CRYPTO | WEBSOCKET, pure=True),
    Layer("src/platform", {"base", "platform"}),
    Layer("src/io", PRODUCT),
    Layer("src/lab/model/command", {"base", "lab"}),
    Layer("src/lab/model", {"base", "lab/model"}, MODEL, LIBC | LINEAR_ALGEBRA, pure=True),
    Layer("src/lab", {"base", "lab"}),
    Layer("src/relay/plan", {"base", "lab", "relay/plan"}, {"base.h", "config.h", "rtp.h"},
          LIBC | {"yaml.h"}, pure=True, may_call={"file or process I/O"}),
    Layer("src/relay", {"base", "lab", "relay"}),
    Layer("src/admission", {"base", "admission"}, {"base.h", "config.h"},
          LIBC | PURE_CRYPTO | {"jansson.h"}, pure=True),
    Layer("src/tool", {"admission", "base", "lab", "relay", "tool"}),
    Layer("plugins/gst", set()),
    Layer("samples", set()),
    Layer("demo", set()),
]

# Headers of other projects that belong to one place.
CONFINED = [
    (re.compile(r"^uv(\.h|/)"), ("src/io", "src/platform", "src/lab", "src/relay", "src/tool",
                                   "samples")),
    (re.compile(r"^(sys/socket\.h|sys/queue\.h|netinet/|arpa/|netdb\.h|unistd\.h|fcntl\.h|poll\.h"
                r"|pthread\.h)"), ("src/platform", "src/lab", "src/tool", "samples", "demo")),
    (re.compile(r"^(gst/|glib|gio/|gobject/)"), ("plugins/gst", "demo")),
    (re.compile(r"^openssl/(ssl|rand|bio)\.h$"), ("src/io", "src/tls")),
    (re.compile(r"^(suitesparse/|lapack|cblas)"), ("src/lab/model",)),
    (re.compile(r"^llhttp\.h$"), ("src/http",)),
    (re.compile(r"^wslay/"), ("src/websocket",)),
    (re.compile(r"^(linux|netinet)/tcp\.h$"), ("src/platform", "src/lab", "samples")),
]

# What pure code may not call, by the name the linker sees.
FORBIDDEN_CALLS = [
    ("a clock", r"clock_gettime|clock|time|gettimeofday|timespec_get|ftime|times|localtime(_r)?"
                r"|gmtime(_r)?|mktime"),
    ("a sleep or timer", r"sleep|usleep|nanosleep|clock_nanosleep|alarm|setitimer|timer_\w+"
                         r"|timerfd_\w+"),
    ("a socket", r"socket|socketpair|bind|listen|accept4?|connect|shutdown|send(to|msg|mmsg)?"
                 r"|recv(from|msg|mmsg)?|(get|set)sockopt|getsockname|getpeername|getaddrinfo"
                 r"|freeaddrinfo|getnameinfo|gethostby\w+|ioctl|fcntl(64)?"),
    ("a wait for events", r"p?poll|p?select|epoll_\w+|eventfd|kqueue|kevent"),
    ("file or process I/O", r"open(at)?(64)?|f(d|re)?open(64)?|read|p?readv?|write|p?writev?|close"
                            r"|f?printf|__f?printf_chk|puts|putchar|perror|fork|vfork|exec\w+"
                            r"|posix_spawn\w*|system|popen|signal|sigaction|raise|kill|syscall"
                            r"|(secure_)?getenv|exit|_exit"),
    ("a thread or lock", r"pthread_\w+|thrd_\w+|mtx_\w+|cnd_\w+|tss_\w+|call_once|sem_\w+"),
    ("libuv", r"uv_\w+"),
    ("GLib", r"(g|gst)_\w+"),
    ("randomness", r"s?rand(om)?(_r)?|[dlem]rand48|getrandom|getentropy|arc4random\w*|RAND_\w+"
                   r"|SSL_\w+|BIO_\w+"),
]
FORBIDDEN_CALLS = [(what, re.compile(rf"^(?:{names})$")) for what, names in FORBIDDEN_CALLS]


def layer_of(path):
    """The layer a path relative to the root belongs to, or None."""
    for layer in LAYERS:
        if path.startswith(layer.folder + "/"):
            return layer
    return None

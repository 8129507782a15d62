# SPDX-License-Identifier: MIT
"""The rows of `script/bench playout`: Brosh et al., Figures 23 and 24, voice over one NewReno
connection, and the same with copies; and those of playout_load.py. Data only; policies.py runs and checks it."""

from . import playout_load
from .policy_rows import FLOWS, RENO, SINGLE, Row, Setting
from .wants import Late, MosNear

DUPLICATE = "duplicate:connections=8:copies=2"
DELAYS = (5, 10, 20, 40, 80, 160, 320, "static")  # ms over L
LOSSES, RTTS = (0.1, 0.5, 1, 2, 3, 5), (20, 100, 300)
REGION_LOSS, REGION_RTT = 2, 100  # where the paper finds voice over one connection feasible
COPIES_LOSS = 1


def lossy_voice(loss, rtt):
    title, args = FLOWS["voice"]
    delay = f"delay={rtt / 2:g}ms"
    return Setting(f"voice-{loss:g}-{rtt}", title,
                   (*RENO, *args, "--playout", ",".join(map(str, DELAYS)), "--discard-stalls",
                    "--path", f"{delay},loss={loss:g}%", "--path-back", delay),
                   rtt, f"{loss:g} %", seeds=1)


def lossy_voices(quick):
    for rtt in (20, 100) if quick else RTTS:
        for loss in (COPIES_LOSS,) if quick else LOSSES:
            setting = lossy_voice(loss, rtt)
            feasible = rtt <= REGION_RTT and loss <= REGION_LOSS
            yield Row(f"{setting.name}-single", setting, SINGLE, (),
                      (Late("static", 5),) if feasible else ())
            checked = rtt <= REGION_RTT and loss == COPIES_LOSS
            yield Row(f"{setting.name}-duplicate", setting, DUPLICATE, (SINGLE,),
                      (Late("10", 0.1), MosNear("10", 0.05)) if checked else ())


def rows(quick):
    return [*lossy_voices(quick), *playout_load.rows(quick)]

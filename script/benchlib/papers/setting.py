# SPDX-License-Identifier: MIT
"""Extent and parameters of the measurements, shared by all figures."""

from dataclasses import dataclass

from .cells import REPORT, Cell

WARMUP, DRAIN = 5, 10
SETUP = 3  # what a run of the bench takes beside the rest

# What the kernels of the papers did not have. RACK finds losses by time; from Linux 6.17 on it
# cannot be turned off where there is SACK, so that is off as well, and three duplicate ACKs count.
CLASSIC = ("net.ipv4.tcp_recovery=0", "net.ipv4.tcp_early_retrans=0", "net.ipv4.tcp_sack=0")


@dataclass(frozen=True)
class Setting:
    quick: bool = False
    seconds: float = 60
    seeds: int = 1

    @staticmethod
    def of(options):
        return Setting(options.quick, options.seconds or (10 if options.quick else 60),
                       options.seeds or 1)

    def describe(self):
        return {"quick": self.quick, "seconds": self.seconds, "seeds": self.seeds}

    def bench(self, args, classic, seconds=None, seeds=1):
        """The cells of a setting, one for each seed, at least so many."""
        seconds = seconds or self.seconds
        sysctls = [word for key in CLASSIC for word in ("--sysctl", key)] if classic else []
        return tuple(
            Cell("bench", (*map(str, args), *sysctls, "--discard-stalls", "--warmup", str(WARMUP),
                           "--duration", f"{seconds:g}", "--seed", str(seed), "-q",
                           "--json", REPORT),
                 seconds + WARMUP + SETUP)
            for seed in range(1, max(self.seeds, seeds) + 1))

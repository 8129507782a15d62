# SPDX-License-Identifier: MIT
"""What a row of `script/bench policies` must show. Each kind of demand looks at the figures of its
setting, {scheme: {"p99": ms over L, ...}}, and says (wanted, measured, passed); passed is None when
something that it compares with was not measured."""

from dataclasses import dataclass, field

NOISE_MS, NOISE = 1, 0.05  # two runs of the same policy differ by as much
QUANTILES = ("p95", "p99", "p99_9")
BOUND = "bound"  # not reached, and no placement of packets could be sure to


def spell(quantile):
    return quantile.replace("_", ".")


def over(value):
    return "never" if value == float("inf") else f"L + {value:.2f} ms"


def worse(value, than, one_way):
    """True if it is worse by more than noise. Both are over L; the share is of the whole delay."""
    return value > than + max(NOISE_MS, NOISE * (than + one_way))


def best(figures, schemes, quantile):
    values = [figures[s][quantile] for s in schemes if s in figures]
    return min(values) if values else None


@dataclass(frozen=True)
class Delay:
    quantile: str
    most: float  # ms over L
    bound: str = ""  # why about as many packets must be later as the quantile leaves,
    bound_most: float = 0  # and ms over L that these must still keep to

    def check(self, setting, figures, scheme):
        value = figures[scheme][self.quantile]
        wanted = f"{spell(self.quantile)} ≤ L + {self.most:g} ms"
        measured = f"{spell(self.quantile)} {over(value)}"
        if self.most < value <= self.bound_most:
            return wanted, f"{measured}; {self.bound}", BOUND
        return wanted, measured, value <= self.most


@dataclass(frozen=True)
class Bytes:
    most: float

    def check(self, setting, figures, scheme):
        value = figures[scheme]["bytes_per_media_byte"]
        return f"≤ {self.most:g}× bytes", f"{value:.3f}×", value <= self.most


@dataclass(frozen=True)
class Below:
    quantile: str
    other: str

    def check(self, setting, figures, scheme):
        wanted = f"{spell(self.quantile)} below {self.other}"
        if self.other not in figures:
            return wanted, f"{self.other} was not measured", None
        mine, other = figures[scheme][self.quantile], figures[self.other][self.quantile]
        return wanted, f"{spell(self.quantile)} {over(mine)}, {over(other)}", mine < other


@dataclass(frozen=True)
class NotAbove:
    quantiles: tuple
    other: object  # a scheme, or several, of which the best counts

    def check(self, setting, figures, scheme):
        several = not isinstance(self.other, str)
        return check_all(setting, figures, scheme, self.quantiles,
                         self.other if several else (self.other,),
                         "not above the best of the others" if several
                         else f"not above {self.other}")


@dataclass(frozen=True)
class NearOther:
    """Near the same scheme's result on another setting, both over their L."""
    quantile: str
    setting: str
    within: float  # ms
    measured: dict = field(repr=False, hash=False, compare=False)  # setting -> scheme -> figures

    def check(self, setting, figures, scheme):
        wanted = f"{spell(self.quantile)} within {self.within:g} ms of {self.setting}"
        other = self.measured.get(self.setting, {}).get(scheme)
        if other is None:
            return wanted, f"{self.setting} was not measured", None
        mine, there = figures[scheme][self.quantile], other[self.quantile]
        return (wanted, f"{spell(self.quantile)} {over(mine)}, there {over(there)}",
                mine <= there + self.within)


@dataclass(frozen=True)
class Half:
    """At most half of the best of the others."""
    quantile: str
    others: tuple

    def check(self, setting, figures, scheme):
        wanted = f"{spell(self.quantile)} at most half of the better of {' and '.join(self.others)}"
        least = best(figures, self.others, self.quantile)
        if least is None:
            return wanted, "no other was measured", None
        mine = figures[scheme][self.quantile]
        return (wanted, f"{spell(self.quantile)} {over(mine)}, {over(least)}",
                mine + setting.one_way <= (least + setting.one_way) / 2)


@dataclass(frozen=True)
class NothingLost:
    def check(self, setting, figures, scheme):
        lost = figures[scheme]["lost"]
        return "nothing lost", f"{lost} lost", lost == 0


@dataclass(frozen=True)
class Rate:
    least: float  # Mbit/s

    def check(self, setting, figures, scheme):
        value = figures[scheme]["media_mbit_s"]
        return f"≥ {self.least:.2f} Mbit/s", f"{value:.2f} Mbit/s", value >= self.least


@dataclass(frozen=True)
class MostOn:
    link: int
    least: float  # share of the bytes

    def check(self, setting, figures, scheme):
        value = figures[scheme].get(f"link_{self.link}_share")
        wanted = f"≥ {100 * self.least:g} % of the bytes on link {self.link + 1}"
        if value is None:
            return wanted, "there was one link", None
        return wanted, f"{100 * value:.1f} %", value >= self.least


@dataclass(frozen=True)
class Recovery:
    """Time from the end of an outage to the first packet sent after it."""
    most: float  # ms

    def check(self, setting, figures, scheme):
        value = figures[scheme].get("recovery_ms", float("inf"))
        return (f"first new packet ≤ {self.most:g} ms after the path is back",
                "never" if value == float("inf") else f"{value:.0f} ms", value <= self.most)


@dataclass(frozen=True)
class NotWorse:
    others: tuple

    def check(self, setting, figures, scheme):
        return check_all(setting, figures, scheme, QUANTILES, self.others,
                         f"never worse than the better of {' and '.join(self.others)}")


def check_all(setting, figures, scheme, quantiles, others, wanted):
    wanted = f"{', '.join(map(spell, quantiles))} {wanted}"
    missing = [other for other in others if other not in figures]
    if missing:
        return wanted, f"{', '.join(missing)} was not measured", None
    bad = [f"{spell(q)} {over(figures[scheme][q])}, not {over(best(figures, others, q))}"
           for q in quantiles
           if worse(figures[scheme][q], best(figures, others, q), setting.one_way)]
    return wanted, "; ".join(bad) or "none is", not bad


@dataclass(frozen=True)
class NearBest:
    others: tuple
    percent: float

    def check(self, setting, figures, scheme):
        wanted = (f"{', '.join(map(spell, QUANTILES))} within {self.percent:g} % of the best that "
                  "fits the budget")
        if not any(other in figures for other in self.others):
            return wanted, "no other was measured", None
        bad = []
        for q in QUANTILES:
            least, mine = best(figures, self.others, q), figures[scheme][q]
            most = (least + setting.one_way) * (1 + self.percent / 100)
            if mine + setting.one_way > most + NOISE_MS:
                bad.append(f"{spell(q)} {over(mine)}, best {over(least)}")
        return wanted, "; ".join(bad) or "all are", not bad


@dataclass(frozen=True)
class Late:
    """Late packets for a playout delay: "10", ms over L, or "static"."""
    playout: str
    percent: float

    def check(self, setting, figures, scheme):
        value = figures[scheme][f"late_{self.playout}"]
        wanted = f"≤ {self.percent:g} % late at {playout_delay(self.playout)}"
        if value is None:
            return wanted, "nothing was measured", None
        return wanted, f"{100 * value:.3f} %", value <= self.percent / 100


@dataclass(frozen=True)
class MosNear:
    """Near the MOS of the same playout delay on a lossless path."""
    playout: str
    within: float

    def check(self, setting, figures, scheme):
        mos, most = (figures[scheme][f"{key}_{self.playout}"] for key in ("mos", "most_mos"))
        wanted = f"MOS at {playout_delay(self.playout)} within {self.within:g} of a lossless path"
        if mos is None:
            return wanted, "nothing was measured", None
        return wanted, f"{mos:.2f} and {most:.2f}", most - mos <= self.within


def playout_delay(name):
    return "L + RTT + 3/f" if name == "static" else f"L + {name} ms"


@dataclass(frozen=True)
class FtpLoss:
    percent: float
    other: str

    def check(self, setting, figures, scheme):
        wanted = f"FTP throughput down ≤ {self.percent:g} % from {self.other}"
        before = figures.get(self.other, {}).get("ftp_mbit_s")
        if not before:
            return wanted, f"{self.other} was not measured", None
        lost = 100 * (1 - figures[scheme]["ftp_mbit_s"] / before)
        return wanted, f"{lost:.1f} %", lost <= self.percent


@dataclass(frozen=True)
class Share:
    within: int  # 200 ms
    least: float

    def check(self, setting, figures, scheme):
        value = figures[scheme][f"within_{self.within}ms"]
        wanted = f"share within {self.within} ms ≥ {self.least:g}"
        return wanted, f"{value:.4f}", value >= self.least


@dataclass(frozen=True)
class Throughput:
    least: float

    def check(self, setting, figures, scheme):
        wanted = f"throughput ≥ {self.least:g} of an unlimited TCP beside it"
        mine, peer = figures[scheme]["media_mbit_s"], figures[scheme]["peer_mbit_s"]
        if not peer:
            return wanted, "the unlimited TCP got nothing through", None
        share = mine / peer
        return wanted, f"{mine:.2f} and {peer:.2f} Mbit/s: {share:.2f}", share >= self.least


@dataclass(frozen=True)
class Opening:
    """Delay of the first packets after a silence."""
    quantile: str
    percent: float  # of the other's delay over L
    other: str

    def check(self, setting, figures, scheme):
        key = f"opening_{self.quantile}"
        wanted = (f"{spell(self.quantile)} − L of the first packets after silence ≤ "
                  f"{self.percent:g} % of that of {self.other}")
        if self.other not in figures:
            return wanted, f"{self.other} was not measured", None
        mine, other = figures[scheme][key], figures[self.other][key]
        return wanted, f"{over(mine)}, {over(other)}", mine <= self.percent / 100 * other

"""Print the detector's error rates and delays beside its peers', as docs/statistics.md shows them.

python benchmarks/detection.py            # everything: about a quarter of an hour on one core
python benchmarks/detection.py --scale 20 # a twentieth of it
"""

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
from detector_peers import Peer, adwin, oracle, page_hinkley, river, threshold_rule
from detector_runs import delays, iid, mixed, sticky
from watch_runs import Days, daily, recoveries

from harness.streams import BASE, HIT, RECIPROCAL, Shares, missed, tilted
from harness.users import ATTRACTIVE, DEPTH, cells_of, dynamic_bayesian, position_based, reciprocal_ranks
from ragauge_service.core.clicks import disagreement, mean_ips_dcg, mean_sdbn_dcg

DROPS = (0.05, 0.10, 0.20, 0.50)
STREAMS = 400
OBSERVATIONS = 20e6
TRAFFICS = ((200, 6, 100), (5_000, 1, 20))
"""Retrievals an hour, minutes between flushes, categories."""
Row = tuple[str, ...]


def show(title: str, head: Row, rows: Iterator[Row]) -> None:
    """Print a table in Markdown, each row as soon as it is known."""
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def false_alarms(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield the false alarms of the detector; 20 are expected at most in 20e6, 31 is the 99 % bound."""
    observations = OBSERVATIONS / scale
    steps = int(observations / STREAMS)

    def row(what: str, alarms: object, seen: float) -> Row:
        return what, str(alarms), f"{seen / 1e6:.1f}", f"{float(str(alarms)) / seen * 1e6:.2f}"

    yield row("independent, MRR@10", iid(rng, STREAMS, steps, RECIPROCAL), observations)
    yield row("independent, hit@10", iid(rng, STREAMS, steps, HIT), observations)
    alarms, phi = sticky(rng, STREAMS, steps, RECIPROCAL)
    yield row(f"half repeat the one before, estimated phi (mean {phi:.2f})", alarms, observations)
    means = np.array([0.4, 0.5, 0.6, 0.7, 0.8])
    tilts = [tilted(float(mean)) for mean in means]
    yield row(
        "global detector, traffic's mix swings weekly", mixed(rng, STREAMS, steps, means, tilts), observations
    )
    for swing in (0.04, 0.08):
        for per_hour, minutes, categories in TRAFFICS:
            found, seen = daily(
                rng,
                Days(categories, swing),
                per_hour=per_hour,
                observations=observations,
                minutes=minutes,
                warm=True,
            )
            what = f"daily swing of ±{swing:.0%}, learned hours, slack 1 %, {per_hour:,}/h"
            for measure in ("MRR@10", "hit@10"):
                alarms = sum(count for name, count in found.items() if name.startswith(f"category {measure}"))
                yield row(f"{what}, {measure}", alarms, seen)


def cold_starts(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield false alarms when nothing was known at first: the first day, and later ones."""
    for swing in (0.0, 0.04, 0.08):
        for per_hour, minutes, categories in TRAFFICS:
            found, seen = daily(
                rng,
                Days(categories, swing),
                per_hour=per_hour,
                observations=OBSERVATIONS / scale,
                minutes=minutes,
                warm=False,
            )
            found = {name: count for name, count in found.items() if name.startswith("category")}
            first = sum(count for name, count in found.items() if name.endswith("first day"))
            yield (
                f"±{swing:.0%}, {per_hour:,}/h",
                f"{seen / categories / per_hour / 24:.1f}",
                str(first),
                str(sum(found.values()) - first),
                f"{2 * seen / 1e6:.1f}",
            )


KINDS = (
    ("MRR@10, tilted", RECIPROCAL, False),
    ("hit@10, misses", HIT, True),
    ("MRR@10, misses", RECIPROCAL, True),
)


def drops_seen(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield the delays of the detector, and of a CUSUM that knows what it looks for."""
    runs = 4_000 // scale
    best = oracle(rng, {drop: tilted(0.6 * (1 - drop)) for drop in DROPS}, runs)
    for name, values, lost in (
        ("MRR@10, tilted", RECIPROCAL, False),
        ("hit@10, misses", HIT, True),
        ("MRR@10, misses", RECIPROCAL, True),
    ):
        for drop in DROPS:
            shares = missed(BASE, drop) if lost else tilted(0.6 * (1 - drop))
            seen = delays(rng, shares, values, runs, 40_000)
            low, median, high = np.percentile(seen.delays, [10, 50, 90])
            yield (
                f"{name}, {drop:.0%}",
                f"{median:,.0f}",
                f"{low:,.0f} to {high:,.0f}",
                "" if lost else f"{best.delays[drop][0]:,.0f}",
                f"{np.median(seen.onsets):+.0f}",
                f"{np.median(abs(seen.onsets)):.0f}",
                str(seen.never),
            )


def peers(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield what others do with the same drops."""
    shares: dict[float, Shares] = {drop: tilted(0.6 * (1 - drop)) for drop in DROPS}

    def row(name: str, peer: Peer) -> Row:
        return (
            name,
            f"{peer.alarms / peer.observations * 1e6:.1f}",
            *(
                f"{median:,.0f}" + (f" ({never:.0%} never)" if never else "")
                for median, never in peer.delays.values()
            ),
        )

    for per_hour, hours in ((200, 250), (1_000, 100), (5_000, 50)):
        rounds = max(10 // scale, 1)
        peer = threshold_rule(rng, per_hour, shares, rounds=rounds, hours=hours)
        yield row(f"`1h mean < 0.9 x baseline for 10m`, {per_hour:,}/h", peer)
    runs = max(400 // scale, 20)
    yield row(
        "river PageHinkley, defaults", river(rng, page_hinkley, shares, calm=2_000_000 // scale, runs=runs)
    )
    yield row("river ADWIN, defaults", river(rng, adwin, shares, calm=2_000_000 // scale, runs=runs))


def recovered(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield how long after a drop's end its alarm clears."""
    for drop in (0.10, 0.20, 0.50):
        found, never = recoveries(rng, 500 // min(scale, 5), drop)
        low, median, high = np.nanpercentile(found, [10, 50, 90])
        yield (
            f"{drop:.0%}",
            f"{median:,.0f}",
            f"{low:,.0f} to {high:,.0f}",
            str(int(np.isnan(found).sum())),
            str(never),
        )


def clicks(rng: np.random.Generator, scale: int) -> Iterator[Row]:
    """Yield what click estimators say of results that attract 19 % less."""
    users = 400_000 // scale
    kinds = {
        "position-based, looks 1/rank": lambda chances: position_based(rng, users, chances),
        "reads on until satisfied (10 %)": lambda chances: dynamic_bayesian(rng, users, chances, 0.1),
        "reads on until satisfied (30 %)": lambda chances: dynamic_bayesian(rng, users, chances, 0.3),
        "reads on until satisfied (70 %)": lambda chances: dynamic_bayesian(rng, users, chances, 0.7),
    }
    for name, kind in kinds.items():
        before, after = kind(ATTRACTIVE), kind(0.81 * ATTRACTIVE)
        cells = cells_of(before), cells_of(after)
        ips = [mean_ips_dcg(part, users, k=DEPTH) for part in cells]
        sdbn = [mean_sdbn_dcg(part, users, k=DEPTH) for part in cells]
        assert all(ips)
        assert all(sdbn)
        means = [(part[0].mean, part[1].mean) for part in (ips, sdbn)]  # type: ignore[union-attr]
        rr = [float(reciprocal_ranks(part).mean()) for part in (before, after)]
        only = [float(reciprocal_ranks(part[part.any(axis=1)]).mean()) for part in (before, after)]
        changes = [pair[1] / pair[0] - 1 for pair in (*means, rr, only)]
        gauge = disagreement(cells[0], users, k=DEPTH)
        yield name, *(f"{change:+.1%}" for change in changes), f"{gauge:+.2f}"


SECTIONS: dict[str, tuple[str, Row, Callable[[np.random.Generator, int], Iterator[Row]]]] = {
    "alarms": (
        "False alarms (A = 1e6)",
        ("stream", "alarms", "million observations", "per million"),
        false_alarms,
    ),
    "cold": (
        "False alarms from a cold start",
        ("swing, traffic", "days", "first day", "later", "million observations, both measures"),
        cold_starts,
    ),
    "delays": (
        "Delays in observations",
        ("drop", "median", "10 to 90 %", "oracle CUSUM", "onset, median", "onset, median distance", "never"),
        drops_seen,
    ),
    "recovery": (
        "Recovery in observations",
        ("drop", "median", "10 to 90 %", "not within 3,000", "no alarm at its end"),
        recovered,
    ),
    "peers": (
        "Peers: false alarms per million observations, median delays in observations",
        ("rule", "false alarms", *(f"{drop:.0%}" for drop in DROPS)),
        peers,
    ),
    "clicks": (
        "Clicks: results that attract 19 % less",
        ("users", "IPS-DCG", "SDBN-DCG", "click-RR", "RR of clicked only", "disagreement"),
        clicks,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=int, default=1, help="divide all sample sizes by this")
    parser.add_argument("--seed", type=int, default=20_261_201)
    parser.add_argument("--only", choices=SECTIONS, nargs="*", default=list(SECTIONS))
    options = parser.parse_args()
    for name in options.only:
        rng, start = np.random.default_rng(options.seed), time.process_time()
        title, head, rows = SECTIONS[name]
        show(title, head, rows(rng, options.scale))
        print(f"\nseed {options.seed}, scale {options.scale}, {time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()

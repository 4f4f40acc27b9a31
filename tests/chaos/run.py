"""Run chaos scenarios again and again and say of each run whether expected = counted, to the event.

``python tests/chaos/run.py --runs 5 --rate 20000 [--pace 4] [--only NAME ...] [--soak MINUTES]``; without
``--only`` the takeover is timed and a soak run too.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import soak  # noqa: E402 - its place is known only now
import takeover  # noqa: E402 - the same
from scenarios import BRANCHES, FAKETIME, SCENARIOS, Plan, play  # noqa: E402 - its place is known only now
from scene import Outcome  # noqa: E402 - the same


def main() -> int:
    """Return 0 when every run was right."""
    options = _options()
    names = options.only or list(SCENARIOS)
    wrong, branches = 0, Counter[str]()
    for name in names:
        if name == "clock-jumped" and FAKETIME is None:
            print(f"{name:24} skipped: libfaketime is not installed", flush=True)  # noqa: T201
            continue
        for number in range(options.runs):
            plan = Plan(options.rate, options.pace, Random(f"{name} {number}"))
            with tempfile.TemporaryDirectory(prefix="ragauge-chaos-") as directory:
                outcome = play(name, Path(directory), plan)
            _print(name, number, outcome)
            wrong += not outcome.right
            branches += outcome.branches
    print("branches:", json.dumps(branches), flush=True)  # noqa: T201
    if options.only:
        return int(wrong > 0)
    wrong += takeover.run(options.runs) + soak.run(options.soak, options.rate / 2)
    silent = [branch for branch in BRANCHES if not branches[branch]]
    if silent:
        print("never seen to fire:", ", ".join(silent))  # noqa: T201
    return 1 if wrong or silent else 0


def _print(name: str, number: int, outcome: Outcome) -> None:
    fired = {branch: count for branch, count in outcome.branches.items() if branch not in {"OK", "ACQUIRED"}}
    notes = {what: round(value, 1) for what, value in outcome.notes.items()}
    silent = f" | silent: {', '.join(sorted(outcome.silent))}" if outcome.silent else ""
    print(  # noqa: T201
        f"{name:24} run {number + 1}: {'right' if outcome.right else 'WRONG ' + outcome.wrong}"
        f" | expected {outcome.expected} counted {outcome.counted} | {outcome.rate:.0f}/s"
        f" | {fired} {notes}{silent}",
        flush=True,
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=20_000.0, help="events a second")
    parser.add_argument("--pace", type=float, default=4.0, help="seconds between blows")
    parser.add_argument("--only", nargs="*", choices=list(SCENARIOS), default=[])
    parser.add_argument("--soak", type=float, default=20.0, help="minutes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

"""Time the measures and the offline command beside pytrec_eval, ir_measures and ranx, in one run.

Ratios above 1 say that ragauge is faster. Peers that are not installed are left out; ranx is not among the
development tools, as it brings a compiler. ``--small`` is a quick look.
"""

import argparse
import importlib.util
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragauge.measures import Judgments, Scorer, by_score

ROOT = Path(__file__).resolve().parents[1]
MEASURES = ("MRR@10", "hit@10", "P@10", "recall@10", "nDCG@10")
TREC = ("recip_rank", "success_10", "P_10", "recall_10", "ndcg_cut_10")
RANX = ("mrr@10", "hit_rate@10", "precision@10", "recall@10", "ndcg@10")
REPEATS = 5

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def generate(queries: int, depth: int, seed: int = 1) -> tuple[Run, Qrels]:
    """Return a run in rank order, and 10 graded judgments a query, about half of them retrieved."""
    rng = random.Random(seed)
    run: Run = {}
    qrels: Qrels = {}
    for number in range(queries):
        docs = [f"doc{doc}" for doc in rng.sample(range(1_000_000), depth + 10)]
        scores = sorted((rng.uniform(0, 30) for _ in range(depth)), reverse=True)
        run[f"q{number}"] = dict(zip(docs[:depth], scores, strict=True))
        found = rng.sample(docs[: min(depth, 20)], 5) + docs[depth : depth + 5]
        qrels[f"q{number}"] = {doc: rng.choice((0, 1, 1, 2, 3)) for doc in found}
    return run, qrels


def best(work: Callable[[], object]) -> float:
    """Return the shortest of some runs, in seconds of the processor: the machine may be shared."""
    times: list[float] = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def in_memory(queries: int, depth: int) -> None:
    """Time five measures over many queries, everything ready on both sides."""
    run, qrels = generate(queries, depth)
    rankings = {query: list(docs) for query, docs in run.items()}
    judged = {query: Judgments(grades) for query, grades in qrels.items()}

    def ours() -> list[Any]:
        scorer = Scorer.of(*MEASURES)  # new each time: no pattern is known yet
        score = scorer.score
        return [score(judged[query], ids)[0].values for query, ids in rankings.items()]

    def ours_from_scores() -> list[Any]:
        score = Scorer.of(*MEASURES).score
        return [score(judged[query], by_score(docs))[0].values for query, docs in run.items()]

    mine, sorting = best(ours), best(ours_from_scores)
    print(f"\nfive measures at 10, {queries} queries, top {depth}: ragauge {1e3 * mine:.1f} ms")
    print(f"  ragauge from scores, sorting too: {1e3 * sorting:.1f} ms")
    for name, theirs in peers(run, qrels).items():
        seconds = best(theirs)
        ratios = f"ratio {seconds / mine:.1f}   (sorting too: {seconds / sorting:.1f})"
        print(f"  {name:<12} {1e3 * seconds:8.1f} ms   {ratios}")


def peers(run: Run, qrels: Qrels) -> dict[str, Callable[[], object]]:
    """Return what each installed peer does with its own objects ready."""
    found: dict[str, Callable[[], object]] = {}
    if importlib.util.find_spec("pytrec_eval"):
        import pytrec_eval  # noqa: PLC0415

        evaluator = pytrec_eval.RelevanceEvaluator(qrels, _names())
        found["pytrec_eval"] = lambda: evaluator.evaluate(run)
    if importlib.util.find_spec("ranx"):
        import ranx  # noqa: PLC0415

        ready = ranx.Qrels(qrels), ranx.Run(run)
        ranx.evaluate(*ready, list(RANX), make_comparable=False)  # compile
        found["ranx"] = lambda: ranx.evaluate(*ready, list(RANX), make_comparable=False)
    return found


def _names() -> set[str]:
    return {"recip_rank", "success.10", "P.10", "recall.10", "ndcg_cut.10"}


def one_at_a_time(queries: int, depth: int) -> None:
    """Time one query at a time, as a live system or a loop over a test set does."""
    import pytrec_eval  # noqa: PLC0415

    run, qrels = generate(queries, depth)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, _names())
    rankings = [(Judgments(qrels[query]), list(docs)) for query, docs in run.items()]
    single = [{query: docs} for query, docs in run.items()]

    def ours() -> None:
        score = Scorer.of(*MEASURES).score
        for judgments, ids in rankings:
            score(judgments, ids)

    mine = best(ours)
    theirs = best(lambda: [evaluator.evaluate(one) for one in single])
    print(
        f"\none query at a time, top {depth}: ragauge {1e6 * mine / queries:.2f} us, "
        f"pytrec_eval {1e6 * theirs / queries:.2f} us, ratio {theirs / mine:.1f}"
    )


def streaming() -> None:
    """Time the worker's scoring: 20 ids, K = 10, cutoffs 1, 3, 5, 10."""
    scorer = Scorer.streaming(10, (1, 3, 5, 10))
    ids = [hash(f"doc{number}") for number in range(20)]
    judgments = Judgments({ids[3]: 1, ids[7]: 2, 5: 1})
    count = 100_000
    seconds = best(lambda: [scorer.score(judgments, ids) for _ in range(count)])
    print(f"\nstreaming, known: {1e6 * seconds / count:.2f} us a retrieval (20 ids, K 10, 4 cutoffs)")


PYTREC = """
import sys, pytrec_eval
with open(sys.argv[2]) as f: qrels = pytrec_eval.parse_qrel(f)
with open(sys.argv[1]) as f: run = pytrec_eval.parse_run(f)
names = {"recip_rank", "success.10", "P.10", "recall.10", "ndcg_cut.10"}
found = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
for name in sorted(next(iter(found.values()))):
    print(name, pytrec_eval.compute_aggregated_measure(name, [q[name] for q in found.values()]))
"""
IR_MEASURES = """
import sys, ir_measures
from ir_measures import RR, Success, P, R, nDCG
qrels, run = ir_measures.read_trec_qrels(sys.argv[2]), ir_measures.read_trec_run(sys.argv[1])
print(ir_measures.calc_aggregate([RR@10, Success@10, P@10, R@10, nDCG@10], qrels, run))
"""
WITHOUT_POLARS = """
import sys
sys.modules["polars"] = None
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "polars" else found(name, *rest)
from ragauge_service.cli import run
sys.exit(run(sys.argv[1:]))
"""


def whole_process(queries: int, depth: int) -> None:
    """Time ``ragauge evaluate`` and its peers from start to end, reading included, and its memory."""
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = (str(path) for path in write(Path(folder), *generate(queries, depth)))
        options = ["evaluate", run, qrels, "--measures", ",".join(MEASURES), "--no-intervals", "--json"]
        commands = {
            "ragauge": [sys.executable, "-m", "ragauge_service", *options],
            "without polars": [sys.executable, "-c", WITHOUT_POLARS, *options],
            "pytrec_eval": [sys.executable, "-c", PYTREC, run, qrels],
            "ir_measures": [sys.executable, "-c", IR_MEASURES, run, qrels],
        }
        times: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
        for _ in range(REPEATS):
            for name, command in commands.items():
                times[name].append(process(command))
    seconds = {name: min(wall for wall, _ in found) for name, found in times.items()}
    peer = min(seconds["pytrec_eval"], seconds["ir_measures"])
    print(f"\nwhole process, a TREC run of {queries * depth} lines with qrels (intervals off):")
    for name, found in times.items():
        memory = max(memory for _, memory in found) // 1024
        ratio = f"ratio to the faster peer {peer / seconds[name]:.2f}"
        print(f"  {name:<15} {seconds[name]:6.2f} s   {memory:5} MB   {ratio}")


def process(command: list[str]) -> tuple[float, int]:
    """Return a process's wall time in seconds and its peak memory in KiB."""
    script = (
        "import json, resource, subprocess, sys, time\n"
        "began = time.perf_counter()\n"
        "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
        "wall = time.perf_counter() - began\n"
        "print(json.dumps([code, wall, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *command], check=True, capture_output=True, text=True
    )
    code, wall, memory = json.loads(done.stdout)
    assert code == 0, done.stderr
    return wall, memory


def write(folder: Path, run: Run, qrels: Qrels) -> tuple[Path, Path]:
    """Write a run and qrels as TREC files, and return where."""
    paths = folder / "run.trec", folder / "qrels"
    with paths[0].open("w") as stream:
        for query, docs in run.items():
            stream.writelines(
                f"{query} Q0 {doc} {rank} {score:.6f} bench\n"
                for rank, (doc, score) in enumerate(docs.items(), 1)
            )
    with paths[1].open("w") as stream:
        for query, grades in qrels.items():
            stream.writelines(f"{query} 0 {doc} {grade}\n" for doc, grade in grades.items())
    return paths


def main() -> int:
    """Run every part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the queries")
    queries = 1_000 if parser.parse_args().small else 10_000
    streaming()
    for depth in (10, 100):
        in_memory(queries, depth)
        one_at_a_time(queries, depth)
    whole_process(queries, 100)
    print(f"\npeak memory of this benchmark: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What the default options cost end to end, beside RocksDB's built-in policies and other options.

Runs the system's db_bench (Debian's rocksdb-tools), which knows nothing of Winnow, with the library
preloaded where Winnow is to build, and prints a table in Markdown: for each workload the operations
a second as a ratio to bloomfilter:10, medians over the repetitions, and what the filters take.
Every repetition runs all policies one after the other, in another order each time, so that all see
the same machine. Needs a build (cmake --preset release) and a machine that does nothing else.

  tools/bench_defaults.py [--keys=N] [--reads=N] [--repetitions=N] [--build=FOLDER] [--work=FOLDER]
                          [--json=FILE] [--only=WORKLOAD[,WORKLOAD]]

Exit status: 0 measured; 1 a run failed, or filters are not those that were asked for; 2 wrong usage.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIVAL = "bloomfilter:10"

# Name, flags of db_bench, WINNOW_POLICY, and the expected kinds of filters.
POLICIES = [
    (RIVAL, [], None, {"builtin-bloom"}),
    ("ribbonfilter:10:0", ["--use_ribbon_filter"], None, {"builtin-bloom", "builtin-ribbon"}),
    ("winnow:10", [], "winnow:10", {"winnow-ribbon", "winnow-bloom"}),
    ("Bloom for flushes", [], "{id=winnow;bits_per_key=10;bloom_before_level=0}",
     {"winnow-ribbon", "winnow-bloom"}),
    ("level_plan=uniform", [], "{id=winnow;bits_per_key=10;level_plan=uniform}",
     {"winnow-ribbon", "winnow-bloom"}),
]

# Name, benchmark that fills the database, and flags.
WORKLOADS = [
    ("sequential load", "fillseq", []),
    ("random load", "fillrandom", []),
    ("partitions", "fillrandom", ["--partition_index_and_filters"]),
    ("level 0 alone", "fillrandom",
     ["--disable_auto_compactions", "--write_buffer_size=4194304",
      "--level0_slowdown_writes_trigger=1000", "--level0_stop_writes_trigger=1000"]),
]
READS = ["readrandom", "readmissing"]


class Failure(Exception):
    """Ends the program with a sentence."""


def run(command, environment):
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, errors="replace", check=False)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stderr[-2000:]}")
    return result.stdout


def measure(arguments, policy, workload, folder):
    """The operations a second of each benchmark, and the filters' bytes, keys and kinds."""
    name, flags, winnow, kinds = policy
    _, fill, workload_flags = workload
    environment = dict(os.environ)
    environment.pop("LD_PRELOAD", None)
    if winnow is not None:
        environment["LD_PRELOAD"] = str(arguments.build / "lib" / "libwinnow_preload.so")
        environment["WINNOW_POLICY"] = winnow
    database = folder / "db"
    shutil.rmtree(database, ignore_errors=True)
    # waitforcompaction would not return if compactions are disabled.
    wait = [] if "--disable_auto_compactions" in workload_flags else ["waitforcompaction"]
    benchmarks = [fill, "flush"] + wait + READS
    output = run(["db_bench", f"--db={database}", "--benchmarks=" + ",".join(benchmarks),
                  f"--num={arguments.keys}", f"--reads={arguments.reads}", "--bloom_bits=10",
                  "--seed=1", "--cache_size=1073741824", "--format_version=5",
                  "--progress_reports=0"] + flags + workload_flags, environment)
    rates = {}
    for benchmark in [fill] + READS:
        found = re.search(rf"^{benchmark}\s*:.*?([0-9]+) ops/sec", output, re.MULTILINE)
        if not found:
            raise Failure(f"db_bench says no operations a second of {benchmark}:\n{output[-2000:]}")
        rates[benchmark] = int(found.group(1))
    inspected = json.loads(run([arguments.build / "bin" / "winnow", "inspect", "--json", database],
                               os.environ))
    filters = [file["filter"] for file in inspected["files"]]
    found_kinds = {filter["kind"] for filter in filters}
    if not found_kinds or not found_kinds <= kinds:
        raise Failure(f"{name}: expected filters {sorted(kinds)}, found {sorted(found_kinds)}")
    return {"rates": rates, "bytes": sum(f["bytes"] for f in filters),
            "keys": sum(f["keys"] for f in filters), "files": len(filters)}


def table(results, arguments):
    names = [policy[0] for policy in POLICIES]
    lines = ["| load | | " + " | ".join(f"`{n}`" if ":" in n else n for n in names) + " |",
             "|---|---|" + "---:|" * len(names)]
    for workload, fill, _ in WORKLOADS:
        if workload not in results:
            continue
        of_policy = results[workload]
        bits = [8 * r[-1]["bytes"] / r[-1]["keys"] for r in (of_policy[n] for n in names)]
        lines.append(f"| {workload} | bits per key | " + " | ".join(f"{b:.2f}" for b in bits) + " |")
        for benchmark in [fill] + READS:
            cells = []
            for name in names:
                # Ratios are computed within a repetition, since the machine's speed varies between
                # repetitions.
                ratios = [mine["rates"][benchmark] / rival["rates"][benchmark]
                          for mine, rival in zip(of_policy[name], of_policy[RIVAL])]
                rate = statistics.median(r["rates"][benchmark] for r in of_policy[name])
                cells.append(f"{rate:,.0f}/s" if name == RIVAL else f"{statistics.median(ratios):.3f}")
            lines.append(f"| | {benchmark} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--reads", type=int, default=300_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--work", type=pathlib.Path, default=None, help="folder for databases; by default a temporary one")
    parser.add_argument("--json", type=pathlib.Path, default=None, help="all figures")
    parser.add_argument("--only", default="", help="workloads: " + ", ".join(w[0] for w in WORKLOADS))
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    chosen = [w for w in WORKLOADS if not arguments.only or w[0] in arguments.only.split(",")]
    if not chosen or min(arguments.keys, arguments.reads, arguments.repetitions) < 1:
        parser.error("expected numbers from 1 on, and workloads among: " + ", ".join(w[0] for w in WORKLOADS))
    results = {}
    try:
        with tempfile.TemporaryDirectory(dir=arguments.work, prefix="winnow-bench-") as folder:
            for repetition in range(arguments.repetitions):
                for workload in chosen:
                    shift = repetition % len(POLICIES)
                    for policy in POLICIES[shift:] + POLICIES[:shift]:
                        print(f"repetition {repetition + 1} of {arguments.repetitions}: {workload[0]}, "
                              f"{policy[0]}", file=sys.stderr)
                        results.setdefault(workload[0], {}).setdefault(policy[0], []).append(
                            measure(arguments, policy, workload, pathlib.Path(folder)))
    except (Failure, OSError) as problem:
        print(f"tools/bench_defaults.py: {problem}", file=sys.stderr)
        return 1
    print(table(results, arguments))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

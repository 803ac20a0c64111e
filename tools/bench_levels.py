#!/usr/bin/env python3
"""What a level plan saves on the same trees, beside RocksDB's built-in policies and uniform filters.

Runs db_bench_ext on 5 million keys at a size ratio of 10, with four levels below level 0, for dynamic and static
level sizes, without files on level 0 and with two, and prints tables in Markdown. All policies of a table are of one
run, of the same keys, trees and lookups. Needs a build (cmake --preset release), 2 GB of disk, and an hour and a half.

  tools/bench_levels.py [--build=FOLDER] [--work=FOLDER] [--results=FOLDER] [--only=NAME[,NAME]] [--print]

--results  where the JSON of each run is written; with --print, read from there instead of measuring again

Exit status: 0 measured; 1 a run failed, or its trees differ; 2 wrong usage.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIVAL = "bloomfilter:10"
DYNAMIC = "--level_compaction_dynamic_level_bytes"
FLAGS = ["--num=5000000", "--value_size=16", "--write_buffer_size=32768", "--target_file_size_base=262144",
         "--max_bytes_for_level_base=147456", "--reads=1000000", "--timed_reads=0"]


def plan(bits, absent_share=None):
    share = "" if absent_share is None else f";absent_share={absent_share}"
    return f"{{id=winnow;bits_per_key={bits}{share}}}"


def uniform(bits):
    return f"{{id=winnow;bits_per_key={bits};level_plan=uniform}}"


# The bits give the memory of the rivals, or at most the false reads of the rival, which has more of them with
# static level sizes.
ABSENT_KEYS = [RIVAL, "ribbonfilter:10", uniform(15.1), plan(15.1), uniform(10.15), plan(10.15), plan(8.2)]
STATIC_ABSENT_KEYS = [RIVAL, plan(8.6)]
FEW_ABSENT_KEYS = [RIVAL, plan(4.2, 0.1), plan(4.7, 0.1), plan(4.7), plan(8), plan(8, 0.1)]
STATIC_FEW_ABSENT_KEYS = [RIVAL, plan(5.7, 0.1)]
FEW_ABSENT = [FEW_ABSENT_KEYS, STATIC_FEW_ABSENT_KEYS]

# Name, tree, flags, policies. The policies of "reads" trees have at most the rival's false reads.
RUNS = [
    ("dyn0", "dynamic sizes, nothing on level 0", [DYNAMIC, "--level0_files=0"], ABSENT_KEYS),
    ("dyn2", "dynamic sizes, two files on level 0", [DYNAMIC, "--level0_files=2"], ABSENT_KEYS),
    ("stat0", "static sizes, nothing on level 0", ["--level0_files=0"], ABSENT_KEYS),
    ("stat2", "static sizes, two files on level 0", ["--level0_files=2"], ABSENT_KEYS),
    ("statreads", "static sizes, again", ["--level0_files=0"], STATIC_ABSENT_KEYS),
    ("dynabs", "dynamic sizes, nothing on level 0", [DYNAMIC, "--level0_files=0"], FEW_ABSENT_KEYS),
    ("statabs", "static sizes, nothing on level 0", ["--level0_files=0"], FEW_ABSENT_KEYS),
    ("statabsreads", "static sizes, again", ["--level0_files=0"], STATIC_FEW_ABSENT_KEYS),
]


class Failure(Exception):
    """Ends the program with a sentence."""


def measure(arguments, flags, policies, result):
    workloads = "readabsent,readpresent" if policies in FEW_ABSENT else "readabsent"
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        command = [str(pathlib.Path(arguments.build) / "bin" / "db_bench_ext"), *FLAGS, *flags,
                   f"--benchmarks={workloads}", f"--policies={','.join(policies)}",
                   f"--db={folder}/trees", f"--json={result}"]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            raise Failure(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")


def reads_a_lookup(policy, absent_share):
    """False reads a lookup, and their number as if all had been counted."""
    rate = 0
    for workload in policy["workloads"]:
        share = absent_share if workload["found"] == 0 else 1 - absent_share
        rate += share * workload["false_positive_block_reads"] / workload["lookups"]
    return rate


def upper_ratio(rate, rival, lookups):
    """The upper end of the 95 % interval of a ratio of two Poisson rates."""
    if rate == 0 or rival == 0:
        return math.inf
    spread = 1.96 * math.sqrt(1 / (rate * lookups) + 1 / (rival * lookups))
    return rate / rival * math.exp(spread)


HEAD = ["tree", "share of absent keys", "policy", "bits per key", "memory", "false reads per lookup", "to Bloom", "at most",
        "blocks from disk per lookup"]


def name_of(policy):
    match = re.fullmatch(r"\{id=winnow;bits_per_key=([0-9.]+)(;level_plan=uniform)?(;absent_share=[0-9.]+)?\}", policy)
    if not match:
        return f"`{policy}`"
    bits, plan_is, share = match.groups()
    return f"`winnow:{bits}`" + (", uniform" if plan_is else "") + (f", `{share[1:]}`" if share else "")


def rows_of(document, tree, policies):
    if not document["trees_agree"]:
        raise Failure("the trees differ")
    absent_share = 0.1 if policies in FEW_ABSENT else 1
    by_name = {policy["policy"]: policy for policy in document["policies"]}
    rival = by_name[RIVAL]
    lookups = rival["workloads"][0]["lookups"]
    rows = []
    rival_rate = reads_a_lookup(rival, absent_share)
    for name in by_name:
        policy = by_name[name]
        rate = reads_a_lookup(policy, absent_share)
        disk = sum(w["data_blocks_read"] / w["lookups"] *
                   (absent_share if w["found"] == 0 else 1 - absent_share) for w in policy["workloads"])
        rows.append([tree, f"{absent_share:g}", name_of(name), f"{policy['filter_bits_per_key']:.2f}",
                     f"{policy['filter_bytes'] / rival['filter_bytes']:.4f}", f"{rate:.6f}", f"{rate / rival_rate:.4f}",
                     f"{upper_ratio(rate, rival_rate, lookups):.4f}", f"{disk:.5f}"])
    return rows


def shape_of(document):
    """Keys by level, and in brackets files."""
    return ", ".join(f"{level['level']}: {level['keys']} ({level['files']})" for level in document["policies"][0]["tree"])


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--work", default=None, help="folder for the databases; the system's by default")
    parser.add_argument("--results", default=None)
    parser.add_argument("--only", default=",".join(run[0] for run in RUNS))
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := set(wanted) - {run[0] for run in RUNS}:
        parser.error(f"there is no run {', '.join(sorted(unknown))}, but {', '.join(run[0] for run in RUNS)}")
    if arguments.print and arguments.results is None:
        parser.error("--print reads what is in --results, which is not given")
    with tempfile.TemporaryDirectory() as temporary:
        results = pathlib.Path(arguments.results or temporary)
        results.mkdir(parents=True, exist_ok=True)
        trees, rows = {}, []
        for name, tree, flags, policies in RUNS:
            if name not in wanted:
                continue
            path = results / f"{name}.json"
            if not arguments.print:
                measure(arguments, flags, policies, path)
            document = json.loads(path.read_text())
            trees[tree] = shape_of(document)
            rows += rows_of(document, tree, policies)
    print(table(["tree", "keys (files) by level"], list(trees.items())), table(HEAD, rows), sep="\n\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError, KeyError) as problem:
        print(f"bench_levels.py: {problem}", file=sys.stderr)
        sys.exit(1)

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
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIVAL = "bloomfilter:10"
DYNAMIC = "--level_compaction_dynamic_level_bytes"
FLAGS = ["--num=5000000", "--value_size=16", "--write_buffer_size=32768", "--target_file_size_base=262144",
         "--max_bytes_for_level_base=147456", "--reads=1000000", "--timed_reads=0", "--trees_at_once=2"]


def plan(bits, absent_share=None):
    share = "" if absent_share is None else f";absent_share={absent_share}"
    return f"{{id=winnow;bits_per_key={bits}{share}}}"


def uniform(bits):
    return f"{{id=winnow;bits_per_key={bits};level_plan=uniform}}"


# The bits are chosen for the memory of the rivals, and for no more false reads than the rival's, which take more of them
# where level sizes are static.
ABSENT_KEYS = [RIVAL, "ribbonfilter:10", uniform(15.1), plan(15.1), uniform(10.15), plan(10.15), plan(8.2)]
STATIC_ABSENT_KEYS = [RIVAL, plan(8.6)]
FEW_ABSENT_KEYS = [RIVAL, plan(4.2, 0.1), plan(4.7, 0.1), plan(4.7), plan(8), plan(8, 0.1)]
STATIC_FEW_ABSENT_KEYS = [RIVAL, plan(5.7, 0.1)]
FEW_ABSENT = [FEW_ABSENT_KEYS, STATIC_FEW_ABSENT_KEYS]

# Name, what it is, flags, policies.
RUNS = [
    ("dyn0", "dynamic level sizes, nothing on level 0", [DYNAMIC, "--level0_files=0"], ABSENT_KEYS),
    ("dyn2", "dynamic level sizes, two files on level 0", [DYNAMIC, "--level0_files=2"], ABSENT_KEYS),
    ("stat0", "static level sizes, nothing on level 0", ["--level0_files=0"], ABSENT_KEYS),
    ("stat2", "static level sizes, two files on level 0", ["--level0_files=2"], ABSENT_KEYS),
    ("statreads", "static level sizes, nothing on level 0, for no more false reads", ["--level0_files=0"],
     STATIC_ABSENT_KEYS),
    ("dynabs", "dynamic level sizes, nothing on level 0", [DYNAMIC, "--level0_files=0"], FEW_ABSENT_KEYS),
    ("statabs", "static level sizes, nothing on level 0", ["--level0_files=0"], FEW_ABSENT_KEYS),
    ("statabsreads", "static level sizes, nothing on level 0, for no more false reads", ["--level0_files=0"],
     STATIC_FEW_ABSENT_KEYS),
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


def table(document, policies):
    if not document["trees_agree"]:
        raise Failure("the trees differ")
    absent_share = 0.1 if policies in FEW_ABSENT else 1
    by_name = {policy["policy"]: policy for policy in document["policies"]}
    rival = by_name[RIVAL]
    lookups = rival["workloads"][0]["lookups"]
    rows = ["| policy | bits a key | memory | false reads a lookup | to Bloom | at most | blocks from disk a lookup |",
            "|---|---:|---:|---:|---:|---:|---:|"]
    rival_rate = reads_a_lookup(rival, absent_share)
    for name in by_name:
        policy = by_name[name]
        rate = reads_a_lookup(policy, absent_share)
        disk = sum(w["data_blocks_read"] / w["lookups"] *
                   (absent_share if w["found"] == 0 else 1 - absent_share) for w in policy["workloads"])
        rows.append(f"| `{name}` | {policy['filter_bits_per_key']:.2f} | "
                    f"{policy['filter_bytes'] / rival['filter_bytes']:.4f} | {rate:.6f} | {rate / rival_rate:.4f} | "
                    f"{upper_ratio(rate, rival_rate, lookups):.4f} | {disk:.5f} |")
    shape = ", ".join(f"{level['level']}: {level['keys']} ({level['files']})" for level in rival["tree"])
    return f"Keys (files) by level: {shape}.\n\n" + "\n".join(rows)


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
        for name, meaning, flags, policies in RUNS:
            if name not in wanted:
                continue
            path = results / f"{name}.json"
            if not arguments.print:
                measure(arguments, flags, policies, path)
            absent = "one lookup of ten asks for an absent key" if policies in FEW_ABSENT else "absent keys"
            print(f"### {meaning}: {absent}\n\n{table(json.loads(path.read_text()), policies)}\n", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError, KeyError) as problem:
        print(f"bench_levels.py: {problem}", file=sys.stderr)
        sys.exit(1)

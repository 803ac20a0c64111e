#!/usr/bin/env python3
"""What lookups read, over sizes and shapes of trees, keys, caches and mixes of lookups, in tables of Markdown.

Runs db_bench_ext under RocksDB's built-in policies and Winnow's, all policies of a table's row in one run, of the same
keys, trees and lookups. Needs a build (cmake --preset release), 6 GB of disk, and half an hour.

  tools/bench_readamp.py [--build=FOLDER] [--work=FOLDER] [--results=FOLDER] [--keys=FILE] [--only=NAME[,NAME]] [--print]

--keys     list of keys for the shapes, plain or LZ4, as tools/demo.sh --long makes of the paths in Debian's packages;
           build/demo/keys.lz4 by default
--results  where the JSON of each run is written; with --print, read from there instead of measuring again
--only     some of the tables: sizes, shapes, caches

Exit status: 0 measured; 1 a run failed; 2 wrong usage.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RIVAL = "bloomfilter:10"
DYNAMIC = "--level_compaction_dynamic_level_bytes"


def uniform(bits):
    return f"{{id=winnow;bits_per_key={bits};level_plan=uniform}}"


# Winnow's bits per key with the false reads of the rival, and with the memory of the rival.
SAME_READS, SAME_MEMORY = 10, 15.1
POLICIES = [RIVAL, "ribbonfilter:10", uniform(SAME_READS), f"winnow:{SAME_READS}",
            uniform(SAME_MEMORY), f"winnow:{SAME_MEMORY}"]
NAMES = {uniform(bits): f"`winnow:{bits}`, uniform" for bits in (SAME_READS, SAME_MEMORY)}

COMMON = ["--timed_reads=0"]
SIZES = [1_000_000, 10_000_000]
SHAPES = [
    ("leveled, static sizes", []),
    ("leveled, dynamic sizes", [DYNAMIC]),
    ("leveled, RocksDB's own compaction", ["--growth=rocksdb", DYNAMIC]),
    ("universal, RocksDB's own compaction", ["--growth=rocksdb", "--compaction_style=1"]),
]
CACHES = [0.01, 0.05, 0.2]
SKEWS = [0, 0.99]
SHARES = [1, 0.5, 0.1]


class Failure(Exception):
    """Ends the program with a sentence."""


class Runner:
    """Runs db_bench_ext, or reads what it wrote before."""

    def __init__(self, arguments, results):
        self.program = str(pathlib.Path(arguments.build) / "bin" / "db_bench_ext")
        self.work = arguments.work
        self.results = results
        self.again = not arguments.print

    def measure(self, name, flags):
        path = self.results / f"{name}.json"
        if self.again:
            with tempfile.TemporaryDirectory(dir=self.work) as folder:
                self.run([*COMMON, *flags, f"--policies={','.join(POLICIES)}", f"--db={folder}/trees", f"--json={path}"])
        return json.loads(path.read_text())

    def run(self, flags):
        ended = subprocess.run([self.program, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            raise Failure(f"{self.program} {' '.join(flags)} ended with {ended.returncode}:\n{ended.stderr[-2000:]}")
        return ended.stdout


def name_of(policy):
    return NAMES.get(policy["policy"], f"`{policy['policy']}`")


def ratio(a, b):
    return "–" if b == 0 else f"{a / b:.3f}"


def rows_of(document, workload):
    """A row for each policy: memory, false reads and disk reads, beside the rival's where the trees agree."""
    rival = document["policies"][0]
    rows = []
    for policy in document["policies"]:
        ours, theirs = policy["workloads"][workload], rival["workloads"][workload]
        agree = document["trees_agree"]
        rows.append([
            name_of(policy),
            f"{policy['filter_bits_per_key']:.2f}",
            f"{ours['files_considered_per_lookup']:.2f}",
            f"{ours['false_positive_block_reads_per_lookup']:.5f}",
            ratio(ours["false_positive_block_reads"], theirs["false_positive_block_reads"]) if agree else "",
            f"{ours['data_blocks_read_per_lookup']:.5f}",
            f"{policy['build_ns_per_key']:.0f}",
        ])
    return rows


HEAD = ["policy", "bits per key", "files", "false reads per lookup", "to Bloom", "blocks from disk per lookup", "ns to build, per key"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def shape_of(document):
    """Keys by level, and in brackets files; of the first policy's tree."""
    levels = document["policies"][0]["tree"]
    return ", ".join(f"{level['level']}: {level['keys']} ({level['files']})" for level in levels)


def print_sizes(runner, _):
    flags = [DYNAMIC, "--level0_files=2", "--value_size=16", "--cache_share=0.05", "--benchmarks=readabsent"]
    for keys in SIZES:
        document = runner.measure(f"size-{keys}", [f"--num={keys}", "--reads=1000000", *flags])
        print(f"### {keys:,} keys, absent ones looked up\n\n{table(HEAD, rows_of(document, 0))}\n\n"
              f"Keys (files) by level: {shape_of(document)}.\n")


def print_shapes(runner, keys):
    """One table for all shapes; where trees differ by policy, false reads are not compared."""
    trees, rows = [], []
    for number, (name, flags) in enumerate(SHAPES):
        document = runner.measure(f"shape-{number}", [f"--keys={keys}", "--reads=1000000", "--cache_share=0.05",
                                                      "--benchmarks=readabsent,readpresent", *flags])
        trees.append([name, str(document["keys"]), shape_of(document)])
        for workload, keys_are in enumerate(["absent", "present"]):
            rows += [[name, keys_are, *row] for row in rows_of(document, workload)]
    print(table(["tree", "keys", "keys (files) by level"], trees), end="\n\n")
    print(table(["tree", "keys looked up", *HEAD], rows), end="\n\n")


def print_caches(runner, _):
    head = ["absent", "skew", "cache", "Bloom: blocks from disk per lookup"]
    for policy in POLICIES[1:]:
        head.append(NAMES.get(policy, f"`{policy}`"))
    disk, wasted = [], []
    for share in SHARES:
        for zipf in SKEWS:
            for cache in CACHES:
                document = runner.measure(f"cache-{share}-{zipf}-{cache}", [
                    "--num=1000000", "--reads=500000", DYNAMIC, f"--zipf={zipf}", f"--cache_share={cache}",
                    f"--absent_lookups={share}"])
                loads = [policy["workloads"][0] for policy in document["policies"]]
                where = [f"{share:g}", "uniform" if zipf == 0 else f"Zipf {zipf}", f"{cache:.0%}"]
                disk.append([*where, f"{loads[0]['data_blocks_read_per_lookup']:.5f}",
                             *[ratio(load["data_blocks_read"], loads[0]["data_blocks_read"]) for load in loads[1:]]])
                wasted.append([*where, f"{loads[0]['false_positive_block_reads_per_lookup']:.5f}",
                               *[ratio(load["false_positive_block_reads"], loads[0]["false_positive_block_reads"])
                                 for load in loads[1:]]])
    print(f"### Blocks from disk, as multiples of Bloom's\n\n{table(head, disk)}\n")
    # Answers of filters do not depend on the cache.
    wasted = [row[:2] + row[3:] for row in wasted if row[2] == f"{CACHES[0]:.0%}"]
    head = ["absent", "skew", "Bloom: false reads per lookup", *head[4:]]
    print(f"### False reads, as multiples of Bloom's\n\n{table(head, wasted)}\n")


TABLES = {"sizes": print_sizes, "shapes": print_shapes, "caches": print_caches}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--work", default=None, help="folder for the databases; the system's by default")
    parser.add_argument("--results", default=None)
    parser.add_argument("--keys", default=str(ROOT / "build" / "demo" / "keys.lz4"))
    parser.add_argument("--only", default=",".join(TABLES))
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if unknown := set(wanted) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}, but {', '.join(TABLES)}")
    if arguments.print and arguments.results is None:
        parser.error("--print reads what is in --results, which is not given")
    if "shapes" in wanted and not arguments.print and not pathlib.Path(arguments.keys).exists():
        parser.error(f"the shapes are of the keys in {arguments.keys}, which is not there: run tools/demo.sh --long, or give --keys")
    with tempfile.TemporaryDirectory() as temporary:
        results = pathlib.Path(arguments.results or temporary)
        results.mkdir(parents=True, exist_ok=True)
        runner = Runner(arguments, results)
        for name in wanted:
            TABLES[name](runner, arguments.keys)
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError, KeyError) as problem:
        print(f"bench_readamp.py: {problem}", file=sys.stderr)
        sys.exit(1)

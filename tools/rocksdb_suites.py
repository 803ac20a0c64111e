#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs RocksDB's own tests and its crash test with Winnow preloaded, and compares them with stock RocksDB.

  tools/rocksdb_suites.py tests     BUILD [--only=REGEX] [--jobs=N] [--json=FILE] [--library=FILE]
  tools/rocksdb_suites.py crashtest BUILD [--only=REGEX] [--jobs=N] [--json=FILE] [--library=FILE]
                                          [--minutes=N] [--seed=N]

BUILD is a build folder of RocksDB, in the debug mode that its tests need, with the shared library:

  cmake -S ROCKSDB -B BUILD -DCMAKE_BUILD_TYPE=Debug -DROCKSDB_BUILD_SHARED=ON -DWITH_GFLAGS=ON -DWITH_TESTS=ON
  cmake --build BUILD --target db_stress $(tools/rocksdb_suites.py list)

FILE is a libwinnow_preload.so for that RocksDB (build/release/lib/libwinnow_preload.so).

tests      runs each program three ways: stock; with `winnow:10` in place of its policies and of none
           ("policy"); and with range filters as well ("ranges"). A test that ends another way than in
           stock RocksDB is run three times more, alone, both ways. One that still differs has a reason in
           REASONS below, or is a fault.
crashtest  runs db_crashtest.py with range filters, a run for each of RUNS below, each of --minutes (15): it
           writes, reads, scans, kills and verifies db_stress. A run that fails is repeated with its seed in
           stock RocksDB.

Prints tables in Markdown, progress on stderr. Exit status: 0 nothing differs but for a reason; 1 something
does; 2 wrong usage, or a program is missing.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICY = {"WINNOW_POLICY": "winnow:10", "WINNOW_ADD": "1"}
WAYS = {"stock": {}, "policy": POLICY, "ranges": {**POLICY, "WINNOW_RANGE_BITS": "15"}}

PROGRAMS = """block_based_table_reader_test column_family_test corruption_test db_basic_test db_bloom_filter_test
    db_compaction_test db_flush_test db_iter_test db_iterator_test db_merge_operator_test db_options_test db_range_del_test
    db_etc2_test db_tailing_iter_test db_with_timestamp_basic_test external_sst_file_basic_test full_filter_block_test
    partitioned_filter_block_test prefix_test repair_test""".split()

# Tests that may end differently than with stock RocksDB: the ways, a pattern of names, and the reason.
REASONS = [
    ({"policy", "ranges"}, r"MultiGetDuplicatesNonEmptyLevel/2$", "the test itself crashes with any filter, RocksDB's Bloom too"),
    ({"policy", "ranges"}, r"^FullFilterBlockTest\.EmptyBuilder$", "a filter of no keys has bytes here, and denies each key"),
    ({"policy", "ranges"}, r"(Context|Mut)\w*FilterPolicy$", "expects the bits per key of the test's own policies"),
    ({"policy", "ranges"}, r"PartitionedMultiGet/\d$", "expects no false read, which its own 20 bits per key give"),
    ({"policy", "ranges"}, r"^DBTest2\.(LastLevelStatistics|PartitionedIndexPrefetchFailure|TestNumPread)$",
     "counts reads, and a filter is one more"),
    ({"ranges"}, r"SstQueryFilter$", "counts seeks that range filters answer"),
    ({"ranges"}, r"FilterNumEntriesCoalesce/\d$", "counts keys, and the empty prefix is one more"),
    ({"ranges"}, r"\.(IterReseek|Blob)/\d$", "prefix mode: no seek past old versions behind SeekToFirst"),
    ({"ranges"}, r"^ReadPathRangeTombstoneTest|RangeTombstoneConversions", "prefix mode: deletions that are read become no range deletions"),
    ({"ranges"}, r"DBIteratorBoundMultiSeek/\d$", "counts blocks that range filters spare"),
    ({"ranges"}, r"^DBRangeDelTest\.(LeftSentinelKeyTestWithNewerKey|TombstoneAcrossFileBoundary)$",
     "counts files, which end at a size that filters are part of"),
]

# Runs of the crash test: name and arguments.
RUNS = [
    ("plain", "blackbox"),
    ("simple", "blackbox --simple"),
    ("families together", "blackbox --cf_consistency"),
    ("transactions", "blackbox --txn"),
    ("optimistic transactions", "blackbox --optimistic_txn"),
    ("recovery with best efforts", "blackbox --test_best_efforts_recovery"),
    ("timestamps, and so no range filters", "blackbox --enable_ts"),
    ("MultiScan", "blackbox --use_multiscan=1"),
    ("universal compaction", "blackbox --compaction_style=1"),
    ("partitions, many scans",
     "blackbox --simple --partition_filters=1 --index_type=2 --iterpercent=40 --readpercent=15"),
    ("killed inside", "whitebox"),
    ("killed inside, simple", "whitebox --simple"),
]
# Further arguments of all runs, without which column families would get no range filters: a prefix extractor
# of their own, which batches compared by prefixes need, or a prefix Bloom filter in memtables.
FOR_RANGES = ["--prefix_size=-1", "--test_batches_snapshots=0", "--memtable_prefix_bloom_size_ratio=0"]

RESULT = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([\w/.]+)")


def environment(way, library, folder):
    result = {name: value for name, value in os.environ.items() if not name.startswith("WINNOW_")}
    result.update(WAYS[way], TEST_TMPDIR=str(folder))
    if WAYS[way]:
        result["LD_PRELOAD"] = str(library)
    return result


def run_tests(program, way, library, names=None):
    """Runs the program's tests, those of names alone if given: a dictionary of names and how each ended."""
    ended = {}
    while True:
        # After a crash, the program is started again without the tests that have ended.
        leave_out = ":".join(ended)
        with tempfile.TemporaryDirectory(prefix="rocksdb_suites.") as folder:
            flags = pathlib.Path(folder, "flags")
            flags.write_text(f"--gtest_filter={':'.join(names) if names else '*'}{'-' + leave_out if ended else ''}\n")
            with open(pathlib.Path(folder, "said"), "w+", encoding="utf-8", errors="replace") as said:
                process = subprocess.Popen([program, f"--gtest_flagfile={flags}"], stdout=said, stderr=subprocess.STDOUT,
                                           stdin=subprocess.DEVNULL, env=environment(way, library, folder), cwd=folder,
                                           start_new_session=True)
                try:
                    process.wait(1800)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                said.seek(0)
                running = None
                for line in said:
                    if match := RESULT.match(line):
                        if match[1] == "RUN":
                            running = match[2]
                        elif match[2] == running:
                            ended[running], running = match[1].lower(), None
        if running is None:
            return ended
        ended[running] = f"killed by {signal.Signals(-process.returncode).name}" if process.returncode < 0 else "exited"


def reason_of(way, name):
    return next((reason for ways, pattern, reason in REASONS if way in ways and re.search(pattern, name)), None)


def differences(program, way, stock, other, library):
    """(name, in stock, with the way, reason) of each test that differs for good."""
    names = sorted(name for name in set(stock) | set(other) if stock.get(name) != other.get(name))
    if not names:
        return []
    seen = {each: [results] + [run_tests(program, each, library, names) for _ in range(3)]
            for each, results in (("stock", stock), (way, other))}

    def ends(each, name):
        return [results.get(name, "not run") for results in seen[each]]

    return [(name, ends("stock", name)[-1], ends(way, name)[-1], reason_of(way, name)) for name in names
            if not set(ends("stock", name)) & set(ends(way, name))]  # skips flaky tests, which end both ways


def try_tests(arguments, pool):
    programs = [arguments.build / name for name in PROGRAMS if re.search(arguments.only, name)]
    missing = [program.name for program in programs if not program.exists()]
    if missing or not programs:
        usage(f"{arguments.build} lacks {', '.join(missing)}" if missing else f"no program matches '{arguments.only}'")
    futures = {(program, way): pool.submit(run_tests, program, way, arguments.library) for program in programs for way in WAYS}
    rows, found = [], []
    print("| program | tests | ok in stock | differ with the policy | differ with range filters |\n|---|---:|---:|---:|---:|")
    for program in programs:
        results = {way: futures[program, way].result() for way in WAYS}
        counts = []
        for way in ("policy", "ranges"):
            here = differences(program, way, results["stock"], results[way], arguments.library)
            counts.append(len(here))
            for name, in_stock, in_this, _ in here:
                print(f"{program.name}: {name}: {in_stock} in stock RocksDB, {in_this} with {way}", file=sys.stderr, flush=True)
            found += [dict(zip(("program", "way", "test", "stock", "here", "reason"), (program.name, way) + each)) for each in here]
        good = sum(how == "ok" for how in results["stock"].values())
        rows.append(dict(program=program.name, tests=len(results["stock"]), ok=good, policy=counts[0], ranges=counts[1]))
        print("| `{program}` | {tests} | {ok} | {policy} | {ranges} |".format(**rows[-1]), flush=True)
    print("\n| test | with | stock | here | reason |\n|---|---|---|---|---|")
    for each in found:
        print("| `{program}`: `{test}` | {way} | {stock} | {here} | {why} |".format(why=each["reason"] or "**none known**", **each))
    return {"programs": rows, "differences": found}, any(each["reason"] is None for each in found)


def crash(way, arguments, seed, name, what):
    """Runs the crash test once: how often db_stress was started, and what it found or None."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"crashtest.{way}."))
    program = folder / "db_stress"
    variables = {**WAYS[way], **({"LD_PRELOAD": str(arguments.library)} if WAYS[way] else {})}
    program.write_text("#!/bin/sh\nexec env " + " ".join(f"'{key}={value}'" for key, value in variables.items()) +
                       f" '{arguments.build / 'db_stress_tool/db_stress'}' \"$@\"\n")
    program.chmod(0o755)
    command = [sys.executable, arguments.source / "tools/db_crashtest.py", *what.split(), *FOR_RANGES, f"--stress_cmd={program}",
               f"--initial_random_seed_override={seed}", f"--duration={arguments.minutes * 60}"]
    if what.startswith("blackbox"):
        command.append("--interval=60")
    said = folder / "said"
    begun = time.monotonic()
    families = 0  # number of families with range filters, from OPTIONS files
    with open(said, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder,
                                   env={**os.environ, "TEST_TMPDIR": str(folder)})
        while (status := process.poll()) is None:
            time.sleep(5)
            for options in folder.glob("rocksdb_crashtest_*/OPTIONS-*"):
                with contextlib.suppress(OSError):  # the file may have been deleted
                    families = max(families, options.read_text(encoding="utf-8").count("prefix_extractor=winnow.range"))
    text = said.read_text(encoding="utf-8", errors="replace")
    starts = text.count("Running db_stress with pid")
    complaint = None
    if status:
        lines = [line for line in text.splitlines() if not line.startswith("Running db_stress") and re.search(r"erification failed|rror|orruption|ssert|Signal|diverged|winnow:", line)]
        complaint = (lines or ["no line says why"])[0][:160]
    elif not families and way == "ranges" and "no range filters" not in name:
        complaint = "no family had range filters"
    print(f"{name}, {way}: {starts} starts in {time.monotonic() - begun:.0f} s: {complaint or 'nothing found'}"
          f"{f'; {said}' if complaint else ''}", file=sys.stderr)
    if not complaint:
        shutil.rmtree(folder)
    return {"starts": starts, "families": families, "complaint": complaint}


def try_crashes(arguments, pool):
    if not (arguments.build / "db_stress_tool/db_stress").exists():
        usage(f"{arguments.build} lacks db_stress_tool/db_stress")
    cache = (arguments.build / "CMakeCache.txt").read_text(encoding="utf-8")
    arguments.source = pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M)[1])

    def one(number):
        name, what = RUNS[number]
        row = {"run": name, "arguments": what, "seed": arguments.seed + number}
        row["ranges"] = crash("ranges", arguments, row["seed"], name, what)
        if row["ranges"]["complaint"]:
            row["stock"] = crash("stock", arguments, row["seed"], name, what)
        return row

    numbers = [number for number, (name, _) in enumerate(RUNS) if re.search(arguments.only, name)]
    if not numbers:
        usage(f"no run matches '{arguments.only}'")
    rows = list(pool.map(one, numbers))
    print("| run | arguments | seed | starts of `db_stress` | families with range filters | found | stock RocksDB |\n"
          "|---|---|---:|---:|---:|---|---|")
    for row in rows:
        print(f"| {row['run']} | `{row['arguments']}` | {row['seed']} | {row['ranges']['starts']} | {row['ranges']['families']} | "
              f"{row['ranges']['complaint'] or 'nothing found'} | "
              f"{(row['stock']['complaint'] or 'nothing found') if 'stock' in row else '–'} |")
    return {"runs": rows}, any("stock" in row and not row["stock"]["complaint"] for row in rows)


def usage(sentence):
    print(f"tools/rocksdb_suites.py: {sentence}; --help says how it is used", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("what", choices=["tests", "crashtest", "list"])
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--only", default="", help="the programs, or runs, whose name has this pattern")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time (one a processor)")
    parser.add_argument("--minutes", type=int, default=15, help="of each run of the crash test (15)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next ones count on (1)")
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build/release/lib/libwinnow_preload.so")
    parser.add_argument("--json", type=pathlib.Path, help="where to write what was found as well")
    arguments = parser.parse_args()
    if arguments.what == "list":
        print(" ".join(PROGRAMS))
        return 0
    if arguments.build is None:
        usage("the build folder of RocksDB is not said")
    arguments.build, arguments.library = arguments.build.resolve(), arguments.library.resolve()
    if not arguments.library.exists():
        usage(f"{arguments.library} is missing: build it with this RocksDB, -DWINNOW_ROCKSDB_ROOT=…, or name it by --library=FILE")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found, bad = (try_tests if arguments.what == "tests" else try_crashes)(arguments, pool)
    if arguments.json:
        arguments.json.write_text(json.dumps({"schema": "winnow.rocksdb_suites/1", **found}, indent=1) + "\n", encoding="utf-8")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

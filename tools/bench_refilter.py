#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `winnow refilter` costs beside a full compaction of the same database.

Fills a database by stock db_bench (values of 400 bytes, RocksDB's Bloom filters of 10 bits a key, three levels), gives
it Winnow's filters by `winnow refilter`, uniform ones, again those of the plan after --prepare, and in the end
compacts it with Winnow. Then a database of many small files. Each command starts without its files in the page cache.
Prints tables in Markdown. Needs a build (cmake --preset release), db_bench, twice the room of the database, and for
20 GB an hour.

  tools/bench_refilter.py [--build=FOLDER] [--work=FOLDER] [--keys=N] [--files=N] [--reads=N]

--keys   keys of the first database, of 16 bytes; 48 million of them are 20 GB
--files  files of the second database, of some 100 keys each; 0: leave it out
--reads  lookups of absent keys that count false reads

Exit status: 0 measured; 1 a command failed; 2 wrong usage.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLAN = "{id=winnow;bits_per_key=10}"
UNIFORM = "{id=winnow;bits_per_key=10;level_plan=uniform}"
DB_BENCH = ["db_bench", "--key_size=16", "--value_size=400", "--compression_type=none", "--bloom_bits=10",
            "--disable_wal", "--open_files=-1", "--max_background_jobs=2"]

OPENINGS = 5


class Failure(Exception):
    """Ends the program with a sentence."""


def forget_pages(folder):
    """Writes the files of a folder back and drops their pages."""
    for path in pathlib.Path(folder).iterdir():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def measure(command):
    """Runs a command to its end: its output, seconds, bytes read and written on disk, greatest memory."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors, \
            subprocess.Popen(command, stdout=output, stderr=errors) as process:
        # Its counters are gone once it is waited for.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - start
        counted = dict(line.split(": ") for line in
                       pathlib.Path(f"/proc/{process.pid}/io").read_text().splitlines())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
        if process.returncode != 0:
            errors.seek(0)
            raise Failure(f"{' '.join(command)}: exit status {process.returncode}\n{errors.read()[-2000:]}")
    return {"text": text, "seconds": seconds, "read": int(counted["read_bytes"]),
            "written": int(counted["write_bytes"]), "memory": usage.ru_maxrss << 10}


class Bench:
    """One database."""

    def __init__(self, build, folder, flags):
        self.tool = str(pathlib.Path(build) / "bin" / "winnow")
        self.folder = str(folder)
        self.flags = [*DB_BENCH, *flags, f"--db={folder}"]

    def db_bench(self, benchmarks, *flags, winnow=False):
        preload = [self.tool, "run", f"--policy={PLAN}", "--"] if winnow else []
        return measure([*preload, *self.flags, f"--benchmarks={benchmarks}", *flags])

    def refilter(self, policy, *flags):
        forget_pages(self.folder)
        result = measure([self.tool, "refilter", self.folder, f"--policy={policy}", "--json", *flags])
        result["json"] = json.loads(result["text"])
        return result

    def opening(self):
        """Median seconds and bytes read of a program that opens the database and reads one key."""
        results = []
        for _ in range(OPENINGS):
            forget_pages(self.folder)
            results.append(self.db_bench("readrandom", "--use_existing_db", "--reads=1", winnow=True))
        return {name: statistics.median(result[name] for result in results) for name in ("seconds", "read")}

    def false_reads(self, reads):
        """False reads a lookup of an absent key, counted by RocksDB."""
        text = self.db_bench("readmissing", "--use_existing_db", f"--reads={reads}", "--statistics",
                             winnow=True)["text"]
        counted = re.search(r"rocksdb\.bloom\.filter\.full\.positive COUNT : (\d+)", text)
        if not counted:
            raise Failure("db_bench --benchmarks=readmissing --statistics printed no tickers of filters")
        return int(counted[1]) / reads


def row(name, result):
    print(f"| {name} | {result['seconds']:.1f} | {result['read'] / 1e6:,.0f} | {result['written'] / 1e6:,.1f} | "
          f"{result['memory'] / (1 << 20):.0f} |", flush=True)


def head(title):
    print(f"\n{title}\n\n| command | seconds | MB read | MB written | MiB of memory |\n|---|---:|---:|---:|---:|")


def one_database(arguments, work):
    bench = Bench(arguments.build, work / "levels", [f"--num={arguments.keys}"])
    bench.db_bench("fillseq,compact")
    bench.db_bench("overwrite,flush,waitforcompaction", "--use_existing_db", f"--writes={arguments.keys // 16}")
    size = sum(path.stat().st_size for path in (work / "levels").glob("*.sst"))
    head(f"{size / 1e9:.1f} GB, {arguments.keys:,} keys, filters of bloomfilter:10 before")
    false_reads = {"bloomfilter:10": bench.false_reads(arguments.reads)}
    first = bench.refilter(PLAN)
    row("`refilter`, the plan", first)
    after_refilter = bench.opening()  # further runs append further ends
    bytes_of = {"bloomfilter:10": first["json"]["filter_bytes_before"],
                "the plan": first["json"]["filter_bytes_after"]}
    false_reads["the plan"] = bench.false_reads(arguments.reads)
    uniform = bench.refilter(UNIFORM)
    row("`refilter`, uniform", uniform)
    bytes_of["uniform"] = uniform["json"]["filter_bytes_after"]
    false_reads["uniform"] = bench.false_reads(arguments.reads)
    row("`refilter --prepare`, the plan", bench.refilter(PLAN, "--prepare"))
    row("`refilter` after it", bench.refilter(PLAN))
    forget_pages(bench.folder)
    compaction = bench.db_bench("compact", "--use_existing_db", winnow=True)
    row("compaction with Winnow", compaction)
    after_compaction = bench.opening()
    print(f"\n`refilter` takes {first['seconds'] / compaction['seconds']:.3f} of the seconds of the compaction and "
          f"writes {first['written'] / compaction['written']:.4f} of its bytes. A program that opens the database and "
          f"reads a key takes {after_refilter['seconds']:.2f} s after it and reads {after_refilter['read'] / 1e6:.0f} MB, "
          f"{after_compaction['seconds']:.2f} s after the compaction, with {after_compaction['read'] / 1e6:.0f} MB "
          f"(medians of {OPENINGS}, cold).")
    print("\n| filters | bytes | false reads of an absent key |\n|---|---:|---:|")
    for name, count in false_reads.items():
        print(f"| {name} | {bytes_of[name]:,} | {count:.5f} |")


def small_files(arguments, work):
    bench = Bench(arguments.build, work / "files",
                  [f"--num={arguments.files * 100}", "--target_file_size_base=26000", "--write_buffer_size=4194304",
                   "--max_bytes_for_level_base=10000000"])
    bench.db_bench("fillrandom,compact")
    files = len(list((work / "files").glob("*.sst")))
    head(f"{files:,} small files")
    row("`refilter --prepare`", bench.refilter(PLAN, "--prepare"))
    row("`refilter` after it", bench.refilter(PLAN))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--work", help="a folder for the databases; a temporary one by default")
    parser.add_argument("--keys", type=int, default=48_000_000)
    parser.add_argument("--files", type=int, default=16_000)
    parser.add_argument("--reads", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        try:
            one_database(arguments, pathlib.Path(work))
            if arguments.files:
                small_files(arguments, pathlib.Path(work))
        except Failure as failure:
            sys.exit(f"tools/bench_refilter.py: {failure}")


if __name__ == "__main__":
    main()

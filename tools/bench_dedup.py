#!/usr/bin/env python3
"""What `winnow dedup` does with generated lines: drops, speed, size, and the same by other programs.

Makes N lines of 20 digits, every fifth of which is one of those before it, and prints a page in
Markdown: at each rate the new lines that were dropped beside the sum of the rates at each insertion,
lines a second (of wall time, and of the time that the processor spent), bits a line and the most
memory; then layouts that are overfilled until drops can be counted; then sort and awk. Needs a build
(cmake --build --preset release) and room for N x 21 bytes; a machine that does nothing else, for the
speed.

  tools/bench_dedup.py [--lines=N] [--others=N] [--repetitions=N] [--build=FOLDER] [--work=FOLDER]

Exit status: 0 all as promised but for the speed; 1 not so, or a run failed; 2 wrong usage.
"""

import argparse
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RATES = ["1e-3", "1e-5", "1e-9"]
MOST_BITS = {"1e-3": 16, "1e-9": 53}
MOST_BESIDE = 32 << 20  # bytes of memory beside the filter
OVERFILLED = ["1e6 1e-9 2.5", "1e6 1e-9 3.5", "1e6 1e-5 2", "1e6 1e-12 3.5"]


def run(command, output=subprocess.DEVNULL):
    """Output of stderr, wall seconds, seconds of the processor and most memory in bytes."""
    started = datetime.datetime.now()
    child = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "LC_ALL": "C"})
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = (datetime.datetime.now() - started).total_seconds()
    if child.returncode != 0:
        sys.exit(f"bench_dedup.py: {command[0]} ended with {child.returncode}: {errors}")
    return errors, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def answer(*command):
    return [float(x) for x in subprocess.run(command, check=True, capture_output=True,
                                             text=True).stdout.split()]


def bytes_of(text):
    number, unit = text.split()
    return float(number) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000_000)
    parser.add_argument("--others", type=int, default=10_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--work", type=pathlib.Path)
    arguments = parser.parse_args()
    tool, lines_tool = (str(arguments.build / "bin" / name) for name in ("winnow", "dedup_lines"))
    good = True
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        file = os.path.join(folder, "lines")
        n = arguments.lines
        with open(file, "wb") as out:
            subprocess.run([lines_tool, "lines", str(n)], stdout=out, check=True)
        distinct = n - n // 5
        print(f"`tools/bench_dedup.py --lines={n}`, {datetime.date.today()}, load "
              f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; medians of "
              f"{arguments.repetitions}. {distinct:,} distinct lines, `--capacity` as many.\n")
        print("| rate | dropped | expected | million lines a second: wall | of a core | bits a line |"
              " memory beside the filter |")
        print("|---|---|---|---|---|---|---|")
        for rate in RATES:
            expected, deviation = answer(lines_tool, "expect", str(distinct), rate)
            walls, cores, memories = [], [], []
            for _ in range(arguments.repetitions):
                errors, wall, core, memory = run(
                    [tool, "dedup", file, f"--capacity={distinct}", f"--rate={rate}"])
                walls.append(wall)
                cores.append(core)
                memories.append(memory)
            new = int(re.search(r"lines, (\d+) new", errors).group(1))
            size = bytes_of(re.search(r", in ([0-9.]+ \w+)$", errors.strip()).group(1))
            dropped, bits = distinct - new, 8 * size / distinct
            beside = max(memories) - size
            right = dropped <= 1 if rate == "1e-9" else abs(dropped - expected) <= 3 * deviation
            good &= right and bits <= MOST_BITS.get(rate, 64) and beside <= MOST_BESIDE
            print(f"| {rate} | {dropped} | {expected:.3g} ± {deviation:.2g} | "
                  f"{n / statistics.median(walls) / 1e6:.1f} | "
                  f"{n / statistics.median(cores) / 1e6:.1f} | {bits:.1f} | "
                  f"{beside / 2**20:.1f} MiB |")
            sys.stdout.flush()
        print("\n| lines, rate, times as many as planned | dropped | expected |")
        print("|---|---|---|")
        for plan in OVERFILLED:
            dropped, expected, deviation = answer(lines_tool, "overfill", *plan.split())
            good &= abs(dropped - expected) <= 3 * deviation + 0.01 * expected
            print(f"| {plan} | {dropped:.0f} | {expected:.1f} ± {deviation:.1f} |")
        sys.stdout.flush()
        n = arguments.others
        print(f"\n| {n:,} lines | seconds: wall | of a core | memory |")
        print("|---|---|---|---|")
        if n != arguments.lines:
            with open(file, "wb") as out:
                subprocess.run([lines_tool, "lines", str(n)], stdout=out, check=True)
        for name, command in [
                ("`winnow dedup`", [tool, "dedup", file, f"--capacity={n}"]),
                ("`sort -u`", ["sort", "-u", "--parallel=1", "-T", folder, file]),
                ("`awk '!s[$0]++'`", ["awk", "!s[$0]++", file])]:
            _, wall, core, memory = run(command)
            print(f"| {name} | {wall:.1f} | {core:.1f} | {memory / 2**20:.0f} MiB |")
            sys.stdout.flush()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

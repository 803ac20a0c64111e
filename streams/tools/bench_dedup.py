#!/usr/bin/env python3
"""What `winnow dedup` does: drops, memory, speed, the same by other programs, and through Redis.

  streams/tools/bench_dedup.py rates [--lines=N]
                                             lines of 20 digits, every fifth of which is one of those
                                             before it, by a pipe: new lines that were dropped beside
                                             the sum of the rates at each insertion, bits a line and
                                             the most memory
  streams/tools/bench_dedup.py overfill
                                             layouts with more lines than planned, until drops can be
                                             counted
  streams/tools/bench_dedup.py speed [--lines=N] [--binaries=WINNOW,...]
                                             of a file of such lines, each program in turn
  streams/tools/bench_dedup.py billion [--lines=N]
                                             a filter for 1e9 lines at 1e-9, and as many of them
  streams/tools/bench_dedup.py others [--file=FILE] [--lines=N]
                                             beside sort and awk, on a list of the machine's own text
  streams/tools/bench_dedup.py redis [--lines=N] [--server=PROGRAM]
                                             without and with append-only persistence
  streams/tools/bench_dedup.py cluster [--lines=N] [--server=PROGRAM] [--repetitions=N]
                                             one server, and clusters of one master, of three, and of
                                             three with a replica each, in turn: lines a second beside
                                             one server's of the same turn, and what each master has

Prints a table in Markdown. Needs a build (cmake --build --preset release); for speeds a machine that
does nothing else, and room for N x 21 bytes; --build=FOLDER and --work=FOLDER say where.

Exit status: 0 all as promised but for the speed; 1 not so, or a run failed; 2 wrong usage.
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
RATES = ["1e-3", "1e-5", "1e-9"]
MOST_BITS = {"1e-3": 16, "1e-9": 53}
MOST_BESIDE = 32 * MIB  # bytes of memory in addition to the filter
OVERFILLED = ["1e7 1e-9 2.5", "1e7 1e-9 3.5", "1e7 1e-5 2", "1e7 1e-12 3.5"]
LINES = {"rates": 100_000_000, "speed": 20_000_000, "billion": 1_250_000_000,
         "others": 10_000_000, "redis": 1_000_000, "cluster": 1_000_000}
SLOTS = 16_384
MOST_UNEVEN = 0.05  # deviation of a master's share from the mean
# Sums a command over the keys of all slots of this server, except plans, which are not bit strings.
SUM_OF_KEYS = """#!lua flags=allow-cross-slot-keys
local sum = 0
for _, key in ipairs(redis.call('KEYS', ARGV[2])) do sum = sum + redis.call(ARGV[1], key) end
return sum"""


def amount(value):
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}"


class Run:
    """A program that has ended: what it wrote to stderr, seconds and memory."""

    def __init__(self, command, stdin=None):
        started = time.monotonic()
        child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "LC_ALL": "C"})
        self.errors = child.stderr.read().strip()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - started
        self.core = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        if child.returncode != 0:
            sys.exit(f"bench_dedup.py: {command[0]} ended with {child.returncode}: {self.errors}")

    def new(self):
        return int(re.search(r"lines, (\d+) new", self.errors).group(1))

    def filter_bytes(self):
        number, unit = re.search(r", in ([0-9.]+) (\w+)", self.errors).groups()
        return float(number) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)


def free_port():
    """Below those that Linux gives to clients, as is the one 10,000 above, which clusters take."""
    while True:
        port = random.randrange(10_000, 22_000)
        with socket.socket() as one, socket.socket() as other:
            try:
                one.bind(("127.0.0.1", port))
                other.bind(("127.0.0.1", port + 10_000))
                return port
            except OSError:
                pass


class Server:
    """One that is started, in a folder of its own, and killed at the end."""

    def __init__(self, program, folder, options):
        self.port = free_port()
        self.folder = os.path.join(folder, str(self.port))
        self.cli = program.replace("-server", "-cli")
        os.mkdir(self.folder)
        self.child = subprocess.Popen(
            [program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--save", "", "--auto-aof-rewrite-percentage", "0", *options],
            stdout=subprocess.DEVNULL)
        self.wait_for("PONG", "ping")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()

    def ask(self, *command):
        return subprocess.run([self.cli, "-p", str(self.port), *command], capture_output=True,
                              text=True, check=False).stdout.strip()

    def wait_for(self, words, *command):
        end = time.monotonic() + 60
        while words not in (answer := self.ask(*command)):
            if self.child.poll() is not None or time.monotonic() > end:
                sys.exit(f"bench_dedup.py: a server does not answer {' '.join(command)} with {words}: "
                         f"{answer}")
            time.sleep(0.02)

    def core(self):
        """Seconds of processors that it took."""
        with open(f"/proc/{self.child.pid}/stat", encoding="ascii") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def start_cluster(stack, program, folder, masters, replicas_each):
    """The servers, masters first, which agree and are in sync."""
    options = ["--appendonly", "no", "--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"]
    nodes = [stack.enter_context(Server(program, folder, options))
             for _ in range(masters * (1 + replicas_each))]
    for i, node in enumerate(nodes):
        node.ask("cluster", "set-config-epoch", str(i + 1))
        if i < masters:
            node.ask("cluster", "addslotsrange", str(SLOTS * i // masters),
                     str(SLOTS * (i + 1) // masters - 1))
        for other in nodes[:i]:
            node.ask("cluster", "meet", "127.0.0.1", str(other.port))
    for node in nodes:
        node.wait_for(f"cluster_known_nodes:{len(nodes)}", "cluster", "info")
    for i, node in enumerate(nodes[masters:]):
        node.wait_for("OK", "cluster", "replicate", nodes[i % masters].ask("cluster", "myid"))
    for i, node in enumerate(nodes):
        node.wait_for("cluster_state:ok", "cluster", "info")
        if i >= masters:
            node.wait_for("master_link_status:up", "info", "replication")
    return nodes


class Bench:
    def __init__(self, arguments):
        self.tool = str(arguments.build / "bin/winnow")
        self.lines_tool = str(arguments.build / "bin/dedup_lines")
        self.n = arguments.lines or LINES.get(arguments.what)
        self.arguments = arguments
        self.good = True

    def answer(self, *words):
        return [float(x) for x in subprocess.run([self.lines_tool, *words], check=True,
                                                 capture_output=True, text=True).stdout.split()]

    def file_of_lines(self, folder):
        path = os.path.join(folder, "lines")
        with open(path, "wb") as out:
            subprocess.run([self.lines_tool, "lines", str(self.n)], stdout=out, check=True)
        return path

    def drops(self, rates):
        """By a pipe, so that no disk has to hold the lines."""
        distinct = self.n - self.n // 5
        print("| rate | dropped | expected | bits a line | filter | memory beside it |\n"
              "|---|---|---|---|---|---|")
        for rate in rates:
            expected, deviation = self.answer("expect", str(distinct), rate)
            with subprocess.Popen([self.lines_tool, "lines", str(self.n)],
                                  stdout=subprocess.PIPE) as lines:
                run = Run([self.tool, "dedup", f"--capacity={distinct}", f"--rate={rate}"],
                          lines.stdout)
                lines.stdout.close()
            dropped, size = distinct - run.new(), run.filter_bytes()
            bits, beside = 8 * size / distinct, run.memory - size
            right = dropped <= 1 if rate == "1e-9" else abs(dropped - expected) <= 3 * deviation
            self.good &= right and bits <= MOST_BITS.get(rate, 64) and beside <= MOST_BESIDE
            print(f"| {rate} | {dropped} | {amount(expected)} ± {amount(deviation)} | {bits:.1f} | "
                  f"{size / MIB:,.0f} MiB | {beside / MIB:.1f} MiB |", flush=True)

    def rates(self):
        self.drops(RATES)

    def billion(self):
        self.drops(["1e-9"])

    def overfill(self):
        print("| lines, rate, times as many as planned | dropped | expected |\n|---|---|---|")
        for plan in OVERFILLED:
            dropped, expected, deviation = self.answer("overfill", *plan.split())
            self.good &= abs(dropped - expected) <= 3 * deviation + 0.01 * expected
            print(f"| {plan} | {dropped:.0f} | {expected:.1f} ± {deviation:.1f} |", flush=True)

    def speed(self):
        """The programs in turn, so that what else happens on the machine hits all of them."""
        distinct = self.n - self.n // 5
        tools = self.arguments.binaries.split(",") if self.arguments.binaries else [self.tool]
        runs = {}
        with tempfile.TemporaryDirectory(dir=self.arguments.work) as folder:
            file = self.file_of_lines(folder)
            for _ in range(self.arguments.repetitions):
                for rate in RATES:
                    for tool in tools:
                        runs.setdefault((rate, tool), []).append(
                            Run([tool, "dedup", file, f"--capacity={distinct}", f"--rate={rate}"]))
        print("| rate | | million lines a second | of a core | fastest |\n|---|---|---|---|---|")
        for (rate, tool), all_of_them in runs.items():
            walls = [run.wall for run in all_of_them]
            cores = [run.core for run in all_of_them]
            name = os.path.basename(tool) if len(tools) > 1 else ""
            print(f"| {rate} | {name} | {self.n / statistics.median(walls) / 1e6:.1f} | "
                  f"{self.n / statistics.median(cores) / 1e6:.1f} | "
                  f"{self.n / min(walls) / 1e6:.1f} |")

    def real_list(self, folder):
        """The first N lines of the text files under /usr and /etc, in the order of their names."""
        path = os.path.join(folder, "list")
        script = ("find /usr/include /usr/lib /usr/share /usr/src /etc -xdev -type f -size -4M "
                  "2>/dev/null | LC_ALL=C sort | tr '\\n' '\\0' | "
                  "xargs -0 grep -hI '' 2>/dev/null | head -n \"$0\" >\"$1\"")
        subprocess.run(["sh", "-c", script, str(self.n), path], check=True)
        return path

    def others(self):
        with tempfile.TemporaryDirectory(dir=self.arguments.work) as folder:
            file = self.arguments.file or self.real_list(folder)
            with open(file, "rb") as text:
                count = sum(part.count(b"\n") for part in iter(lambda: text.read(MIB), b""))
            distinct = int(subprocess.run(["sh", "-c", f"sort -u -T '{folder}' '{file}' | wc -l"],
                                          env={**os.environ, "LC_ALL": "C"}, check=True,
                                          capture_output=True, text=True).stdout)
            print(f"{count:,} lines, {distinct:,} of them different, {os.path.getsize(file):,} "
                  "bytes.\n\n| | seconds | of a core | memory | lines |\n|---|---|---|---|---|")
            for name, command in [
                    ("`winnow dedup --capacity=1e7`", [self.tool, "dedup", file]),
                    ("the same, `--rate=1e-3`", [self.tool, "dedup", file, "--rate=1e-3"]),
                    ("`sort -u`", ["sort", "-u", "--parallel=1", "-T", folder, file]),
                    ("`awk '!s[$0]++'`", ["awk", "!s[$0]++", file])]:
                run = Run(command)
                found = distinct
                if "winnow" in name or "same" in name:
                    found = run.new()
                    self.good &= "1e-3" in name or found == distinct
                print(f"| {name} | {run.wall:.1f} | {run.core:.1f} | {run.memory / MIB:,.0f} MiB | "
                      f"{found:,} |", flush=True)

    def redis(self):
        distinct = self.n - self.n // 5
        server = self.arguments.server
        version = subprocess.run([server, "--version"], check=True, capture_output=True,
                                 text=True).stdout
        print(f"{re.match(r'(.*v=[0-9.]+)', version).group(1)}\n\n"
              "| append-only log | lines a second | the client's core | bytes of log a new line | |\n"
              "|---|---|---|---|---|")
        for log in ["no", "yes"]:
            with tempfile.TemporaryDirectory(dir=self.arguments.work) as folder:
                file = self.file_of_lines(folder)
                with Server(server, folder, ["--appendonly", log]) as started:
                    run = Run([self.tool, "dedup", file, f"--capacity={distinct}",
                               f"--redis=127.0.0.1:{started.port}"])
                logged = sum(path.stat().st_size
                             for path in pathlib.Path(folder).glob("*/appendonlydir/*"))
                self.good &= run.new() >= distinct - 1
                k = re.search(r"k = \d+", run.errors).group()
                print(f"| {log} | {self.n / run.wall:,.0f} | {run.core / run.wall:.0%} | "
                      f"{logged / run.new():.0f} | {k} |", flush=True)

    def cluster(self):
        """Each turn has all of them, so that what else happens on the machine hits all."""
        distinct, program = self.n - self.n // 5, self.arguments.server
        shapes = {"one server": (0, 0), "1 master": (1, 0), "3 masters": (3, 0),
                  "3 masters, 3 replicas": (3, 1)}
        rows = {name: [] for name in shapes}
        shares = {}
        with tempfile.TemporaryDirectory(dir=self.arguments.work) as folder, \
                contextlib.ExitStack() as stack:
            file = self.file_of_lines(folder)
            servers = {name: start_cluster(stack, program, folder, *shape) if shape[0]
                       else [stack.enter_context(Server(program, folder, ["--appendonly", "no"]))]
                       for name, shape in shapes.items()}
            for _ in range(self.arguments.repetitions):
                for name, nodes in servers.items():
                    masters = nodes[:max(1, shapes[name][0])]
                    before = [node.core() for node in nodes]
                    run = Run([self.tool, "dedup", file, f"--capacity={distinct}",
                               "--redis=" + ",".join(f"127.0.0.1:{node.port}" for node in masters)])
                    self.good &= run.new() >= distinct - 1
                    of_cores = [(node.core() - core) / run.wall
                                for node, core in zip(nodes, before)]
                    rows[name].append((self.n / run.wall, run.core / run.wall, sum(of_cores)))
                    shares[name] = [
                        [int(node.ask("eval", SUM_OF_KEYS, "0", command, "winnow-dedup:*[0-9]"))
                         for node in masters] for command in ("STRLEN", "BITCOUNT")]
                    for node in masters:
                        node.ask("flushall")
        print("| | lines a second | beside one server | client's core | servers' cores | "
              "bytes, bits set of a master: beside the mean |\n|---|---|---|---|---|---|")
        one = [speed for speed, _, _ in rows["one server"]]
        for name, turns in rows.items():
            speeds, clients, cores = zip(*turns)
            beside = [speed / other for speed, other in zip(speeds, one)]
            uneven = [max(abs(x * len(of_each) / sum(of_each) - 1) for x in of_each)
                      for of_each in shares[name]]
            self.good &= max(uneven) <= MOST_UNEVEN
            print(f"| {name} | {statistics.median(speeds):,.0f} | {statistics.median(beside):.2f} "
                  f"({min(beside):.2f} to {max(beside):.2f}) | {statistics.median(clients):.0%} | "
                  f"{statistics.median(cores):.0%} | "
                  f"{', '.join(f'{x:.1%}' for x in uneven)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rates", "overfill", "speed", "billion", "others", "redis",
                                         "cluster"])
    parser.add_argument("--lines", type=lambda text: int(float(text)))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--binaries", help="other builds of winnow, by commas")
    parser.add_argument("--file", help="the list for others")
    parser.add_argument("--server", default=shutil.which("redis-server") or "valkey-server")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--work", type=pathlib.Path, help="a folder for files, else the usual one")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    print(f"`streams/tools/bench_dedup.py {' '.join(sys.argv[1:])}`, {datetime.date.today()}, load "
          f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n", flush=True)
    getattr(bench, arguments.what)()
    return 0 if bench.good else 1


if __name__ == "__main__":
    sys.exit(main())

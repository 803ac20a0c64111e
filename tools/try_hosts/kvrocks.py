#!/usr/bin/env python3
"""A part of tools/try_hosts.sh kvrocks: what happens to a cluster, and what is counted.

A cluster of three nodes gets strings, hashes and sorted sets whose values follow from the key and the number of times it
was written, so that each answer is found, missing or wrong. An absent key that is found is wrong, too. The steps:

  written      all is read after it was written; some of it twice
  restarted    the same after a restart, which brings the memtables into files; then `winnow inspect` reads the files, and
               absent keys are looked up
  killed       one node is killed by SIGKILL while it is written to, three times; it must have what it acknowledged
  slots moved  slots go to other nodes, by commands and as raw key-value pairs
  replica      a new node becomes a replica by a full sync, and follows what is written then: without Winnow, with it, and
               with it but without WINNOW_POLICY ("reading")
  backup       a new node without Winnow opens what BGSAVE made
  switched     each node starts with the other setting, is written to, compacts all it has
  and back     each node starts with the first setting again, is written to, compacts all it has

Absent keys are looked up in each node that has a copy of another's files, too: without Winnow it can't use Winnow's
filters.

With two programs unittest, the tests of Kvrocks run first, in the same settings: the same tests must pass.

Small write buffers and files give these small databases the levels of large ones. Nodes keep no old WAL files, so that a
new replica needs a full sync. Other options have Kvrocks's defaults.
"""

import argparse
import binascii
import collections
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SLOTS = 16384
BATCH = 500
PATIENCE = 600  # seconds until a step that waits has failed
OPTIONS = """\
bind 127.0.0.1
cluster-enabled yes
workers 2
db-name tried
migrate-speed 0
migrate-batch-rate-limit-mb 1000
rocksdb.block_cache_size 64
rocksdb.write_buffer_size 2
rocksdb.target_file_size_base 2
rocksdb.max_bytes_for_level_base 8388608
rocksdb.level_compaction_dynamic_level_bytes yes
rocksdb.compression snappy
rocksdb.wal_ttl_seconds 0
rocksdb.wal_size_limit_mb 0
"""
TICKERS = ("block.cache.data.hit", "block.cache.data.miss", "bloom.filter.useful", "bloom.filter.full.positive",
           "bloom.filter.full.true.positive")
NOISE = random.Random(7).randbytes(65536).hex().encode()


class NotAsExpected(Exception):
    pass


class ErrorReply(str):
    pass


class Connection:
    """A client of one node, by RESP."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb", 1 << 16)

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the node closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            length = int(rest)
            if length < 0:
                return None
            data = self.file.read(length + 2)
            if len(data) < length + 2:
                raise ConnectionError("the node closed the connection")
            return data[:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        return ErrorReply(rest.decode()) if kind == b"-" else rest

    def batch(self, commands):
        self.socket.sendall(b"".join(
            b"*%d\r\n" % len(command) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in command) for command in commands))
        return [self.reply() for _ in commands]

    def ask(self, *words):
        (reply,) = self.batch([[word if isinstance(word, bytes) else str(word).encode() for word in words]])
        if isinstance(reply, ErrorReply):
            raise NotAsExpected(f"{' '.join(map(str, words))[:80]}: {reply}")
        return reply

    def info(self, section):
        lines = self.ask("INFO", section).decode().splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def close(self):
        self.file.close()
        self.socket.close()


STARTED = []  # processes, which must end with this one


class Setting(collections.namedtuple("Setting", "name program has_winnow policy")):
    """A program kvrocks, and the policy that it gets."""

    def environment(self):
        variables = {name: value for name, value in os.environ.items() if not name.startswith("WINNOW_")}
        variables["WINNOW_LOG"] = "1"
        if self.policy:
            variables["WINNOW_POLICY"] = self.policy
        return variables


class Node:
    """A process kvrocks and its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        self.id = folder.name.encode().hex().ljust(40, "0")[:40]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        folder.mkdir()
        (folder / "conf").write_text(f"{OPTIONS}port {self.port}\ndir {folder}\nlog-dir {folder}\npidfile {folder}/pid\n")

    def start(self, setting):
        with open(self.folder / "stderr", "wb") as said:
            self.process = subprocess.Popen([setting.program, "-c", self.folder / "conf"], env=setting.environment(),
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        STARTED.append(self.process)
        self.client = wait_for(f"{self.folder.name} serves", self.serves)
        in_force = "in force" in (self.folder / "stderr").read_text(errors="replace")
        if in_force != setting.has_winnow:
            raise NotAsExpected(f"{self.folder}/stderr {'says' if in_force else 'does not say'} that Winnow is in force")

    def serves(self):
        if self.process.poll() is not None:
            raise NotAsExpected(f"{self.folder}: Kvrocks ended with {self.process.returncode}")
        try:
            client = Connection(self.port)
            client.ask("PING")
            return client
        except (OSError, NotAsExpected):
            return None

    def stop(self):
        if self.process is None:
            return
        self.client.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            if self.process.wait(PATIENCE):
                raise NotAsExpected(f"{self.folder}: Kvrocks ended with {self.process.returncode}")
        finally:
            self.process.kill()
            self.process = None

    def wait_until_idle(self):
        def is_idle():
            info = self.client.info("rocksdb")
            return all(info[name] in ("0", "no") for name in (
                "memtable_flush_pending", "num_running_flushes", "compaction_pending", "num_running_compactions", "is_compacting"))
        calm = 0
        while calm < 3:
            wait_for(f"{self.folder.name} is idle", is_idle)
            calm += 1 if is_idle() else -calm
            time.sleep(0.3)


def wait_for(what, condition):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise NotAsExpected(f"after {PATIENCE} s it is not so that {what}")


def string_key(number):
    return b"key:%09d" % number


def value_of(number, version):
    at = number * 7919 % 65536
    return b"%d.%d." % (number, version) + NOISE[at:at + 60]


def slot_of(key):
    return binascii.crc_hqx(key, 0) % SLOTS


class Counts(dict):
    """Answers, missing and wrong."""

    def __init__(self):
        super().__init__(answers=0, missing=0, wrong=0)

    def add(self, answer, expected):
        self["answers"] += 1
        if answer not in expected:
            self["missing" if answer is None else "wrong"] += 1


class Cluster:
    def __init__(self, home, setting, keys):
        self.home = home
        self.keys = keys
        self.random = random.Random(11)
        self.versions = bytearray(keys)  # of strings: how often each was written
        self.uncertain = {}  # of strings: versions that were sent to a node that was killed
        self.nodes = [Node(home / f"node{number}") for number in range(3)]
        self.replica = None  # a node and its master
        self.owner = [min(slot * 3 // SLOTS, 2) for slot in range(SLOTS)]
        self.topology = 0
        for node in self.nodes:
            node.start(setting)
        self.tell_topology()

    def tell_topology(self):
        self.topology += 1
        lines = []
        for number, node in enumerate(self.nodes):
            ranges = ranges_of([slot for slot in range(SLOTS) if self.owner[slot] == number])
            lines.append(f"{node.id} 127.0.0.1 {node.port} master - {ranges}")
        told = list(self.nodes)
        if self.replica:
            node, master = self.replica
            lines.append(f"{node.id} 127.0.0.1 {node.port} slave {master.id}")
            told.append(node)
        for node in told:
            node.client.ask("CLUSTERX", "SETNODEID", node.id)
            node.client.ask("CLUSTERX", "SETNODES", "\n".join(lines), self.topology)

    def each_batch(self, commands, only=None):
        """Yields a node and commands for it; commands are lists of the command's words, whose second is the key."""
        waiting = [[] for _ in self.nodes]
        for item in commands:
            owner = self.owner[slot_of(item[0][1])]
            if only is not None and owner != only:
                continue
            waiting[owner].append(item)
            if len(waiting[owner]) == BATCH:
                yield self.nodes[owner], waiting[owner]
                waiting[owner] = []
        for node, items in zip(self.nodes, waiting):
            if items:
                yield node, items

    def write(self, commands):
        for node, items in self.each_batch((command, None) for command in commands):
            for reply in node.client.batch([command for command, _ in items]):
                if isinstance(reply, ErrorReply):
                    raise NotAsExpected(f"a write: {reply}")

    def write_strings(self, numbers):
        def commands():
            for number in numbers:
                self.versions[number] += 1
                yield [b"SET", string_key(number), value_of(number, self.versions[number])]
        self.write(commands())

    def write_all(self):
        # This order is neither that of keys nor that of slots.
        self.write_strings(number * 611953 % self.keys for number in range(self.keys))
        self.write([b"HSET", b"hash:%d" % number] + [word for field in range(5) for word in (b"f%d" % field, value_of(number, field))]
                   for number in range(self.keys // 100))
        self.write([b"ZADD", b"zset:%d" % number] + [word for member in range(5) for word in (b"%d" % (number + member), b"m%d" % member)]
                   for number in range(self.keys // 100))
        self.write_some()

    def write_some(self):
        self.write_strings(self.random.sample(range(self.keys), self.keys // 20))

    def lookups(self):
        """Yields commands with the answers that are right."""
        for number in range(self.keys):
            sent = self.uncertain.get(number, ())
            yield [b"GET", string_key(number)], [value_of(number, version) for version in (self.versions[number], *sent)]
            if number % 20 == 0:
                yield [b"GET", string_key(number) + b"-"], (None,)
        for number in range(self.keys // 100):
            for field in range(5):
                yield [b"HGET", b"hash:%d" % number, b"f%d" % field], (value_of(number, field),)
                yield [b"ZSCORE", b"zset:%d" % number, b"m%d" % field], (b"%d" % (number + field),)
            yield [b"HGET", b"hash:%d" % number, b"none"], (None,)
            yield [b"ZSCORE", b"zset:%d" % number, b"none"], (None,)

    def check(self, counts, only=None, client=None):
        """Reads all, or what one node has; from another client, if one is given."""
        for node, items in self.each_batch(self.lookups(), only):
            for reply, (_, right) in zip((client or node.client).batch([command for command, _ in items]), items):
                counts.add(reply, right)

    def restart(self, setting):
        for node in self.nodes:
            node.stop()
            node.start(setting)

    def compact(self):
        for node in self.nodes:
            node.client.ask("COMPACT")
            time.sleep(0.5)
            node.wait_until_idle()

    def count_absent(self, absent):
        """Data blocks read for keys that were never written, by INFO, and tickers by STATISTICS of the LOG."""
        for node in self.nodes:
            node.wait_until_idle()
        tickers = self.tickers()
        result = self.count_blocks(absent)
        result["tickers"] = {name: number - tickers[name] for name, number in self.tickers().items()}
        return result

    def count_blocks(self, absent, only=None, copy=None):
        """The data blocks alone; of those keys that one node has, if it is given, and read from a copy of its files."""
        nodes = [copy] if copy else self.nodes

        def data_blocks():
            infos = [node.client.info("rocksdb") for node in nodes]
            return sum(int(info["block_cache_data_hit"]) + int(info["block_cache_data_miss"]) for info in infos)
        stride = max(1, self.keys // absent)
        wanted = ([b"GET", b"%s%d" % (string_key(number * stride % self.keys), number * stride // self.keys)] for number in range(absent))
        before, asked, found = data_blocks(), 0, 0
        for node, items in self.each_batch(((command, None) for command in wanted), only):
            asked += len(items)
            found += sum(reply is not None for reply in (copy or node).client.batch([command for command, _ in items]))
        return {"absent": asked, "found": found, "data_blocks": data_blocks() - before}

    def tickers(self):
        """Sums of RocksDB's tickers over the nodes, of the LOG."""
        sums = collections.Counter()
        for node in self.nodes:
            log = node.folder / "db" / "LOG"
            begin = log.stat().st_size
            dumped = lambda: re.findall(r"rocksdb\.(\S+) COUNT : (\d+)(?=[^\0]*rocksdb\.compaction\.times\.micros)",
                                        log.read_bytes()[begin:].decode(errors="replace"))
            node.client.ask("CONFIG", "SET", "rocksdb.stats_dump_period_sec", 1)
            lines = dict(wait_for("the LOG has STATISTICS", dumped))
            node.client.ask("CONFIG", "SET", "rocksdb.stats_dump_period_sec", 0)
            for name in TICKERS:
                sums[name] += int(lines[name])
        return sums

    def inspect(self, tool):
        """Filters by column family, kind and level."""
        sums = {}
        for node in self.nodes:
            done = subprocess.run([tool, "inspect", node.folder / "db", "--json"], capture_output=True, check=False)
            if done.returncode:
                raise NotAsExpected(f"winnow inspect {node.folder}/db ended with {done.returncode}: {done.stderr.decode()[:300]}")
            for file in json.loads(done.stdout)["files"]:
                if file["error"]:
                    raise NotAsExpected(f"winnow inspect {file['path']}: {file['error']}")
                levels = sums.setdefault(file["column_family"], {}).setdefault(file["filter"]["kind"], {})
                level = levels.setdefault(file["level"], dict.fromkeys(("files", "entries", "keys", "bytes", "partitions"), 0))
                level["files"] += 1
                level["entries"] += file["entries"]
                for name in ("keys", "bytes", "partitions"):
                    level[name] += file["filter"][name] or 0
        return sums

    def kill_in_writes(self, number, setting, counts):
        node = self.nodes[number]
        mine = [key for key in range(self.keys) if self.owner[slot_of(string_key(key))] == number]
        timer = threading.Timer(1.0 + self.random.random(), node.process.kill)
        timer.start()
        try:
            while True:
                keys = self.random.sample(mine, 100)
                sent = {key: self.versions[key] + 1 for key in keys}
                commands = [[b"SET", string_key(key), value_of(key, version)] for key, version in sent.items()]
                node.client.socket.sendall(b"".join(b"*3\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in command)
                                                    for command in commands))
                for key in keys:
                    self.uncertain[key] = (sent[key],)
                for key in keys:
                    reply = node.client.reply()
                    if reply != b"OK":
                        raise NotAsExpected(f"a write: {reply}")
                    self.versions[key] = sent[key]
                    del self.uncertain[key]
        except OSError:
            pass
        timer.join()
        node.process.wait()
        node.client.close()
        node.start(setting)
        self.check(counts, only=number)
        # A string may have either version; after the next write it has a known one again.
        again = list(self.uncertain)
        for key in again:
            self.versions[key] = self.uncertain.pop(key)[0]
        self.write_strings(again)

    def move_slots(self, source, target, how, share):
        """Moves a share of the source's slots, and tells all nodes."""
        slots = [slot for slot in range(SLOTS) if self.owner[slot] == source]
        slots = slots[:len(slots) // share]
        node = self.nodes[source]
        node.client.ask("CONFIG", "SET", "migrate-type", how)
        for moved in ranges_of(slots).split():
            node.client.ask("CLUSTERX", "MIGRATE", moved, self.nodes[target].id, "sync")
            self.topology += 1
            for each in self.nodes:
                each.client.ask("CLUSTERX", "SETSLOT", moved, "NODE", self.nodes[target].id, self.topology)
        for slot in slots:
            self.owner[slot] = target
        return len(slots)

    def add_replica(self, number, setting, counts, absent):
        master = self.nodes[number]
        node = Node(self.home / f"replica_{setting.name}")
        node.start(setting)
        syncs = int(master.client.info("stats")["sync_full"])
        self.replica = node, master
        self.tell_topology()
        follows = lambda: node.client.info("replication").get("master_link_status") == "up"
        wait_for("the replica follows", follows)
        if int(master.client.info("stats")["sync_full"]) == syncs:
            raise NotAsExpected("the replica came without a full sync")
        self.write_some()
        end = master.client.info("replication")["master_repl_offset"]
        wait_for("the replica has all", lambda: follows() and node.client.info("replication")["slave_repl_offset"] == end)
        node.client.ask("READONLY")
        self.check(counts, only=number, client=node.client)
        node.wait_until_idle()
        blocks = self.count_blocks(absent, only=number, copy=node)
        self.replica = None
        self.tell_topology()
        node.stop()
        return blocks

    def open_backup(self, number, setting, counts, absent):
        master = self.nodes[number]
        master.client.ask("BGSAVE")
        wait_for("BGSAVE is done", lambda: master.client.info("persistence")["bgsave_in_progress"] == "0"
                 and (master.folder / "backup" / "CURRENT").exists())
        node = Node(self.home / "backup_opened")
        shutil.copytree(master.folder / "backup", node.folder / "db")
        node.start(setting)
        node.client.ask("CLUSTERX", "SETNODEID", node.id)
        node.client.ask("CLUSTERX", "SETNODES", f"{node.id} 127.0.0.1 {node.port} master - 0-{SLOTS - 1}", 1)
        self.check(counts, only=number, client=node.client)
        blocks = self.count_blocks(absent, only=number, copy=node)
        node.stop()
        return blocks


def ranges_of(slots):
    ranges = []
    for slot in slots:
        if ranges and ranges[-1][1] == slot - 1:
            ranges[-1][1] = slot
        else:
            ranges.append([slot, slot])
    return " ".join(f"{first}-{last}" for first, last in ranges)


def try_setting(home, setting, other, settings, arguments):
    steps = {}
    result = {"setting": setting.name, "policy": setting.policy, "steps": steps}

    def step(name):
        say(f"{setting.name}: {name}")
        return steps.setdefault(name, Counts())

    home.mkdir()
    cluster = Cluster(home, setting, arguments.keys)
    counts = step("written")
    cluster.write_all()
    cluster.check(counts)
    counts = step("restarted")
    cluster.restart(setting)
    cluster.check(counts)
    result["absent"] = cluster.count_absent(arguments.absent)
    result["filters"] = cluster.inspect(arguments.tool)
    counts = step("killed")
    for _ in range(3):
        cluster.kill_in_writes(1, setting, counts)
    counts = step("slots moved")
    result["slots_moved"] = [cluster.move_slots(0, 1, "redis-command", 10), cluster.move_slots(1, 2, "raw-key-value", 10)]
    cluster.check(counts)
    copies = result["copies"] = {}
    for each in settings:
        name = f"replica, {each.name}"
        copies[name] = cluster.add_replica(0, each, step(name), arguments.absent)
    copies["backup, without"] = cluster.open_backup(0, settings[0], step("backup, without"), arguments.absent)
    cluster.nodes[0].wait_until_idle()
    copies["their master"] = cluster.count_blocks(arguments.absent, only=0, copy=cluster.nodes[0])
    for name, each in (("switched", other), ("and back", setting)):
        counts = step(name)
        cluster.restart(each)
        cluster.check(counts)
        cluster.write_some()
        cluster.compact()
        cluster.check(counts)
        result[f"{name}: absent"] = cluster.count_absent(arguments.absent)
        result[f"{name}: filters"] = cluster.inspect(arguments.tool)
    for node in cluster.nodes:
        node.stop()
    return result


def run_tests(home, setting):
    """Runs Kvrocks's own tests, and returns results by name; a test without one ended the process."""
    folder = home / f"tests_{setting.name}"
    folder.mkdir()
    with open(folder / "said", "wb") as said, open(folder / "stderr", "wb") as stderr:
        subprocess.run([setting.program], cwd=folder, env=setting.environment(), stdin=subprocess.DEVNULL, stdout=said, stderr=stderr, check=False)
    if ("in force" in (folder / "stderr").read_text(errors="replace")) != setting.has_winnow:
        raise NotAsExpected(f"{folder}/stderr {'does not say' if setting.has_winnow else 'says'} that Winnow is in force")
    text = (folder / "said").read_text(errors="replace")
    begun = re.findall(r"^\[ RUN +\] (\S+)$", text, re.M)
    ended = re.findall(r"^\[ +(OK|FAILED|SKIPPED) +\] ([^ ,]+).* \(\d+ ms\)$", text, re.M)
    return dict.fromkeys(begun, "NONE") | {name: result for result, name in ended}


def try_tests(home, settings):
    """Prints the results of Kvrocks's own tests by setting; returns whether they are the same in each."""
    print("| setting | its own tests | passed | failed | skipped | without a result |")
    print("|---|---:|---:|---:|---:|---:|")
    first, differences = None, []
    for setting in settings:
        say(f"{setting.name}: its own tests")
        results = run_tests(home, setting)
        first = first or results
        sums = collections.Counter(results.values())
        print(f"| {setting.name} | {len(results)} | {sums['OK']} | {sums['FAILED']} | {sums['SKIPPED']} | {sums['NONE']} |", flush=True)
        differences += [f"{setting.name}: {name}: {results.get(name)}, {settings[0].name}: {first.get(name)}"
                        for name in sorted(first.keys() | results.keys()) if results.get(name) != first.get(name)]
    print()
    for name, result in first.items():
        if result in ("FAILED", "NONE"):
            print(f"{settings[0].name} Winnow, {result}: {name}")
    for line in differences:
        print(f"differs: {line}")
    print(f"{len(differences)} results of its own tests differ.\n", flush=True)
    return not differences and "OK" in first.values()


def say(what):
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


def sums_of(filters):
    """Kinds of filters, and sums over families, kinds and levels; of files with filters."""
    kinds, sums = set(), collections.Counter()
    for family in filters.values():
        for kind, levels in family.items():
            if kind == "none":
                continue
            kinds.add(kind)
            for level in levels.values():
                sums.update(level)
    return ", ".join(sorted(kinds)), sums


def print_tables(results):
    print("| setting | when | filters | files | keys | filter bytes | bits per key | absent keys | data blocks read |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    for result in results:
        for when in ("", "switched: ", "and back: "):
            absent = result[f"{when}absent"]
            kinds, sums = sums_of(result[f"{when}filters"])
            print(f"| {result['setting']} | {when[:-2] or 'restarted'} | {kinds} | {sums['files']} | {sums['keys']:,} | {sums['bytes']:,} | "
                  f"{8 * sums['bytes'] / sums['keys']:.2f} | {absent['absent']:,} | {absent['data_blocks']:,} |")
    print("\n| copy of a node's files | absent keys | " + " | ".join(f"{result['setting']}: data blocks read" for result in results) + " |")
    print("|---|---:|" + "---:|" * len(results))
    for name, copy in results[0]["copies"].items():
        print(f"| {name} | {copy['absent']:,} | " + " | ".join(f"{result['copies'][name]['data_blocks']:,}" for result in results) + " |")
    print()
    print("| step | " + " | ".join(f"{result['setting']}: answers | missing | wrong" for result in results) + " |")
    print("|---|" + "---:|---:|---:|" * len(results))
    for name in results[0]["steps"]:
        cells = [f"{counts['answers']:,} | {counts['missing']} | {counts['wrong']}" for counts in (result["steps"][name] for result in results)]
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("without")
    parser.add_argument("with_winnow")
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--absent", type=int, default=200_000)
    parser.add_argument("--policy", default="winnow:10")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    without = Setting("without", arguments.without, False, None)
    with_winnow = Setting("with", arguments.with_winnow, True, arguments.policy)
    reading = Setting("reading", arguments.with_winnow, True, None)
    for setting in (without, with_winnow):
        version = subprocess.run([setting.program, "-v"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"{setting.name} Winnow: {version}", flush=True)
    home = pathlib.Path(tempfile.mkdtemp(prefix="try_hosts."))
    settings = without, with_winnow, reading
    results = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        same = not arguments.tests or try_tests(home, [setting._replace(program=arguments.tests[setting.has_winnow]) for setting in settings])
        for setting, other in ((without, with_winnow), (with_winnow, without)):
            results.append(try_setting(home / setting.name, setting, other, settings, arguments))
            if not arguments.keep:
                shutil.rmtree(home / setting.name)
    except (NotAsExpected, OSError, subprocess.SubprocessError) as problem:
        print(f"NOT AS EXPECTED: {problem}; the folders of the nodes are in {home}", file=sys.stderr)
        return 1
    finally:
        for process in STARTED:
            process.kill()
        if arguments.json:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    print_tables(results)
    bad = sum(counts["missing"] + counts["wrong"] for result in results for counts in result["steps"].values())
    bad += sum(copy["found"] for result in results for copy in result["copies"].values())
    bad += sum(result[f"{when}absent"]["found"] for result in results for when in ("", "switched: ", "and back: "))
    if same and not arguments.keep:
        shutil.rmtree(home)
    elif not same:
        print(f"\nWhat the tests said is in {home}/tests_*/said.")
    print(f"\n{bad} answers missing or wrong.")
    return 1 if bad or not same else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes C++ sources in one small place at a time and tells which tests notice it.

    tools/mutants.py --target=NAME … --test=[NAME=]COMMAND … [--number=N] [--seed=N]
                     [--commit=COMMIT] [--work=DIR] [--timeout=SECONDS] [--json=FILE]
                     FILE|FOLDER …

    tools/mutants.py --number=15 --target=winnow_stress --target=model_test \\
        --test='stress=tests/winnow_stress --folder=/tmp/stress --lives=1 --sessions=2 --nokill' \\
        --test=model=tests/model_test src/rocksdb/bits_reader.cc src/core

A mutant has one operator turned (< into <=, + into -, && into ||, == into !=), an integer greater
by one, an if's condition negated, true for false, or a statement left out. --number of them, 20
without it, are chosen at random by --seed from all that the FILEs and FOLDERs have; equal sources
and seeds give equal mutants, so that two commits can be compared.

Sources of --commit (HEAD) are checked out and built in --work (build/mutants), so the tree that it
starts in is never changed; the file there is written back after every mutant. The --targets are
built with the preset release, and the --tests are shell commands that start in its build folder: a
mutant is dead if one ends with another status than 0 or takes --timeout (300) seconds. All of them
have to pass before the first mutant. What is known is kept in --work: the same command goes on
where it was stopped. It takes a build of the changed files and all tests for each mutant. In the
end `git worktree remove --force` DIR/tree. WERROR in the environment would make more mutants
"not compiled": a statement that is left out may leave a name unused.

Prints a line a mutant: its place, what became what, and the tests that it died in, "lives", or "not
compiled". Ends with 0 if none lives, 1 if one does, 2 if the tests fail without mutants.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
          "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "<<": ">>", ">>": "<<",
          "+=": "-=", "-=": "+=", "true": "false", "false": "true"}
# Binary operators have spaces on both sides (clang-format), unlike template brackets.
OPERATOR = re.compile(r"(?<= )(?:[<>=!]=|&&|\|\||<<|>>|[-+]=|[-+*/<>])(?= )|\b(?:true|false)\b")
INTEGER = re.compile(r"(?<![\w.'])\d+(?=[uU]?(?:ll?|LL?)?\b)(?![.'\w]*[.'xX])")
STATEMENT = re.compile(r"^ +((?:[\w.\[\]*]|->|::)+(?:\(.*\)| [-+*/|&^]?= .*|\+\+);)$")
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
LEFT_ALONE = re.compile(r"^\s*(?:#|using |template|static_assert|return;|enum |namespace )|operator")


def places(text):
    """(offset, length, replacement) of each mutant of a source; what is hidden keeps its length."""
    hidden = HIDDEN.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), text)
    start = 0
    for line in hidden.split("\n"):
        if not LEFT_ALONE.search(line):
            for match in OPERATOR.finditer(line):
                yield start + match.start(), len(match.group()), TURNED[match.group()]
            for match in INTEGER.finditer(line):
                yield start + match.start(), len(match.group()), str(int(match.group(), 10) + 1)
            condition = re.search(r"\bif \(", line)
            if condition and ";" not in line[condition.end():].split(") ")[0]:
                yield start + condition.end(), 0, "!"  # mutate() adds the closing parenthesis
            statement = STATEMENT.match(line)
            if statement and not statement[1].startswith("return"):
                yield start + statement.start(1), len(statement[1]), ";"
        start += len(line) + 1


def mutate(text, offset, length, replacement):
    if length > 0:
        return text[:offset] + replacement + text[offset + length:]
    depth, end = 1, offset
    while depth > 0:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return text[:offset] + "!(" + text[offset:end] + text[end - 1:]


def choose(tree, folders, number, seed):
    """As many mutants as asked for: (file, line, what it was, what it is, offset, length, text)."""
    files = subprocess.run(["git", "ls-files", "--"] + folders, cwd=tree, check=True,
                           capture_output=True, text=True).stdout.split()
    found = []
    for name in sorted(name for name in files if name.endswith((".cc", ".h"))):
        text = (tree / name).read_text()
        for offset, length, replacement in places(text):
            line_end = text.find("\n", offset)
            was = text[offset:offset + length] or "if (" + text[offset:line_end].rstrip(" {")
            found.append({"file": name, "line": text.count("\n", 0, offset) + 1, "was": was,
                          "is": replacement, "offset": offset, "length": length})
    return random.Random(seed).sample(found, min(number, len(found)))


def run(command, folder, timeout, log):
    """The status of a shell command, whose processes all end with it; 124 after the time."""
    process = subprocess.Popen(command, shell=True, cwd=folder, stdout=log, stderr=log,
                               start_new_session=True)
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return 124
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


class Trial:
    """A checked out commit, its build, and what is known of mutants there."""

    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work).absolute()
        self.work.mkdir(parents=True, exist_ok=True)
        self.tree = self.work / "tree"
        self.log = open(self.work / "log", "a", encoding="utf-8")
        commit = subprocess.run(["git", "rev-parse", options.commit + "^{commit}"], check=True,
                                capture_output=True, text=True).stdout.strip()
        if self.tree.exists():
            subprocess.run(["git", "checkout", "-q", "-f", commit], cwd=self.tree, check=True)
        else:
            subprocess.run(["git", "worktree", "add", "-q", "--detach", str(self.tree), commit],
                           check=True)
        self.tests = {}
        for number, test in enumerate(options.test):
            name = re.match(r"(\w+)=", test)
            self.tests[name[1] if name else f"test{number + 1}"] = test[name.end() if name else 0:]
        asked = json.dumps([commit, self.tests, options.target])
        self.known_path = self.work / (hashlib.sha256(asked.encode()).hexdigest()[:16] + ".json")
        self.known = json.loads(self.known_path.read_text()) if self.known_path.exists() else {}
        setup = f"cmake --preset release && {self.build_command()}"
        if run(setup, self.tree, None, self.log) != 0:
            sys.exit(f"tools/mutants.py: the commit does not build, see {self.work}/log")

    def build_command(self):
        return "cmake --build build/release -j2 --target " + " ".join(self.options.target)

    def died_in(self):
        """Names of the tests that fail now."""
        folder = self.tree / "build/release"
        return [name for name, command in self.tests.items()
                if run(command, folder, self.options.timeout, self.log) != 0]

    def result(self, mutant):
        key = "{file}:{offset}:{length}:{is}".format(**mutant)
        if key not in self.known:
            path = self.tree / mutant["file"]
            text = path.read_text()
            try:
                path.write_text(mutate(text, mutant["offset"], mutant["length"], mutant["is"]))
                compiled = run(self.build_command(), self.tree, None, self.log) == 0
                self.known[key] = {"compiled": compiled, "died_in": self.died_in() if compiled else []}
            finally:
                path.write_text(text)
            self.known_path.write_text(json.dumps(self.known))
        return self.known[key]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FILE|FOLDER")
    parser.add_argument("--target", action="append", required=True)
    parser.add_argument("--test", action="append", required=True)
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--work", default="build/mutants")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--json")
    options = parser.parse_args()
    trial = Trial(options)
    if "" not in trial.known:
        trial.known[""] = trial.died_in()
    if trial.known[""]:
        print("tools/mutants.py: these fail without a mutant:", ", ".join(trial.known[""]))
        return 2
    mutants = choose(trial.tree, options.folders, options.number, options.seed)
    for mutant in mutants:
        mutant.update(trial.result(mutant))
        fate = ("not compiled" if not mutant["compiled"]
                else ", ".join(mutant["died_in"]) or "lives")
        print("{file}:{line}\t{was} -> {is}\t".format(**mutant) + fate, flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(mutants, indent=1) + "\n")
    return int(any(mutant["compiled"] and not mutant["died_in"] for mutant in mutants))


if __name__ == "__main__":
    sys.exit(main())

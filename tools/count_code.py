#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts lines of code and code tokens by folder.

Neither comments, blank lines, includes nor lines that only open or close a namespace count. A
token is a name, a number, a literal or one operator sign: joining or wrapping lines changes the
lines, not the tokens.

    tools/count_code.py [--commit=COMMIT] [--depth=N] [--json] [FOLDER ...]

Prints a row for each folder that has C or C++ sources of its own, and the sums of the product (all
but what follows), streams, the tests (also those of streams) and third_party. --depth=N adds up
what is deeper than N folders. Of files under git alone; --commit counts those of a commit.
"""

import argparse
import collections
import json
import re
import subprocess
import sys

SOURCES = (".cc", ".h", ".c", ".inc")
PIECE = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<fence>[^ ()\\]{0,16})\(.*?\)(?P=fence)"'
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|[A-Za-z_]\w*|\.?\d(?:[\w.']|[eEpP][+-])*"
    r"|::|->|<<=|>>=|\.\.\.|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|<<|[^\s\w]|\n",
    re.DOTALL)
NAMESPACE = re.compile(r'\s*(?:inline\s+)?namespace\b[^;={]*\{\s*$|\s*(?:\}\s*)+//\s*namespace\b')
INCLUDE = re.compile(r'\s*#\s*include\b')


def count(text):
    """Lines of code and tokens of a source."""
    kept = [line for line in text.replace("\\\n", " ").split("\n")
            if not INCLUDE.match(line) and not NAMESPACE.match(line)]
    lines, tokens, on_line = 0, 0, False
    for match in PIECE.finditer("\n".join(kept) + "\n"):
        piece = match.group()
        if piece == "\n":
            lines += on_line
            on_line = False
        elif not piece.startswith(("//", "/*")):
            lines += piece.count("\n")
            tokens += 1
            on_line = True
    return lines, tokens


def git(*args):
    return subprocess.run(("git",) + args, check=True, capture_output=True).stdout


def folder_of(path, depth):
    parts = path.split("/")[:-1]
    return "/".join(parts[:depth] if depth else parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", help="count this commit's files, not the work tree's")
    parser.add_argument("--depth", type=int, default=0, help="add up deeper folders")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    args = parser.parse_args()

    top = git("rev-parse", "--show-toplevel").decode().strip()
    if args.commit:
        names = git("-C", top, "ls-tree", "-r", "--name-only", args.commit)
    else:
        names = git("-C", top, "ls-files")
    paths = [path for path in names.decode().splitlines() if path.endswith(SOURCES)]
    if args.folders:
        wanted = tuple(folder.rstrip("/") + "/" for folder in args.folders)
        paths = [path for path in paths if path.startswith(wanted)]
        if not paths:
            sys.exit("count_code.py: no source under " + ", ".join(args.folders))

    rows = collections.defaultdict(lambda: [0, 0, 0])
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for path in paths:
        if args.commit:
            text = git("-C", top, "show", args.commit + ":" + path).decode(errors="replace")
        else:
            try:
                with open(f"{top}/{path}", encoding="utf-8", errors="replace") as file:
                    text = file.read()
            except FileNotFoundError:
                continue
        lines, tokens = count(text)
        first = path.split("/")[0]
        if path.startswith("streams/tests/"):
            first = "tests"
        whole = first if first in ("streams", "tests", "third_party") else "product"
        for table, key in ((rows, folder_of(path, args.depth)), (sums, whole)):
            for i, figure in enumerate((1, lines, tokens)):
                table[key][i] += figure

    names = ("files", "lines", "tokens")
    if args.json:
        print(json.dumps({"folders": {key: dict(zip(names, rows[key])) for key in sorted(rows)},
                          "sums": {key: dict(zip(names, sums[key])) for key in sorted(sums)}},
                         indent=2))
        return
    print(f"{'files':>6}{'lines':>8}{'tokens':>9}  folder")
    for table in (rows, sums):
        for key in sorted(table):
            print("{:>6}{:>8}{:>9}  {}".format(*table[key], key if table is rows else key.upper()))


if __name__ == "__main__":
    main()

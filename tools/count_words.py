#!/usr/bin/env python3
"""Words of the pages, without table rows of which at least half the cells are figures.

    tools/count_words.py [--commit=COMMIT] [PAGE ...]

Prints the words of each page (by default README.md, docs/ and those of streams), and their sum. Code and
commands count, since a reader reads them too.
"""

import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURE = re.compile(r"[*_`~≈]*([-+−<>≤≥±]? ?\d|–?[*_`]*$)")


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout


def pages_of(commit):
    if commit:
        listed = git("ls-tree", "-r", "--name-only", commit).splitlines()
    else:
        listed = [path.relative_to(ROOT).as_posix() for folder in ("docs", "streams") for path in (ROOT / folder).rglob("*.md")]
        listed.append("README.md")
    return sorted(path for path in listed if re.fullmatch(r"(README|docs/.*|streams/(README|docs/.*))\.md", path))


def is_row_of_figures(line):
    if not line.startswith("|"):
        return False
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    figures = sum(1 for cell in cells if FIGURE.match(cell) or set(cell) <= set("-:"))
    return 2 * figures >= len(cells)


def words_of(text):
    return sum(len(line.split()) for line in text.splitlines() if not is_row_of_figures(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--commit", help="of this commit, not of the working tree")
    arguments = parser.parse_args()
    counts = {}
    for page in arguments.pages or pages_of(arguments.commit):
        text = git("show", f"{arguments.commit}:{page}") if arguments.commit else (ROOT / page).read_text()
        counts[page] = words_of(text)
        print(f"{counts[page]:7} {page}")
    print(f"{sum(counts.values()):7} in all")


if __name__ == "__main__":
    main()

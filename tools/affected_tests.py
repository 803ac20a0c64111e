#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the commands that build and run the tests that a change reaches.

    tools/affected_tests.py [--build=FOLDER] [FILE ...]

Without FILEs they are those that differ from HEAD. The build in FOLDER, build/release without it,
says what includes, links and runs what: it must have been made once, by ninja. The first command
has the tests that include a FILE or its header, name it, or are named after it; of tests that
compile as one, those that do so themselves, or all if none does. The second has all that a FILE
reaches, also through libraries and programs. What scripts compile for themselves nobody knows:
tools/test.sh --all runs everything.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Tests that read the whole tree.
OF_THE_TREE = {"tests/repo/layers_test.cc", "tests/repo/readme_test.cc"}


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def changed_files():
    """The files that differ from HEAD, which nothing but Git knows."""
    try:
        return set(output_of("git", "diff", "--name-only", "HEAD").split() +
                   output_of("git", "ls-files", "-o", "--exclude-standard").split())
    except (OSError, subprocess.CalledProcessError):
        sys.exit("tools/affected_tests.py: this is no Git work tree, or there is no git: name the FILEs that differ")


def sees(text, files, macros):
    included = re.findall(r'^#include ["<](.*)[">]', text, re.MULTILINE)
    return (any(f"/{file}".endswith(f"/{name}") for file in files for name in included) or
            any(re.search(rf"\b{macro}\b", text) for macro in macros))


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.sources = {}  # source files in the tree, by object file
        for block in output_of("ninja", "-C", str(folder), "-n", "-t", "deps").split("\n\n"):
            made, *files = block.strip().split("\n")
            paths = (os.path.normpath(folder / file.strip()) for file in files)
            self.sources[made.split(": #")[0]] = {
                path.removeprefix(f"{ROOT}/") for path in paths if path.startswith(f"{ROOT}/")}
        self.made = set()
        self.made_of = collections.defaultdict(list)  # outputs, by input
        edges = (folder / "build.ninja").read_text()
        self.defines = {}
        edge = re.compile(r"^build (.+?): \w+ ?(.*)\n(?:  DEFINES = (.*)\n)?", re.MULTILINE)
        for outputs, inputs, defines in edge.findall(edges):
            self.defines[outputs] = defines
            self.made.update(outputs.split())
            for name in inputs.replace("|", " ").split():
                self.made_of[self.local(name)] += outputs.split()
        tests = json.loads(output_of("ctest", "--test-dir", str(folder), "--show-only=json-v1"))
        self.tests = [(test["name"], [self.local(word) for word in test.get("command", [])],
                       self.files_of(test)) for test in tests["tests"]]

    @staticmethod
    def files_of(test):
        """The names of the files, without ending, that a test's labels have; one at most."""
        labels = [value for one in test["properties"] if one["name"] == "LABELS" for value in one["value"]]
        return {pathlib.Path(label.removeprefix("rocksdb.")).name for label in labels}

    def local(self, path):
        return path.removeprefix(f"{self.folder}/")

    def reached_from(self, names):
        """These, and all that is made of them, however far."""
        left, reached = list(names), set()
        while left:
            name = left.pop()
            if name not in reached:
                reached.add(name)
                left += self.made_of[name]
        return reached

    def objects_of(self, files):
        return {made for made, sources in self.sources.items() if sources & files}

    def told(self, paths):
        """The macros by which objects are told one of these paths, but for the whole tree; by object."""
        paths = "|".join(re.escape(path) for path in paths - {str(ROOT)})
        defined = re.compile(rf'-D(\w+)=\\"(?:{paths})/?\\"')
        macros = {made: set(defined.findall(defines)) for made, defines in self.defines.items()}
        return {made: names for made, names in macros.items() if names}

    def tests_within(self, made, seen, macros):
        """The names of a unity object's tests that are seen, include such a file or use such a macro; if none does, but
        the object has such a file, of all."""
        sources = self.sources.get(made, set())
        tests = {test for test in sources if test.endswith("_test.cc")}
        direct = {test for test in tests if test in seen or sees((ROOT / test).read_text(encoding="utf-8"), seen, macros)}
        return {pathlib.Path(test).stem for test in direct or (tests if sources & seen else ())}

    def say(self, what, reached, within=frozenset(), names=frozenset()):
        """All tests of what is reached, and of the programs within those with the names of these files."""
        tests = [(name, words) for name, words, files in self.tests
                 if reached.intersection(words) or (within.intersection(words) and files & names)]
        print(f"# {len(tests)} of {len(self.tests)} tests {what}:")
        programs = {words[0] for _, words in tests if words and words[0] in self.made}
        patterns = {re.escape(name) + "$" for name, _ in tests}
        print(f"ninja -C {self.folder} {' '.join(sorted(programs))}")
        print(f"ctest --test-dir {self.folder} --output-on-failure -R '^({'|'.join(sorted(patterns))})'")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", metavar="FOLDER")
    parser.add_argument("files", nargs="*", metavar="FILE")
    arguments = parser.parse_args()
    files = set(arguments.files) or changed_files()
    if not files or any(re.search(r"CMake|[.]cmake$", file) for file in files):
        sys.exit("tools/affected_tests.py: " +
                 ("a file of CMake's reaches all tests" if files else "no file differs from HEAD"))
    build = Build((ROOT / arguments.build).resolve())

    seen = files | OF_THE_TREE | {str(pathlib.Path(file).with_suffix(".h")) for file in files}
    told = {}
    for file in files:
        if not build.objects_of({file}):  # a page, a script or other data
            path = pathlib.Path(file)
            seen |= {test.relative_to(ROOT).as_posix() for folder in ("tests", "streams/tests")
                     for test in (ROOT / folder).rglob("*.cc") if path.name in test.read_text(encoding="utf-8")}
            told.update(build.told({str(ROOT / file), str(ROOT / path.parent)}))
    stems = tuple(f"{pathlib.Path(file).stem}_" for file in files)
    seen |= {test for sources in build.sources.values() for test in sources
             if test.endswith("_test.cc") and pathlib.Path(test).name.startswith(stems)}
    near = set(told) | {made for made in build.objects_of(seen) if re.match("(streams/)?tests/", made)}
    joined = {made for made in near if "/Unity/" in made}
    names = {name for made in joined for name in build.tests_within(made, seen, told.get(made, ()))}
    within = build.reached_from(joined), names
    paths = {str(ROOT / file) for file in files}
    near = build.reached_from(near - joined) | paths
    build.say("see a file, name it or are named after it", near, *within)
    objects = build.objects_of(files)
    # A script that gets the build folder as an argument may run anything in it.
    whole = {str(build.folder), str(ROOT)} if objects else set()
    # The source file of a test can change only the cases in it.
    objects -= joined - build.objects_of({file for file in files if not file.endswith("_test.cc")})
    build.say("are reached by a file", near | whole | build.reached_from(objects | paths), *within)


if __name__ == "__main__":
    main()

"""Writes the page of results of tools/bench.sh: tools/bench_page.py COMMAND FOLDER.

Reads FOLDER/*.json, which filter_bench --rounds wrote, and writes FOLDER/README.md.
Needs nothing but Python's standard library.
"""

import datetime
import json
import pathlib
import re
import statistics
import subprocess
import sys

OURS = ("winnow_bloom", "winnow_ribbon")
RIVALS = ("builtin_bloom", "builtin_ribbon")
SUBJECTS = OURS + RIVALS
TITLES = {
    "winnow_bloom": "Winnow Bloom",
    "winnow_ribbon": "Winnow Ribbon",
    "builtin_bloom": "built-in Bloom",
    "builtin_ribbon": "built-in Ribbon",
}
COMPARED = (("winnow_bloom", "builtin_bloom"), ("winnow_ribbon", "builtin_ribbon"), ("winnow_ribbon", "builtin_bloom"))


class Results:
    """The rows of one file, each with the medians of its counters, and the ratios of rows that ran side by side."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            parsed = json.load(file)
        self.context = parsed["context"]
        # Results of each round, by the row that started the round and the row measured.
        self.runs = {}
        for run in parsed["benchmarks"]:
            if run.get("error_occurred") or run.get("skipped"):
                continue
            # Google Benchmark appends settings of a row, such as /iterations:1.
            name = re.sub(r"/(iterations:|repeats:|real_time)[^/]*", "", run["run_name"])
            self.runs.setdefault((run.get("label", name), name), []).append(run)
        self.rows = {}
        for (_, name), runs in self.runs.items():
            self.rows.setdefault(name, []).extend(runs)

    def value(self, name, counter="per_key"):
        """The counter of a row, times in nanoseconds; None if it was not measured."""
        values = [run[counter] for run in self.rows.get(name, []) if counter in run]
        if not values:
            return None
        is_time = counter.endswith("per_key") and not counter.startswith("bits")
        return statistics.median(values) * (1e9 if is_time else 1)

    def ratios(self, ours, name, rival, counter):
        """The counter of row `name` over that of `rival`, round by round, both beside `ours`."""
        pairs = zip(self.runs.get((ours, name), []), self.runs.get((ours, rival), []))
        return [above[counter] / below[counter] for above, below in pairs if below.get(counter) and counter in above]

    def over(self, ours, rival, counter="per_key"):
        """The median ratio of two rows, with a ? where their difference is within what the twin's spreads."""
        ratios = self.ratios(ours, ours, rival, counter)
        if not ratios:
            return ratio(self.value(ours, counter), self.value(rival, counter))
        twin = re.sub(r"(\w+_(bloom|ribbon))/", r"\1_twin/", ours)
        noise = self.ratios(ours, twin, ours, counter) or self.ratios(ours, ours + "/twin", ours, counter)
        low, _, high = statistics.quantiles(noise, n=4, method="inclusive") if len(noise) > 1 else (1, 1, 1)
        median = statistics.median(ratios)
        return f"{median:.2f}" + ("?" if abs(median - 1) <= max(abs(low - 1), abs(high - 1)) else "")


def sort_key(size):
    return (0, int(size)) if size.isdigit() else (1, 0)


def keys_text(size):
    if not size.isdigit():
        return size.replace("_", " ")
    power = len(size) - 1
    return f"10^{power}" if size == "1" + "0" * power and power >= 4 else size


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def ratio(ours, rival):
    return "" if not ours or not rival else f"{ours / rival:.2f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def sizes_of(results, pattern):
    """The last parts of the row names that match a pattern with SUBJECT and SIZE in it."""
    expression = re.compile(pattern.replace("SUBJECT", "(?:" + "|".join(SUBJECTS) + ")").replace("SIZE", "([^/]+)") + "$")
    found = {match.group(1) for match in map(expression.match, results.rows) if match}
    return sorted(found, key=sort_key)


COMPARED_HEAD = [TITLES[subject] for subject in SUBJECTS] + ["Bloom / built-in Bloom", "Ribbon / built-in Ribbon", "Ribbon / built-in Bloom"]


def compared_rows(results, pattern, counter="per_key", digits=2):
    """By size: the four subjects, then ours over the built-in of the same kind and Bloom."""
    rows = []
    for size in sizes_of(results, pattern):
        names = {s: pattern.replace("SUBJECT", s).replace("SIZE", size) for s in SUBJECTS}
        rows.append([keys_text(size)] + [number(results.value(names[s], counter), digits) for s in SUBJECTS]
                    + [results.over(names[ours], names[rival], counter) for ours, rival in COMPARED])
    return rows


def compare(results, pattern, counter="per_key", digits=2):
    rows = compared_rows(results, pattern, counter, digits)
    return table(["keys"] + COMPARED_HEAD, rows) if rows else ""


class Goals:
    """Costs that Winnow aims at, and those that a run missed. Goals of rows that were not measured are left out."""

    def __init__(self, files):
        self.files = files
        self.rows = []
        self.missed = []

    def value(self, file, name, counter="per_key"):
        return self.files[file].value(name, counter) if file in self.files else None

    def over(self, file, name, rival_name):
        ours, rival = self.value(file, name), self.value(file, rival_name)
        return ours / rival if ours and rival else None

    def add(self, text, value, bound):
        if value is not None:
            met = value <= bound
            self.rows.append([text, f"{value:.2f}", f"≤ {bound:g}"])
            self.missed += [] if met else [self.rows[-1]]

    def add_all(self):
        for size, bound in (("100000", 0.45), ("1000000", 0.40), ("10000000", 0.25)):
            self.add(f"Ribbon building over built-in Ribbon, {keys_text(size)} keys",
                     self.over("build", f"build/winnow_ribbon/{size}", f"build/builtin_ribbon/{size}"), bound)
        for size in ("100000", "1000000"):
            self.add(f"Ribbon building over built-in Bloom, {keys_text(size)} keys",
                     self.over("build", f"build/winnow_ribbon/{size}", f"build/builtin_bloom/{size}"), 1.8)
        for group, size, ribbon, bloom in (("hot", "100000", 0.36, 1.5), ("hot", "1000000", 0.36, 1.5), ("random_of_100", "100000", 0.40, 1.6)):
            what = f"{'one filter' if group == 'hot' else 'a random one of 100 filters'} of {keys_text(size)} keys, half present"
            ours = f"query/{group}/half/winnow_ribbon/{size}"
            for rival, bound in (("ribbon", ribbon), ("bloom", bloom)):
                self.add(f"Ribbon asking over built-in {rival.capitalize()}, {what}",
                         self.over("query", ours, ours.replace("winnow_ribbon", f"builtin_{rival}")), bound)
            self.add(f"Ribbon asking over built-in Ribbon, {what}, portable kernel",
                     self.over("query_portable", ours, ours.replace("winnow", "builtin")), 1)
        for size, bound in (("10000", 3.8), ("100000", 2.1), ("1000000", 2.0), ("10000000", 2.0)):
            self.add(f"Ribbon space, % over log2(1/rate), {keys_text(size)} keys",
                     self.value("space", f"space/10_bits/winnow_ribbon/{size}", "percent_over_minimum"), bound)
        self.add("Ribbon space with 7 whole columns, % over log2(1/rate), 10^6 keys",
                 self.value("space", "space/7_columns/winnow_ribbon/1000000", "percent_over_minimum"), 1.1)
        for size, bound in (("10000", 0.5), ("100000", 0.5), ("1000000", 0.5), ("10000000", 0.6)):
            self.add(f"Bloom building over built-in Bloom, {keys_text(size)} keys",
                     self.over("build", f"build/winnow_bloom/{size}", f"build/builtin_bloom/{size}"), bound)
        rival = "query/hot/absent/builtin_bloom/100000"
        self.add("Bloom asking over built-in Bloom, one filter of 10^5 keys, absent keys",
                 self.over("query", rival.replace("builtin", "winnow"), rival), 0.8)
        self.add("Bloom asking by HashKey and FilterView of libwinnow.so over built-in Bloom, one filter of 10^5 keys, absent keys",
                 self.over("query", "library/hot/absent/winnow_bloom/100000", rival), 0.95)
        if "query" in self.files and self.files["query"].context["winnow_kernel"] == "avx512":
            with_avx2 = self.over("query_avx2", rival.replace("builtin", "winnow"), rival)
            with_avx512 = self.over("query", rival.replace("builtin", "winnow"), rival)
            if with_avx2 and with_avx512:
                self.add("Bloom asking over built-in Bloom, one filter of 10^5 keys, absent keys: AVX2 over AVX-512", with_avx2 / with_avx512, 1.05)
        rival = "query/random_of_100/absent/builtin_bloom/100000"
        self.add("Bloom asking over built-in Bloom, a random one of 100 filters of 10^5 keys, absent keys",
                 self.over("query", rival.replace("builtin", "winnow"), rival), 0.92)
        for kind in ("bloom", "ribbon"):
            for group, size in (("hot", "100000"), ("random_of_100", "100000"), ("hot", "10000000")):
                name = f"multiget/{group}/half/winnow_{kind}/{size}"
                self.add(f"MultiGet of {kind.capitalize()} over the built-in, {group.replace('_', ' ')}, {keys_text(size)} keys",
                         self.over("query", name, name.replace("winnow", "builtin")), 1)
        for size, count, bound in (("100000", 24, 0.25), ("1000000", 24, 0.2), ("1000000", 128, 0.2)):
            name = f"filter_set_of_{size}/bloom/copies/{count}"
            self.add(f"A FilterSet of {count} Bloom segments of {keys_text(size)} keys over the built-in Bloom readers",
                     self.over("filter_set", name, name.replace("copies", "builtin_readers")), bound)
        for kind, bound in (("bloom", 1.3), ("ribbon", 1.2)):
            name = f"filter_set_of_100000/{kind}/copies/1"
            self.add(f"A FilterSet of one {kind.capitalize()} segment of 10^5 keys over FilterView",
                     self.over("filter_set", name, name.replace("copies", "filter_views")), bound)
        self.add("A FilterSet of 4 Bloom segments of 10^5 keys over the built-in Bloom readers",
                 self.over("filter_set", "filter_set_of_100000/bloom/copies/4", "filter_set_of_100000/bloom/builtin_readers/4"), 0.5)
        self.add("A FilterSet of 24 Ribbon segments of 10^5 keys over the built-in Bloom readers",
                 self.over("filter_set", "filter_set_of_100000/ribbon/copies/24", "filter_set_of_100000/bloom/builtin_readers/24"), 1)

    def section(self):
        self.add_all()
        if not self.rows:
            return ""
        text = f"## Goals\n\n{len(self.rows) - len(self.missed)} of {len(self.rows)} were reached."
        return text + (" These were missed:\n\n" + table(["", "measured", "goal"], self.missed) if self.missed else "\n")


def build_section(results):
    text = "## Building\n\nNanoseconds per key, with hashing, from the first `AddKey` to the end of `Finish`:\n\n"
    text += compare(results, "build/SUBJECT/SIZE") + "\n"
    phases = ("collecting", "sorting", "elimination", "back_substitution", "rest")
    rows = [[keys_text(size)] + [number(results.value(f"build_phases/winnow_ribbon/{size}", f"{phase}_per_key")) for phase in phases]
            for size in sizes_of(results, "build_phases/winnow_ribbon/SIZE")]
    if not rows:
        return text
    return text + "Winnow Ribbon by phases:\n\n" + table(["keys"] + [phase.replace("_", " ") for phase in phases], rows) + "\n"


PRESENCES = (("half", "half present"), ("absent", "absent"))


def query_section(results, kernel):
    text = f"## Asking, kernel {kernel}\n\nNanoseconds per key, with hashing, through `MayMatch`; a MultiGet has 32 keys."
    made = [f"{results.value('keys/' + p):.2f} ({title})" for p, title in PRESENCES if results.value("keys/" + p)]
    if made:
        text += " Making the keys is part of each figure: " + ", ".join(made) + "."
    rows = []
    for group, title in (("query/hot", "one filter"), ("query/random_of_100", "a random one of 100"),
                         ("multiget/hot", "MultiGet, one filter"), ("multiget/random_of_100", "MultiGet, a random one of 100")):
        for presence, presence_title in PRESENCES:
            rows += [[f"{title}, {presence_title}"] + row for row in compared_rows(results, f"{group}/{presence}/SUBJECT/SIZE")]
    text += "\n\n" + (table(["", "keys"] + COMPARED_HEAD, rows) + "\n" if rows else "")
    rows = []
    for presence, presence_title in PRESENCES:
        for size in sizes_of(results, f"library/hot/{presence}/SUBJECT/SIZE"):
            for subject in OURS:
                ours = f"library/hot/{presence}/{subject}/{size}"
                rival = f"query/hot/{presence}/{subject.replace('winnow', 'builtin')}/{size}"
                rows.append([f"{TITLES[subject]}, {keys_text(size)} keys, {presence_title}", number(results.value(ours)),
                             results.over(ours, rival)])
    if rows:
        text += "`HashKey` and `FilterView` of libwinnow.so, one filter:\n\n"
        text += table(["", "ns per key", "over the built-in of the same kind"], rows) + "\n"
    return text


def kernels_section(by_kernel, builds):
    """Bloom and Ribbon over the built-ins of the same process, kernel by kernel."""
    names = list(by_kernel)
    head = ["ours over the built-in of the same kind, same process"] + names
    rows = []
    for subject in OURS if all(name in builds for name in names) else ():
        rival = subject.replace("winnow", "builtin")
        for size in sizes_of(builds[names[-1]], "build/SUBJECT/SIZE"):
            cells = [builds[name].over(f"build/{subject}/{size}", f"build/{rival}/{size}") for name in names]
            rows.append([f"{TITLES[subject]}, building, {keys_text(size)}"] + cells)
    for group in ("query/hot", "query/random_of_100"):
        for presence, presence_title in PRESENCES:
            for subject in OURS:
                rival = subject.replace("winnow", "builtin")
                for size in sizes_of(by_kernel[names[-1]], f"{group}/{presence}/SUBJECT/SIZE"):
                    cells = [r.over(f"{group}/{presence}/{subject}/{size}", f"{group}/{presence}/{rival}/{size}")
                             for r in by_kernel.values()]
                    rows.append([f"{TITLES[subject]}, {group.split('/')[1].replace('_', ' ')}, {presence_title}, {keys_text(size)}"] + cells)
    return "## Kernel by kernel\n\n" + table(head, rows) + "\n" if rows else ""


def compiled_section(generic, native):
    """Ours as it is built, and compiled for this processor, each over the built-in of its process."""
    rows = []
    for name in sorted(native.rows):
        subject = next((s for s in OURS if f"/{s}/" in name), None)
        if subject:
            rival = name.replace(subject, subject.replace("winnow", "builtin"))
            values = [r.value(name) and r.value(rival) and r.value(name) / r.value(rival) for r in (generic(name), native)]
            if all(values):
                rows.append([f"`{name}`", number(values[0]), number(values[1]), ratio(values[1], values[0])])
    head = ["over the built-in of the same process", "as it is built", "compiled with -march=native", "speed as it is built"]
    return "## Compiled for this processor\n\n" + table(head, rows) + "\n" if rows else ""


def alignment_section(results):
    offsets = ("0", "16", "32", "48")
    rows = []
    for shape in ("hot", "random_of_100"):
        for presence, presence_title in PRESENCES:
            for subject in SUBJECTS:
                values = [results.value(f"query/at_{o}_{shape}/{presence}/{subject}/100000") for o in offsets]
                if any(values):
                    rows.append([f"{TITLES[subject]}, {shape.replace('_', ' ')}, {presence_title}"] + [number(v) for v in values])
    head = ["ns per key by where the bytes begin, modulo 64"] + list(offsets)
    return "## Where the bytes lie, 10^5 keys\n\n" + table(head, rows) + "\n" if rows else ""


def filter_set_section(results):
    expression = re.compile(r"filter_set_of_(\d+)/(\w+)/copies/(\d+)$")
    found = sorted((match.group(2), int(match.group(1)), int(match.group(3))) for match in map(expression.match, results.rows) if match)
    ways = ("filter_views", "copies", "views", "batched_copies", "batched_views")
    rows = []
    for kind, size, count in found:
        rival = f"filter_set_of_{size}/bloom/builtin_readers/{count}"
        row = [kind.replace("_", " "), keys_text(str(size)), str(count), number(results.value(rival), 1)]
        for way in ways:
            ours = f"filter_set_of_{size}/{kind}/{way}/{count}"
            both = results.value(ours) and results.value(rival)
            row.append(f"{number(results.value(ours), 1)} = {results.over(ours, rival)}" if both else "")
        rows.append(row)
    head = ["filters", "keys per filter", "filters asked", "built-in Bloom readers", "FilterView after FilterView"]
    return ("## A FilterSet\n\nNanoseconds per absent key for all filters, and the share of what RocksDB's Bloom readers take one after "
            "the other:\n\n" + table(head + [way.replace("_", " ") for way in ways[1:]], rows) + "\n") if rows else ""


def space_section(results):
    rows = []
    for rate in ("10_bits", "7_columns"):
        for subject in SUBJECTS:
            for size in sizes_of(results, f"space/{rate}/{subject}/SIZE"):
                name = f"space/{rate}/{subject}/{size}"
                rows.append([f"{TITLES[subject]}, {rate.replace('_', ' ')}, {keys_text(size)} keys", number(results.value(name, "bits_per_key"), 3),
                             number(results.value(name, "measured_rate") * 100, 4), number(results.value(name, "percent_over_minimum"))])
    head = ["", "bits per key", "false positives, %", "% over log2(1/rate)"]
    return "## Space\n\nAll bytes are counted; at least 4·10^7 absent keys:\n\n" + table(head, rows) + "\n" if rows else ""


def summary_section(files):
    """What a user pays: memory, building and asking of each filter, one size of file."""
    keys = "1000000"
    columns = (("bits per key", "space", f"space/10_bits/SUBJECT/{keys}", "bits_per_key", 2),
               ("false positives, %", "space", f"space/10_bits/SUBJECT/{keys}", "measured_rate", 2),
               ("building, ns per key", "build", f"build/SUBJECT/{keys}", "per_key", 1),
               ("a lookup, half present, ns", "query", f"query/hot/half/SUBJECT/{keys}", "per_key", 1),
               ("a lookup, absent, ns", "query", f"query/hot/absent/SUBJECT/{keys}", "per_key", 1),
               ("MultiGet, half present, ns per key", "query", f"multiget/hot/half/SUBJECT/{keys}", "per_key", 1))
    rows = []
    for title, file, name, counter, digits in columns:
        if file not in files:
            continue
        values = {s: files[file].value(name.replace("SUBJECT", s), counter) for s in SUBJECTS}
        if counter == "measured_rate":
            values = {s: v and v * 100 for s, v in values.items()}
        if not any(values.values()):
            continue
        rows.append([title] + [number(values[s], digits) for s in SUBJECTS]
                    + [ratio(values["winnow_bloom"], values["builtin_bloom"]),
                       ratio(values["winnow_ribbon"], values["builtin_ribbon"]),
                       ratio(values["winnow_ribbon"], values["builtin_bloom"])])
    if not rows:
        return ""
    to_bloom = {row[0]: row[-1] for row in rows}
    found = [f"{to_bloom[title]} of the {what}" for title, what in (("bits per key", "memory"), ("building, ns per key", "time to build"),
                                                                    ("a lookup, absent, ns", "time to ask for an absent key"))
             if to_bloom.get(title)]
    text = f"Relative to RocksDB's Bloom filter, a Ribbon filter takes {', '.join(found)}. " if found else ""
    return (text + f"Filters of {keys_text(keys)} keys with the rate of 10 bits per key, in a cache that holds them:\n\n"
            + table([""] + COMPARED_HEAD, rows) + "\n")


def commit():
    """The one that is measured; "unknown" outside a Git work tree of its own, and without git."""
    root = pathlib.Path(__file__).resolve().parent.parent
    try:
        said = subprocess.run(["git", "-C", str(root), "rev-parse", "--show-toplevel", "--short", "HEAD"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    top, _, short = said.partition("\n")
    return short.strip() if pathlib.Path(top) == root else "unknown"


def method_section(command, context):
    date = datetime.datetime.fromisoformat(context["date"].replace("Z", "+00:00"))
    return (f"Command: `{command}`. Date: {date.day} {date:%B %Y}. Machine: {context['num_cpus']} processors, {context['processor']}, "
            f"{context['system']}, load {context['load_avg'][0]:.1f} at the start. Commit: {commit()}, Winnow {context['winnow_version']}, "
            f"{context['compiler']}.\n\nRocksDB is {context['rocksdb_version']}, {context['rocksdb_build']}.\n\n"
            "Figures are medians. Each row ran in one process with its rivals and a twin, the same filter once more, one right after the other, "
            "round after round; ratios are medians of those within rounds. A ? stands where a difference is not resolved: the twin's ratios "
            "spread as far between their quartiles. Ratios below 1 are to Winnow's advantage. Keys have 24 bytes where nothing else is said.\n\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    files = {path.stem: Results(path) for path in sorted(folder.glob("*.json"))}
    if not files:
        sys.exit(f"tools/bench_page.py: {folder} has no results (*.json)")
    context = next(iter(files.values())).context
    # The page begins with a summary of costs and the method, followed by tables of each cost.
    text = ("# Winnow's filters beside RocksDB's\n\nCosts of Winnow's filters and of the built-in ones of RocksDB "
            f"{context['rocksdb_version']}, side by side on one {context['processor']}.\n\n")
    text += summary_section(files) + method_section(command, context)
    if "build" in files:
        text += build_section(files["build"])
    queries = {results.context["winnow_kernel"]: results for name, results in files.items() if name.startswith("query")}
    for kernel, results in queries.items():
        if results is files.get("query"):
            text += query_section(results, kernel)
    if "space" in files:
        text += space_section(files["space"])
    if len(queries) > 1:
        builds = {results.context["winnow_kernel"]: results for name, results in files.items() if re.fullmatch("build(_[a-z0-9]+)?", name)}
        text += kernels_section(queries, builds)
    if "alignment" in files:
        text += alignment_section(files["alignment"])
    if "filter_set" in files:
        text += filter_set_section(files["filter_set"])
    if "compiled_natively" in files and "build" in files and "query" in files:
        text += compiled_section(lambda name: files[name.split("/")[0]], files["compiled_natively"])
    text += Goals(files).section()
    (folder / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

#!/bin/bash
# Tests that the JSON of db_bench_ext has exactly the fields and types of
# docs/measuring.schema.json.
# json_schema_test.sh DB_BENCH_EXT SCHEMA
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

program=$1
schema=$2
python3 -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null ||
  skip "there is no python3-jsonschema here that knows the draft 2020-12"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# run NAME FLAG...: writes NAME.json.
run() {
  local name=$1
  shift
  "$program" --num=20000 --reads=900 --timed_reads=300 --timed_rounds=1 --json="$work/$name.json" "$@" >"$work/said" 2>&1 ||
    fail "$program $* ends with $?: $(cat "$work/said")"
}
run reads --policies=none,bloomfilter:10,winnow:10 --benchmarks=filluniquerandom,readabsent,multireadrandom
run heat --policies=none,winnow:10 --heat=mixgraph
run scans --policies='none,{id=winnow;bits_per_key=10;range_bits=15}' --key_shape=integers --benchmarks=scanbehind,scanpresent
run writes --policies=none,winnow:10 --growth=rocksdb --benchmarks=fillrandom,seekrandom,readrandom

python3 - "$schema" "$work"/*.json <<'PYTHON' || fail "the faults are above"
import json, sys

from jsonschema import Draft202012Validator


# The schema permits fields of later versions; this test does not.
def close(node):
    for value in node.values():
        if isinstance(value, dict):
            close(value)
    if "properties" in node:
        node["unevaluatedProperties"] = False


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


schema = read(sys.argv[1])
Draft202012Validator.check_schema(schema)
close(schema)
faults = 0
for path in sys.argv[2:]:
    for error in Draft202012Validator(schema).iter_errors(read(path)):
        print(f"{path}: {error.json_path}: {error.message[:300]}", file=sys.stderr)
        faults += 1
print(f"{len(sys.argv) - 2} documents, {faults} faults")
sys.exit(1 if faults else 0)
PYTHON

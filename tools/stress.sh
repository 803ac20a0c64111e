#!/bin/bash
# Runs random operations on RocksDB databases with Winnow's filters and compares every answer with a
# model, for ten minutes or as long as told: writes of all kinds, lookups, iterators, snapshots,
# transactions, ingestion, compactions, other options at every opening, kill -9. Prints a table of what
# was done, adds it as a line of JSON to build/stress/stress.json, and fails at the first answer that
# is not the model's, at any process that ends abnormally, and where too little was tested.
#
#   tools/stress.sh [--build=DIR] [--seconds=N] [--seed=N] [--threads=N] [--processes=N]
#                   [--kernels=all|NAME,…] [--folder=DIR] [--plans [--least_learned=SHARE]]
#                   [--life=SECONDS] [--operations=N] …
#   tools/stress.sh --distributed [--build=DIR] [--folder=DIR] [--workers=N] [--policy=POLICY] …
#
# With --distributed, compactions are made by four processes of their own, the filter of each file from
# there is compared with one built anew from its keys, and nothing is added to the JSON: first a million
# keys, then 1,000 kills of such processes and 200 of the database's. The other arguments are
# distributed_stress's.
#
# --build: a build folder of Winnow, for example one that tools/test_rocksdb.sh left for another
# RocksDB; without it the preset release is set up and built. The other arguments are winnow_stress's,
# which --help tells, with its exit statuses. On a failure the folder of the process is left as it is,
# with the database, a copy of it from when the difference was seen, and the core if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/build_jobs.sh
. tools/build_jobs.sh

build=
program=winnow_stress
arguments=()
for argument in "$@"; do
  case $argument in
  --distributed) program=distributed_stress ;;
  --build=*) build=${argument#--build=} ;;
  *) arguments+=("$argument") ;;
  esac
done

mkdir -p build/stress
if [[ -z $build ]]; then
  build=build/release
  tools/setup.sh
  cmake --preset release >build/stress/configure.log || {
    cat build/stress/configure.log >&2
    echo "tools/stress.sh: CMake could not configure; its output is above" >&2
    exit 2
  }
fi
cmake --build "$build" --parallel "$(build_jobs)" --target "$program"
ulimit -c unlimited
if [[ $program == distributed_stress ]]; then
  nice "$build/tests/$program" --keys=1000000 --operations=1000000 --sessions=1 --patience=60000 --progress \
    --folder=build/stress/distributed "${arguments[@]}"
  exec nice "$build/tests/$program" --worker_kills=1000 --primary_kills=200 --progress \
    --folder=build/stress/distributed "${arguments[@]}"
fi
exec nice "$build/tests/$program" --seconds=600 --kernels=all --progress --folder=build/stress/databases \
  --json=build/stress/stress.json "${arguments[@]}"

#!/bin/bash
# Runs random operations on RocksDB databases with Winnow's filters for ten minutes by default, and compares
# every answer with a model: writes of all kinds, lookups, iterators, snapshots, transactions, ingestion,
# compactions, changed options at every open, kill -9. Prints a table of the operations, appends it as a line
# of JSON to build/stress/stress.json, and fails at the first wrong answer, if a process ends abnormally, or
# if too little was tested.
#
#   tools/stress.sh [--build=DIR] [--seconds=N] [--seed=N] [--threads=N] [--processes=N]
#                   [--kernels=all|NAME,…] [--folder=DIR] [--plans [--least_learned=SHARE]]
#                   [--life=SECONDS] [--operations=N] …
#   tools/stress.sh --distributed [--build=DIR] [--folder=DIR] [--workers=N] [--policy=POLICY] …
#
# --distributed runs compactions in four worker processes, and compares the filter of each file from them with
# one that is built from its keys; nothing is added to the JSON. The test writes a million keys, then kills
# workers 1,000 times and the database 200 times. Other arguments are passed to distributed_stress.
#
# --build is a build folder of Winnow, such as one that tools/test_rocksdb.sh made for another RocksDB; by
# default the preset release is configured and built. Other arguments are passed to winnow_stress; its --help
# lists them, and its exit codes. On a failure, the process's folder is kept, with the database, a copy of it
# from the time of the failure, and a core dump if there is one.
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

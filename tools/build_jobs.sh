# Sourced by the scripts that build. A function, since the memory that is free changes.
# shellcheck shell=bash

# How many compiler processes to run at a time. One takes up to a gigabyte: as many as there are
# processors, but no more than fit.
build_jobs() {
  local jobs memory_kib
  jobs=$(nproc)
  memory_kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
  ((jobs * 1048576 <= memory_kib)) || jobs=$((memory_kib / 1048576))
  ((jobs >= 1)) || jobs=1
  printf '%s\n' "$jobs"
}

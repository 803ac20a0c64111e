# Defines the function build_jobs for scripts that source this file. Free memory changes over time.

# Prints the number of compiler processes to run at a time: the number of processors, limited by free memory
# at 1 GiB per process.
build_jobs() {
  local jobs memory_kib
  jobs=$(nproc)
  memory_kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
  ((jobs * 1048576 <= memory_kib)) || jobs=$((memory_kib / 1048576))
  ((jobs >= 1)) || jobs=1
  printf '%s\n' "$jobs"
}

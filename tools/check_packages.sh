#!/bin/bash
# A part of tools/package.sh --check, which runs it in a bare chroot without compiler and source:
#   check_packages.sh install|upgrade|rocksdb
# install  installs everything up to the first filter in a database, and purges it, which must leave nothing
# upgrade  upgrades from /before to /packages while a database is open, and downgrades
# rocksdb  runs RocksDB's programs of the next Debian with these packages, and with that Debian's packages in /next
# Prints commands with a leading +; their output is in /tmp/said.
set -euo pipefail
# The chroot has no home folders.
cd /

fail() {
  printf 'tools/check_packages.sh: %s\n' "$*" >&2
  exit 1
}

# run COMMAND: prints and runs a user's command; fails if it does.
run() {
  local status=0
  echo "+ $*"
  (eval "$*") >/tmp/said 2>&1 || status=$?
  if ((status)); then
    cat /tmp/said >&2
    fail "'$*' ends with $status; what it said is above"
  fi
}
# said PATTERN: fails unless the last command's output has a matching line.
said() {
  grep -E "$1" /tmp/said || {
    cat /tmp/said >&2
    fail "expected a line '$1'; what was said is above"
  }
}

# names_in FOLDER…: prints the names of the packages in the folders.
names_in() {
  find "$@" -name '*.deb' -exec dpkg-deb --field {} Package \; | sort -u | paste -sd ' '
}

# Prints the state of the system: packages, files, and checksums of configuration files.
state() {
  dpkg-query --show --showformat='${Package} ${Version} ${db:Status-Status}\n'
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /packages -o -path /before -o -path /next \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' \) -prune \
    -o -printf '%p %y %m %u %g %l\n' | sort
  find /etc -type f -print0 | sort -z | xargs -0 sha256sum
}

# Purges Winnow's packages, including ones that an upgrade leaves, such as an older libwinnow-amq, and the
# packages that were installed with them. Fails if anything is left.
purge() {
  run "apt-get purge -y rocksdb-tools $(names_in /packages /before)"
  # Packages that other packages recommend are removed, too, if they were installed with Winnow's.
  run apt-get autoremove --purge -y -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false
  state >/tmp/after
  diff /tmp/bare /tmp/after >/tmp/difference || {
    head -n 40 /tmp/difference >&2
    fail "after all packages were purged $(wc -l </tmp/difference) lines are left, or not as they were (<): above are the first"
  }
  echo "== nothing is left: $(wc -l </tmp/after) packages, files and sums are as before"
}

preloaded='LD_PRELOAD=libwinnow_preload.so WINNOW_POLICY=winnow:10 WINNOW_LOG=1'

install() {
  local started=$SECONDS
  run "cd /packages && apt-get install -y ./*.deb rocksdb-tools"
  echo "== installed $(wc -w <<<"$(names_in /packages)") packages, after $((SECONDS - started)) s with what was downloaded"
  run "$preloaded db_bench --benchmarks=fillseq,compact,readrandom --num=100000 --bloom_bits=10 --compression_type=none --db=/tmp/first"
  said '^winnow: in force in db_bench'
  said '\(100000 of 100000 found\)'
  run winnow inspect --summary /tmp/first
  said '^converted: 100\.0 %'
  echo "== the first filter of Winnow's after $((SECONDS - started)) s, from apt-get install on"

  # A renamed RocksDB library stands for one that a program bundles, which only winnow-plugins reaches.
  mkdir /tmp/carried
  local file
  for file in /usr/bin/db_bench /usr/lib/*/librocksdb.so.*; do
    LC_ALL=C sed 's/librocksdb/libcarried/g' "$file" >"/tmp/carried/$(basename "${file/librocksdb/libcarried}")"
  done
  chmod +x /tmp/carried/db_bench
  local carried="LD_LIBRARY_PATH=/tmp/carried $preloaded /tmp/carried/db_bench --use_existing_db=true --benchmarks=readrandom"
  carried+=' --num=100000 --bloom_bits=10 --db=/tmp/first'
  run "$carried"
  said '^winnow: not in force in .*libcarried.* is left alone$'
  said '\(100000 of 100000 found\)'
  run "cd /packages/plugins && apt-get install -y ./*.deb"
  run "$carried"
  said '^winnow: in force in .*; bound to the RocksDB inside .*libcarried'
  said '\(100000 of 100000 found\)'
}

# wait_for_write KEY: waits until the key is in the write-ahead log of the open database, at most two minutes.
wait_for_write() {
  local i
  for ((i = 0; i < 1200; i++)); do
    grep -qs "$1" /tmp/open/*.log && return
    sleep 0.1
  done
  fail "expected that $1 is written within two minutes: $(cat /tmp/open.out /tmp/open.err)"
}

upgrade() {
  local from to process
  run "cd /before && apt-get install -y ./*.deb rocksdb-tools"
  from=$(dpkg-query --show --showformat='${Version}' winnow-preload)
  run "ldb --db=/tmp/open --create_if_missing put first 1"

  # This program has the database open and writes on command.
  mkfifo /tmp/orders
  # shellcheck disable=SC2086 # variables
  env $preloaded ldb --db=/tmp/open --bloom_bits=10 query </tmp/orders >/tmp/open.out 2>/tmp/open.err &
  process=$!
  exec 3>/tmp/orders
  echo "put during_$from 2" >&3
  wait_for_write "during_$from"
  grep -q libwinnow_rocksdb "/proc/$process/maps" || fail "ldb has not opened the plugin: $(cat /tmp/open.err)"

  run "cd /packages && apt-get install -y ./*.deb"
  to=$(dpkg-query --show --showformat='${Version}' winnow-preload)
  dpkg --compare-versions "$to" gt "$from" || fail "expected a version above $from, found $to"
  grep -q 'libwinnow_rocksdb.*(deleted)' "/proc/$process/maps" || fail "the plugin was not replaced under ldb"
  echo "put during_$to 3" >&3
  wait_for_write "during_$to"
  printf '%s\n' "get first" "get during_$from" "get during_$to" >&3
  exec 3>&-
  wait "$process" || fail "ldb, which had its database open, ends with $?: $(cat /tmp/open.out /tmp/open.err)"
  [[ $(grep -c ' ==> [123]$' /tmp/open.out) == 3 ]] || fail "ldb has not found its three keys: $(cat /tmp/open.out)"
  echo "== upgraded from $from to $to under a program with an open database, which went on and ended well"

  # Without the guard of 2.0, ldb writes a merge operator into OPTIONS files.
  sed -i 's/^\( *merge_operator=\).*/\1nullptr/' /tmp/open/OPTIONS-*
  run "$preloaded ldb --db=/tmp/open --bloom_bits=10 compact"
  said '^winnow: in force in ldb'
  run "$preloaded ldb --db=/tmp/open scan"
  [[ $(grep -cE '^(first|during_.*) (:|==>) [123]$' /tmp/said) == 3 ]] || fail "expected three keys: $(cat /tmp/said)"
  run winnow verify /tmp/open
  run winnow inspect --summary /tmp/open
  said '^converted: 100\.0 %'
}

rocksdb() {
  local bench='db_bench --use_existing_db=true --benchmarks=readrandom --num=100000 --db=/tmp/first'
  run "cd /packages && apt-get install -y ./*.deb rocksdb-tools"
  run "$preloaded db_bench --benchmarks=fillseq,compact --num=100000 --bloom_bits=10 --compression_type=none --db=/tmp/first"
  echo "deb http://deb.debian.org/debian $1 main" >/etc/apt/sources.list.d/next.list
  run apt-get update
  run apt-get install -y -t "$1" rocksdb-tools
  run apt-get check
  # Development packages are removed, since they belong to the previous RocksDB.
  dpkg-query --show --showformat='${db:Status-Abbrev}${Package} ${Version}\n' 'librocksdb*' '*winnow*' | sed -n 's/^ii //p'
  run "$preloaded $bench"
  said '^winnow: not in force in db_bench.*is left alone'
  said '\(100000 of 100000 found\)'
  run winnow verify /tmp/first
  echo "== RocksDB's programs of $1 read all keys without Winnow, and say so; the tool goes on with its own RocksDB"
  if compgen -G '/next/*.deb' >/dev/null; then
    run "cd /next && apt-get install -y ./*.deb"
    run "$preloaded $bench"
    said '^winnow: in force in db_bench'
    said '\(100000 of 100000 found\)'
    run winnow verify /tmp/first
    run apt-get autoremove -y
    run apt-get check
    echo "== with the packages for $1 Winnow is in force again, in the same database"
  fi
}

run apt-get update
case $1 in
install | upgrade)
  state >/tmp/bare
  "$1"
  purge
  ;;
rocksdb) rocksdb "$2" ;;
*) fail "expected install, upgrade or rocksdb, found '$1'" ;;
esac

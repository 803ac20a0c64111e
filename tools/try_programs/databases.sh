# Sourced by tools/try_programs.sh: makes databases with third-party programs, and runs winnow inspect, verify
# and probe on them.
# shellcheck shell=bash disable=SC2034,SC2154 # variables are set and used in the sourcing script
#
# Checks for each database: exit codes are those of the try (0, or 2 if a file can't be verified or has
# another format); inspect and verify list every SST file, none with a fault; `probe --exact` finds the given
# keys; no process ends by a signal; and the folder is unchanged, including times and inodes of all files. If
# its filters are by bloomfilter:10, the numbers that advise predicts for this policy are compared with those
# that it counts: bytes within 3%, false reads within 15% or four standard deviations. For a database that is
# being written to: no fault, and exit code 0. Then `winnow refilter` gives the files Winnow's filters, and those of
# bloomfilter:10 again, where the program's own answers must stay the same. MariaDB's RocksDB is out of Winnow's reach, so
# it passes over Winnow's filters, and asks RocksDB's. Each line of output is a row of a table.

packages=(mariadb-server mariadb-plugin-rocksdb ceph-mon ceph-base balboa balboa-backend-rocksdb rocksdb-tools sortmerna
  python3)
default_file=build/release/bin/winnow

# Helpers of the tries ######################################################################################

# program COMMAND…: runs a third-party program with a timeout of two minutes, and records its output.
program() { timeout --kill-after=5 120 "$@" </dev/null >>"$said/program" 2>&1; }

# start COMMAND…: starts a program in the background; sets $server to its process ID.
start() {
  "$@" </dev/null >>"$said/program" 2>&1 &
  server=$!
}

await_server() {
  local i
  for ((i = 0; i < 300; ++i)); do
    if "$@" >/dev/null 2>&1; then return; fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  problem "the server does not serve"
  return 1
}

stop_server() {
  kill "$server" 2>/dev/null || true
  wait "$server" || true
}

problem() { echo "$*" >>"$said/problems"; }

# number NUMBER: prints the key of db_bench for this number, in hexadecimal digits.
number() { printf '%016x3030303030303030' "$1"; }

# text STRING: prints a string with printf's escapes in hexadecimal digits.
text() { printf '%b' "$1" | od -An -v -tx1 | tr -d ' \n'; }

list_folder() { find "$1" -printf '%p %y %s %T@ %C@ %i\n' | sort; }

# tool VERB ARGUMENT…: runs winnow with output in $said/VERB.out and .err, and prints its exit code.
tool() {
  local verb=$1 status=0
  timeout --kill-after=5 300 "$winnow" "$@" </dev/null >"$said/$verb.out" 2>"$said/$verb.err" || status=$?
  echo "$status"
}

# judge FOLDER INSPECT VERIFY PROBE [KEY…]: checks the database against the expected exit codes. KEYs are
# existing keys in hexadecimal digits; without any, a missing key is looked up.
judge() {
  local folder=$1 expected="$2 $3 $4" got before
  shift 4
  before=$(list_folder "$folder")
  tool advise "$folder" --all --json >/dev/null
  cat "$(find "$folder" -name 'OPTIONS-*' | sort | tail -n 1)" >"$said/options"
  got="$(tool inspect "$folder" --json) $(tool verify "$folder" --json) $(tool probe "$folder" --hex --exact --json "${@:-00}")"
  if [[ $(list_folder "$folder") != "$before" ]]; then problem "the folder has changed"; fi
  if [[ $got != "$expected" ]]; then problem "exit codes of inspect, verify and probe $got instead of $expected"; fi
  sum_up "$(find "$folder" -name '*.sst' | wc -l)" "$#" "$got"
}

# Prefix of programs that ask a database: none, or what gives them Winnow's policy.
over=()

# there_and_back FOLDER ANSWERS: gives the files Winnow's filters and then RocksDB's, and compares what the function
# ANSWERS prints before, between and after. Prints how many files changed.
there_and_back() {
  local folder=$1 answers=$2 policy changed=()
  over=()
  "$answers" >"$said/answers" 2>>"$said/program"
  [[ -s $said/answers ]] || problem "the program gives no answers"
  for policy in winnow:10 bloomfilter:10; do
    if [[ $(tool refilter "$folder" --policy="$policy" --json) != 0 ]]; then
      problem "refilter to $policy: $(head -c 300 "$said/refilter.err")"
      return
    fi
    changed+=("$(sed -n 's/^ *"changed": \([0-9]*\).*/\1/p' "$said/refilter.out")")
    [[ $(tool verify "$folder" --json) == 0 ]] || problem "verify finds faults after refilter to $policy"
    over=()
    [[ $policy != winnow:10 ]] || over=("$winnow" run --policy=winnow:10 --)
    "$answers" >"$said/answers.$policy" 2>>"$said/program"
    cmp -s "$said/answers" "$said/answers.$policy" || problem "other answers after refilter to $policy"
  done
  echo "${changed[0]}, ${changed[1]}"
}

# sum_up FILES KEYS CODES: checks the recorded output, and prints the cells of the row.
sum_up() {
  python3 - "$said" "$@" <<'PYTHON'
import json, re, sys
said, files, keys, codes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
problems = open(said + "/problems", "a")
def load(verb):
    try:
        return json.load(open(said + "/" + verb + ".out"))
    except ValueError:
        problems.write(verb + " wrote no JSON: " + open(said + "/" + verb + ".err").read()[:300] + "\n")
        return {"files": [], "keys": []}
inspect, verify, probe = load("inspect"), load("verify"), load("probe")
for verb, document in ("inspect", inspect), ("verify", verify):
    if len(document["files"]) != files:
        problems.write("%s knows %d of %d files\n" % (verb, len(document["files"]), files))
for verb in "inspect", "verify", "probe":
    words = open(said + "/" + verb + ".out").read() + open(said + "/" + verb + ".err").read()
    for sign in "did not get through", "Assertion", "signal":
        if sign in words:
            problems.write("%s says '%s'\n" % (verb, sign))
faults = [f for f in verify["files"] if f["faults"]]
errors = [f for f in verify["files"] if f["error"]]
for f in faults:
    problems.write("verify: %s: %s\n" % (f["path"], f["faults"][0]))
present = sum(1 for key in probe["keys"] if key["entries"])
if present < keys:
    problems.write("%d of %d keys are present by probe\n" % (present, keys))
def foretold():
    if not re.search(r"filter_policy=(\{id=)?bloomfilter:10(\.0)?[:;}\n]", open(said + "/options").read()):
        return "-"
    advice = load("advise")
    rows = [row for row in advice.get("rows", []) if "bloomfilter:10" in row["policies"]]
    counted = advice["rows"][0]["counted_false_reads"] if rows else 0
    if not rows or not rows[0]["filter_bytes"]:
        return "-"
    bytes_to_now = rows[0]["bytes_to_now"]
    reads = rows[0]["false_reads_per_lookup"] * advice["lookups"]["count"]
    if abs(bytes_to_now - 1) > 0.03:
        problems.write("advise: bloomfilter:10 takes %.3f of its own filters' bytes\n" % bytes_to_now)
    if abs(reads - counted) > max(0.15 * counted, 4 * max(reads, counted) ** 0.5):
        problems.write("advise: bloomfilter:10 has %.0f false reads, and %d are counted\n" % (reads, counted))
    return "%.2f, %.2f" % (bytes_to_now, reads / counted if counted else 1)
kinds = sorted(set(f["kind"] for f in verify["files"]))
reasons = sorted(set(re.sub(r"\S*\.sst", "FILE", f["error"])[:160] for f in errors))
print("%d | %s | %d | %d | %s | %s | %s" % (files, ", ".join(kinds), sum(f["keys"] for f in verify["files"]),
      sum(1 for f in verify["files"] if f["ok"]), codes, foretold(), "; ".join(reasons)), end=" | ")
PYTHON
}

# The tries #################################################################################################
# Each try is a function that runs in its own new folder.

bench() {
  bench_flags=(--db=db --num=60000 --value_size=60 --write_buffer_size=1048576 --target_file_size_base=1048576
    --max_bytes_for_level_base=4194304 --seed=1 "$@")
  program db_bench "${bench_flags[@]}"
}

# Prints how many keys db_bench finds, with the flags of its last run.
bench_answers() {
  "${over[@]}" db_bench "${bench_flags[@]}" --use_existing_db=true --disable_auto_compactions=true --num=60000 --reads=60000 \
    --benchmarks=readrandom,readmissing,readseq | grep -oE '^read[a-z]*|\(?[0-9]+ of [0-9]+ found'
}

# judge_bench KEY…: judges db_bench's database, with exit codes of 0, and refilters it.
judge_bench() {
  judge db 0 0 0 "$@"
  there_and_back db bench_answers
}

try_db_bench() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10
  bench --benchmarks=deleterandom,flush --use_existing_db=true --num=3000 --bloom_bits=10
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_defaults() {
  bench --benchmarks=fillrandom
  judge_bench
}

try_db_bench_partitions() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --partition_index_and_filters=true --metadata_block_size=512
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_ribbon() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --use_ribbon_filter=true --format_version=5
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_legacy() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --format_version=2
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_prefixes() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --prefix_size=6 --whole_key_filtering=false
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_families() {
  bench --benchmarks=fillseq --bloom_bits=10 --num_column_families=4
  # Opening the database again flushes each family's memtable into a file.
  bench --benchmarks=overwrite --use_existing_db=true --num=1000 --bloom_bits=10 --num_column_families=4
  judge_bench "$(number 8)"
}

try_db_bench_timestamps() {
  bench --benchmarks=fillseq --bloom_bits=10 --user_timestamp_size=8
  judge_bench 0000000000000007 0000000000001234
}

try_db_bench_blobs() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --enable_blob_files=true --min_blob_size=10
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_universal() {
  bench --benchmarks=fillseq,overwrite --bloom_bits=10 --compaction_style=1
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_merges() {
  bench --benchmarks=fillseq,mergerandom --bloom_bits=10 --merge_operator=stringappend
  judge_bench "$(number 7)" "$(number 31234)"
}

try_db_bench_plain_tables() {
  bench --benchmarks=fillseq --use_plain_table=true --mmap_read=true --prefix_size=8 --compression_type=none
  judge db 2 2 2
  echo -
}

try_db_bench_cuckoo_tables() {
  bench --benchmarks=fillseq --use_cuckoo_table=true --mmap_read=true --compression_type=none --allow_concurrent_memtable_write=false
  judge db 2 2 2
  echo -
}

try_ldb() {
  seq 20000 | sed 's/.*/key& ==> value&/' >pairs
  program bash -c 'ldb --db=db --create_if_missing --bloom_bits=14 load <pairs && ldb --db=db --bloom_bits=14 compact'
  program ldb --db=db --bloom_bits=14 put later 1
  judge db 0 0 0 "$(text key77)" "$(text key19999)"
  there_and_back db ldb_answers
}

ldb_answers() {
  "${over[@]}" ldb --db=db scan
  for key in key77 key19999 later key20001; do "${over[@]}" ldb --db=db get "$key"; done
}

try_sortmerna() {
  awk 'BEGIN {
    srand(7)
    for (i = 0; i < 5; ++i) {
      for (j = 0; j < 1500; ++j) known[i] = known[i] substr("ACGT", 1 + int(rand() * 4), 1)
      print ">reference" i "\n" known[i] >"references.fa"
    }
    for (i = 0; i < 3000; ++i) {
      print ">read" i "\n" substr(known[int(rand() * 5)], 1 + int(rand() * 1400), 100) >"reads.fa"
    }
  }'
  # The second run opens the database of the first one again, which then has a file.
  program sortmerna --ref references.fa --reads reads.fa --workdir work --fastx --blast 1 --threads 1 --task 0
  program sortmerna --ref references.fa --reads reads.fa --workdir work --fastx --blast 1 --threads 1 --task 2
  judge work/kvdb 0 0 0
  there_and_back work/kvdb sortmerna_answers
}

# The report on the alignments, which it reads from its database.
sortmerna_answers() {
  rm -rf work/out
  "${over[@]}" sortmerna --ref references.fa --reads reads.fa --workdir work --fastx --blast 1 --threads 1 --task 2 >>"$said/program"
  cat work/out/aligned.fa work/out/aligned.blast
}

try_balboa() {
  local port web i entries=0
  port=$(free_port)
  web=$(free_port)
  start balboa-rocksdb -d db -l 127.0.0.1 -p "$port"
  await_server bash -c ": </dev/tcp/127.0.0.1/$port"
  local backend=$server
  printf 'feeder:\n  - name: S\n    type: socket\n    path: %s\n    input_format: suricata_dns\n' "$PWD/sock" >feeders.yaml
  start balboa serve -f feeders.yaml -H "127.0.0.1:$port" -l web.json -p "$web"
  await_server test -S sock
  program python3 -c 'import json, socket
s = socket.socket(socket.AF_UNIX); s.connect("sock")
for i in range(5000):
    s.sendall((json.dumps({"timestamp": "2020-01-01T00:00:00.000000+0000", "event_type": "dns", "host": "h",
      "dns": {"type": "answer", "rrname": "n%d.example.org" % i, "rrtype": "A", "rdata": "10.0.%d.%d" % (i >> 8, i & 255)}}) + "\n").encode())'
  for ((i = 0; i < 100 && entries < 5000; ++i)); do
    sleep 0.2
    entries=$(balboa-backend-console dump -p "$port" 2>/dev/null | balboa-backend-console jsonize 2>/dev/null | wc -l)
  done
  stop_server
  server=$backend
  stop_server
  # A restart flushes the memtable into a file.
  balboa_answers >/dev/null
  judge db 0 0 0
  there_and_back db balboa_answers
}

balboa_answers() {
  local port
  port=$(free_port)
  start "${over[@]}" balboa-rocksdb -d db -l 127.0.0.1 -p "$port"
  await_server bash -c ": </dev/tcp/127.0.0.1/$port"
  balboa-backend-console dump -p "$port" | balboa-backend-console jsonize | sort
  stop_server
}

try_ceph() {
  local options=(--conf /dev/null --no-mon-config --log-to-stderr=false --err-to-stderr=true --log-file= --admin-socket=) i
  program ceph-authtool --create-keyring keyring --name=mon. --add-key=AQAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA== --cap mon 'allow *'
  program monmaptool --create --addv a "[v2:127.0.0.1:1]" --fsid 11111111-1111-1111-1111-111111111111 monmap
  program ceph-mon --mkfs -i a --mon-data mon --monmap monmap --keyring keyring "${options[@]}"
  seq 1000 >value
  for ((i = 0; i < 40; ++i)); do
    program ceph-kvstore-tool rocksdb mon/store.db set try "key$i" in value
  done
  program ceph-kvstore-tool rocksdb mon/store.db compact
  program ceph-kvstore-tool rocksdb mon/store.db set try later ver 1
  judge mon/store.db 0 0 0 "$(text 'try\0key7')" "$(text 'try\0key39')"
  # Its RocksDB of before 6.15 may give a new file the number of one that the MANIFEST does not name.
  [[ $(tool refilter mon/store.db --policy=winnow:10) == 2 ]] || problem "refilter does not end with 2"
  grep -q 'open and close it once with 6.15 or later' "$said/refilter.err" || problem "refilter does not refuse it"
  echo "refused: RocksDB before 6.15"
}

sql() { program mariadb --no-defaults --socket=sock --user=root --execute="$1" mysql; }

# start_mariadb FILTER: starts a server on its data.
start_mariadb() {
  start "${over[@]}" mariadbd "${mariadb_options[@]}" --socket="$PWD/sock" --skip-networking --pid-file="$PWD/pid" \
    --plugin-load-add=ha_rocksdb --innodb-buffer-pool-size=16M --innodb-use-native-aio=OFF --tmpdir="$PWD" \
    --loose-rocksdb-default-cf-options="block_based_table_factory={filter_policy=$1}"
  await_server mariadb-admin --no-defaults --socket=sock ping
}

# serve_mariadb FILTER: creates a table of 20,000 rows in a server, and keeps the server running.
serve_mariadb() {
  mariadb_filter=$1
  mariadb_options=(--no-defaults --datadir="$PWD/data")
  mkdir data
  if ((EUID == 0)); then
    chown mysql: . data
    mariadb_options+=(--user=mysql)
  fi
  program mariadb-install-db "${mariadb_options[@]}" --force --auth-root-authentication-method=normal --skip-test-db
  start_mariadb "$1"
  sql "CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(100), back INT, KEY (word), KEY (back) COMMENT 'rev:backwards') ENGINE=ROCKSDB;
    INSERT INTO t SELECT seq * 2, MD5(seq), seq FROM seq_1_to_20000;
    SET GLOBAL rocksdb_force_flush_memtable_now = 1;
    DELETE FROM t WHERE id % 5 = 0; UPDATE t SET word = REVERSE(word) WHERE id > 30000;
    SET GLOBAL rocksdb_force_flush_memtable_now = 1; SET GLOBAL rocksdb_compact_cf = 'default'"
}

# Checks the table, looks up each row by its key and by each index, absent ones too, and lists the rows.
mariadb_answers() {
  start_mariadb "$mariadb_filter"
  mariadb --no-defaults --socket=sock --user=root mysql --execute="CHECK TABLE t;
    SELECT COUNT(*), SUM(t.back) FROM seq_1_to_45000 s STRAIGHT_JOIN t FORCE INDEX (PRIMARY) ON t.id = s.seq;
    SELECT COUNT(*), SUM(t.back) FROM seq_1_to_20000 s STRAIGHT_JOIN t FORCE INDEX (word) ON t.word = MD5(s.seq);
    SELECT COUNT(*), SUM(t.id) FROM seq_1_to_25000 s STRAIGHT_JOIN t FORCE INDEX (back) ON t.back = s.seq;
    SELECT * FROM t ORDER BY id; SELECT id FROM t FORCE INDEX (back) ORDER BY back DESC"
  stop_server
}

try_mariadb() {
  serve_mariadb bloomfilter:10:false
  stop_server
  judge 'data/#rocksdb' 0 0 0
  there_and_back 'data/#rocksdb' mariadb_answers
}

try_mariadb_no_filter() {
  serve_mariadb nullptr
  stop_server
  judge 'data/#rocksdb' 0 0 0
  there_and_back 'data/#rocksdb' mariadb_answers
}

# The new ends are prepared while the server has the database open.
try_mariadb_serving() {
  serve_mariadb bloomfilter:10:false
  judge 'data/#rocksdb' 0 0 0
  [[ $(tool refilter 'data/#rocksdb' --policy=winnow:10 --prepare --json) == 0 ]] || problem "refilter --prepare fails"
  stop_server
  there_and_back 'data/#rocksdb' mariadb_answers
}

# While the database is written to, files are created and deleted, so their number is not checked.
try_db_bench_writing() {
  local round verb status read=0 faults=0 files=0
  bench --benchmarks=fillseq --bloom_bits=10
  # The loop ends together with the program in it.
  # shellcheck disable=SC2016
  start bash -c 'trap "kill \$child; exit" TERM
    while :; do
      db_bench --db=db --use_existing_db=true --benchmarks=overwrite,deleterandom --num=60000 --value_size=60 --bloom_bits=10 \
        --write_buffer_size=262144 --target_file_size_base=524288 --max_bytes_for_level_base=1048576 --duration=3 \
        --benchmark_write_rate_limit=4000000 &
      child=$!
      wait
    done'
  for ((round = 0; round < rounds; ++round)); do
    for verb in inspect verify probe; do
      if [[ $verb == probe ]]; then
        status=$(tool probe db --hex --exact --json "$(number 7)")
      else
        status=$(tool "$verb" db --json)
      fi
      ((++read))
      if ((status)); then
        ((++faults))
        problem "round $round: $verb ended with $status: $(head -c 300 "$said/$verb.err")"
        cp "$said/$verb.out" "$said/$verb.$round.out"
      fi
    done
    files=$((files + $(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["files"]))' "$said/verify.out" || echo 0)))
  done
  stop_server
  ((files > rounds)) || problem "only $files files were verified in $rounds rounds"
  echo "$files | in $rounds rounds | - | - | 0 in $((read - faults)) of $read | - |  | -"
}

# Name, function, and required programs.
tries=(
  'db_bench try_db_bench db_bench'
  'db_bench-defaults try_db_bench_defaults db_bench'
  'db_bench-partitions try_db_bench_partitions db_bench'
  'db_bench-ribbon try_db_bench_ribbon db_bench'
  'db_bench-legacy try_db_bench_legacy db_bench'
  'db_bench-prefixes try_db_bench_prefixes db_bench'
  'db_bench-families try_db_bench_families db_bench'
  'db_bench-timestamps try_db_bench_timestamps db_bench'
  'db_bench-blobs try_db_bench_blobs db_bench'
  'db_bench-universal try_db_bench_universal db_bench'
  'db_bench-merges try_db_bench_merges db_bench'
  'db_bench-plain-tables try_db_bench_plain_tables db_bench'
  'db_bench-cuckoo-tables try_db_bench_cuckoo_tables db_bench'
  'db_bench-writing try_db_bench_writing db_bench'
  'ldb try_ldb ldb'
  'sortmerna try_sortmerna sortmerna'
  'balboa-rocksdb try_balboa balboa balboa-rocksdb balboa-backend-console'
  'ceph-kvstore-tool try_ceph ceph-mon ceph-kvstore-tool ceph-authtool monmaptool'
  'mariadb try_mariadb mariadbd mariadb-install-db'
  'mariadb-no-filter try_mariadb_no_filter mariadbd mariadb-install-db'
  'mariadb-serving try_mariadb_serving mariadbd mariadb-install-db'
)

# try NAME FUNCTION PROGRAM…: runs a try, prints its row, and counts results.
try() {
  local name=$1 function=$2 program row=
  shift 2
  for program in "$@"; do
    if ! type "$program" >/dev/null 2>&1; then
      echo "| $name | skipped: $program is not installed |"
      ((++skipped))
      return
    fi
  done
  said=$home/said/$name
  mkdir -p "$said" "$home/$name"
  chmod 755 "$home/$name"
  : >"$said/problems"
  : >"$said/row"
  (
    server=
    trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true' EXIT
    cd "$home/$name"
    "$function" >"$said/row"
  ) || problem "the try itself failed: $(tail -n 1 "$said/program")"
  row=$(<"$said/row")
  echo "| $name | $row |"
  if [[ -s $said/problems ]]; then
    head -n 8 "$said/problems" | cut -c 1-300 | sed 's/^/    NOT AS EXPECTED: /'
    ((++different))
  else
    ((++good))
  fi
  if [[ ! $keep ]]; then rm -rf "${home:?}/$name"; fi
}

begin() {
  [[ -x $1 ]] || usage "there is no program $1"
  winnow=$(realpath "$1")
  "$winnow" --version
  echo
  echo "| database | SST files | filters | keys asked | files good | inspect, verify, probe | bytes and false reads predicted, to now | not verified, as | files refiltered, there and back |"
  echo "|---|---:|---|---:|---:|---|---|---|---|"
}

sum_up_all() {
  echo
  echo "$good as expected, $different not, $skipped skipped."
}

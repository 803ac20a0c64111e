# Sourced by tools/try_programs.sh: runs programs with and without a preloaded library, and compares their
# output.
# shellcheck shell=bash disable=SC2034,SC2154 # variables are set and used in the sourcing script
#
# Each try runs twice without the library, to show that its output is reproducible, and once with LD_PRELOAD
# exported to it and to all processes that it starts. Databases are also written with the library and read
# without it, and the reverse. For each command, exit status, stdout and stderr are compared after
# normalization of dates, numbers of seconds, threads and processes, addresses (0x and at least eight digits),
# ports, and sortmerna's kilobytes. Lines of a server's log are sorted, and MariaDB's notes left out. All runs
# use one folder. Servers listen on Unix sockets, or on ports of 127.0.0.1 if they don't support these.
#
# Each try prints a line: same, differs (with the differing lines), unsteady (differs without the library), or
# skipped with the reason.

packages=(mariadb-server mariadb-plugin-rocksdb ceph-mon ceph-osd balboa balboa-backend-rocksdb
  rocksdb-tools sortmerna git nodejs perl python3)
default_file=build/release/lib/libwinnow_preload.so

# Helpers of the tries ######################################################################################

# Variables for the next commands: none, or LD_PRELOAD.
environment=()

# run COMMAND…: runs the command with $environment and a timeout of one minute, and records its output.
run() {
  local status=0
  env "${environment[@]}" timeout --kill-after=5 60 "$@" </dev/null >"$home/stdout" 2>"$home/stderr" ||
    status=$?
  record "$status" "$@"
}

# record STATUS COMMAND…: appends the command, its status and its output to the record.
record() {
  local status=$1
  shift
  {
    printf '$ %s\n' "$*"
    sed 's/^/stdout: /' "$home/stdout"
    sed 's/^/stderr: /' "$home/stderr"
    printf 'status %s%s\n' "$status" "$(signal "$status")"
  } >>"$record"
  ((++commands))
}

# signal STATUS: prints the signal that ended a command, if any.
signal() {
  if (($1 > 128)); then printf ', killed by SIG%s' "$(kill -l "$1")"; fi
}

# start LOG COMMAND…: starts a command in the background with its output in LOG; sets $server to its process
# ID.
start() {
  log=$1
  shift
  started=("$@")
  env "${environment[@]}" "$@" </dev/null >"$log" 2>&1 &
  server=$!
  servers+=("$server")
}

# await_server COMMAND…: waits until the command succeeds; ends the try if the server has ended.
await_server() {
  local i found=0
  for ((i = 0; i < 600; ++i)); do
    if "$@" >/dev/null 2>&1; then
      # Checks that the library is loaded if, and only if, it should be.
      if grep -qF "$library" "/proc/$server/maps"; then found=1; fi
      ((found == ${#environment[@]})) || echo "the library is in the server: $found" >>"$record"
      return
    fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  stop_server
  echo "The server does not serve; the rest was not tried." >>"$record"
  exit 0
}

# stop_server: ends the server, and records its status and its log. The log is sorted, since the order of
# lines from several threads varies.
stop_server() {
  local status=0 i
  kill "$server" 2>/dev/null || true
  for ((i = 0; i < 600; ++i)); do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$server" 2>/dev/null || true
  wait "$server" || status=$?
  normalise <"$log" | sort >"$home/stdout"
  : >"$home/stderr"
  record "$status" "${started[@]}"
}

# change_over: sets the environment for the second half of a try with a database.
change_over() { environment=("${second[@]}"); }

# The tries #################################################################################################
# Each try is a function that runs in its own new folder. Those named carry_… also run with the library in one
# half only.

try_bash() {
  run bash -c 'for i in 1 2 3; do echo "$i" | tr 1-3 a-c; done; (exit 3) || echo "$?"; echo error >&2; exec cat /etc/hostname'
  run bash -c 'seq 1000 | sort -r | head -n 5 | xargs -n 2 -P 1 echo; diff <(seq 3) <(seq 4)'
  run bash --login -c 'echo $-; kill -TERM $$'
}

try_dash() {
  # shellcheck disable=SC2016
  run dash -c 'set -e; for i in 1 2 3; do echo "$i" | tr 1-3 a-c; done; x=$(ls -d /); echo "$x" >&2; false; echo no'
}

try_coreutils() {
  run ls -ld / /nothing
  run sh -c 'tar -C /etc -c --sort=name passwd group | gzip -n | zcat | tar -t; find /etc -maxdepth 1 -name pass\*; awk "END { print NR }" /etc/passwd'
  run sh -c 'env | grep -v ^LD_PRELOAD= | sort'
}

try_python3() {
  run python3 -c 'import json, subprocess, threading, zlib
t = [threading.Thread(target=zlib.crc32, args=(b"x",)) for _ in range(9)]
[i.start() for i in t]; [i.join() for i in t]
print(json.dumps({"a": [1, 2]}), subprocess.check_output(["echo", "child"]))'
  run python3 -c 'import ctypes, ctypes.util
c = ctypes.CDLL(None)
print(c.abs(-3), ctypes.CDLL("libstdc++.so.6")._name, hasattr(c, "NoSuchFunction"))'
  # Opens RocksDB with dlopen(), and then creates a policy and a database.
  run python3 -c 'import ctypes, os
r = ctypes.CDLL("librocksdb.so.7.8", mode=os.RTLD_LOCAL)
for f in ("options_create", "block_based_options_create", "filterpolicy_create_bloom", "open", "readoptions_create", "writeoptions_create", "get"):
    getattr(r, "rocksdb_" + f).restype = ctypes.c_void_p
p = ctypes.c_void_p
r.rocksdb_filterpolicy_create_bloom.argtypes = [ctypes.c_double]
o = p(r.rocksdb_options_create()); r.rocksdb_options_set_create_if_missing(o, 1)
b = p(r.rocksdb_block_based_options_create())
r.rocksdb_block_based_options_set_filter_policy(b, p(r.rocksdb_filterpolicy_create_bloom(10.0)))
r.rocksdb_options_set_block_based_table_factory(o, b)
e = ctypes.c_char_p(); n = ctypes.c_size_t()
d = p(r.rocksdb_open(o, b"db", ctypes.byref(e))); print(e.value)
w = p(r.rocksdb_writeoptions_create())
for i in range(5000):
    k = b"%d" % i; r.rocksdb_put(d, w, k, ctypes.c_size_t(len(k)), k, ctypes.c_size_t(len(k)), ctypes.byref(e))
r.rocksdb_compact_range(d, None, ctypes.c_size_t(0), None, ctypes.c_size_t(0))
g = p(r.rocksdb_readoptions_create())
for k in (b"77", b"4999", b"5000", b"none"):
    v = r.rocksdb_get(d, g, k, ctypes.c_size_t(len(k)), ctypes.byref(n), ctypes.byref(e)); print(k, v and ctypes.string_at(v, n.value), e.value)
r.rocksdb_close(d)'
  # Loads and unloads RocksDB repeatedly.
  run python3 -c 'import _ctypes, os
for _ in range(20): _ctypes.dlclose(_ctypes.dlopen("librocksdb.so.7.8", os.RTLD_NOW))
print("unloaded")'
}

try_perl() {
  run perl -e 'use POSIX; use Digest::SHA "sha1_hex"; print sha1_hex("x"), "\n"; print `echo child`; system("sh", "-c", "exit 3"); print $? >> 8, "\n"; warn "warned\n"; die "died\n"'
  run perl -MDynaLoader -e 'my $r = DynaLoader::dl_load_file("librocksdb.so.7.8", 1); print $r ? "loaded\n" : DynaLoader::dl_error(), "\n"'
}

try_node() {
  run node -e 'console.log(require("crypto").createHash("sha1").update("x").digest("hex"), require("child_process").execSync("echo child") + "")
const { Worker } = require("worker_threads"); new Worker("console.log(6 * 7)", { eval: true }).on("exit", c => { console.error(c); process.exitCode = 3 })'
  run node -p 'require("zlib").gunzipSync(require("zlib").gzipSync("x".repeat(1e6))).length'
}

try_git() {
  local name='-c user.name=n -c user.email=n@example.org' i
  run git init --quiet --initial-branch=main there
  for i in 1 2 3; do
    seq "$i" 100 >"there/file$i"
    run git -C there add --all
    # shellcheck disable=SC2086
    run env GIT_AUTHOR_DATE='2020-01-01 00:00 +0000' GIT_COMMITTER_DATE='2020-01-01 00:00 +0000' \
      git -C there $name commit --message="commit $i"
  done
  run git clone --quiet --no-local there here
  run git -C here log --stat
  run git -C here gc --quiet --aggressive
  run git -C here fsck --no-progress
  run git -C here show no-such
}

try_setuid() {
  run su --shell /bin/sh --command 'id -un; cat /etc/hostname' nobody
  run runuser --user nobody -- sh -c 'id -un'
}

carry_rocksdb_tools() {
  run ldb --db=db --create_if_missing --bloom_bits=10 batchput one 1 two 2
  run bash -c 'seq 5000 | sed "s/.*/& ==> &&/" | ldb --db=db --bloom_bits=10 load'
  run ldb --db=db --bloom_bits=10 compact
  run bash -c 'db_bench --benchmarks=fillseq,compact,readrandom,readmissing --num=20000 --bloom_bits=10 --statistics --seed=1 --progress_reports=0 --db=bench |
    sed -nE "s/^(read[^ ]*).*(\(.* found\))/\1 \2/p; /bloom.filter.(useful|full)/p"'
  change_over
  run bash -c 'ldb --db=db --bloom_bits=10 scan | md5sum'
  run ldb --db=db --bloom_bits=10 get two
  run ldb --db=db --bloom_bits=10 get absent
  run bash -c 'sst_dump --file=db --command=verify | sed "s/[0-9]*\.sst/SST/"'
  run bash -c 'db_bench --use_existing_db --benchmarks=readrandom,readmissing --num=20000 --bloom_bits=10 --statistics --seed=1 --progress_reports=0 --db=bench |
    sed -nE "s/^(read[^ ]*).*(\(.* found\))/\1 \2/p; /bloom.filter.(useful|full)/p"'
}

carry_sortmerna() {
  awk 'BEGIN {
    srand(7)
    for (i = 0; i < 5; ++i) {
      for (j = 0; j < 1500; ++j) known[i] = known[i] substr("ACGT", 1 + int(rand() * 4), 1)
      print ">reference" i "\n" known[i] >"references.fa"
    }
    for (i = 0; i < 2000; ++i) {
      read = substr(known[int(rand() * 5)], 1 + int(rand() * 1400), 100)
      if (i % 2 == 0) for (read = ""; length(read) < 100;) read = read substr("ACGT", 1 + int(rand() * 4), 1)
      print ">read" i "\n" read >"reads.fa"
    }
  }'
  local task
  for task in 0 2; do
    run sortmerna --ref references.fa --reads reads.fa --workdir work --fastx --blast 1 --threads 1 --task "$task"
    change_over
  done
  run cat work/out/aligned.fa work/out/aligned.blast
}

# serve_balboa PORT: starts the database server.
serve_balboa() {
  start backend.log balboa-rocksdb -d db -l 127.0.0.1 -p "$1"
  await_server bash -c ": </dev/tcp/127.0.0.1/$1"
}

carry_balboa() {
  local port web entries=0 i
  port=$(free_port)
  web=$(free_port)
  serve_balboa "$port"
  local backend=$server backend_log=$log backend_command=("${started[@]}")
  printf 'feeder:\n  - name: S\n    type: socket\n    path: %s\n    input_format: suricata_dns\n' "$PWD/sock" >feeders.yaml
  start web.log balboa serve -f feeders.yaml -H "127.0.0.1:$port" -l web.json -p "$web"
  await_server test -S sock
  await_server bash -c ": </dev/tcp/127.0.0.1/$web"
  run python3 -c 'import json, socket
s = socket.socket(socket.AF_UNIX); s.connect("sock")
for i in range(3000):
    s.sendall((json.dumps({"timestamp": "2020-01-01T00:00:00.000000+0000", "event_type": "dns", "host": "h",
      "dns": {"type": "answer", "rrname": "n%d.example.org" % i, "rrtype": "A", "rdata": "10.0.%d.%d" % (i >> 8, i & 255)}}) + "\n").encode())'
  # Entries become visible some time after they were accepted.
  for ((i = 0; i < 100 && entries < 3000; ++i)); do
    sleep 0.2
    entries=$(balboa-backend-console dump -p "$port" 2>/dev/null | balboa-backend-console jsonize 2>/dev/null | wc -l)
  done
  run balboa-backend-console dump -p "$port"
  run bash -c "balboa query -u http://127.0.0.1:$web/query 10.0.0.0/30 | sort"
  for i in n7 n2999 none; do
    run python3 -c 'import json, sys, urllib.request
query = json.dumps({"query": "{ entries(rrname: \"%s.example.org\") { rrname rdata count } }" % sys.argv[2]}).encode()
print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], query, {"Content-Type": "application/json"})).read())' \
      "http://127.0.0.1:$web/query" "$i"
  done
  stop_server
  server=$backend log=$backend_log started=("${backend_command[@]}")
  stop_server
  change_over
  serve_balboa "$port"
  run balboa-backend-console dump -p "$port"
  stop_server
}

ceph_options=(--conf /dev/null --no-mon-config --log-to-stderr=false --err-to-stderr=true --log-file= --admin-socket=)

try_ceph_versions() {
  local program
  for program in ceph-mon ceph-osd ceph-kvstore-tool ceph-bluestore-tool ceph-objectstore-tool; do
    if ! type "$program" >/dev/null 2>&1; then continue; fi
    run "$program" --version
    run "$program" --help
  done
}

make_monitor() {
  run ceph-authtool --create-keyring keyring --name=mon. --add-key=AQAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA== --cap mon 'allow *'
  run ceph-authtool keyring --name=client.admin --add-key=AQAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAA== --cap mon 'allow *'
  run monmaptool --create --addv a "[v2:127.0.0.1:$1]" --fsid 11111111-1111-1111-1111-111111111111 monmap
  run ceph-mon --mkfs -i a --mon-data mon --monmap monmap --keyring keyring "${ceph_options[@]}"
}

carry_ceph_kvstore_tool() {
  local store=mon/store.db i
  make_monitor 1
  run ceph-kvstore-tool rocksdb "$store" list
  run ceph-kvstore-tool rocksdb "$store" store-copy copy 100 rocksdb
  store=copy
  seq 10000 >value
  for i in 1 2 3 4 5 6; do
    run ceph-kvstore-tool rocksdb "$store" set try "key$i" in value
    run ceph-kvstore-tool rocksdb "$store" set try "number$i" ver "$i"
  done
  run ceph-kvstore-tool rocksdb "$store" compact
  change_over
  run ceph-kvstore-tool rocksdb "$store" list
  run ceph-kvstore-tool rocksdb "$store" list-crc try
  run ceph-kvstore-tool rocksdb "$store" get try key3 out got
  run cmp value got
  run ceph-kvstore-tool rocksdb "$store" get try absent
  run ceph-kvstore-tool rocksdb "$store" rm try key3
  run ceph-kvstore-tool rocksdb "$store" compact-prefix try
  run ceph-kvstore-tool rocksdb "$store" exists try key3
  run ceph-kvstore-tool rocksdb "$store" exists try key4
}

serve_monitor() {
  start mon.log ceph-mon -f -i a --mon-data mon --keyring keyring "${ceph_options[@]}" --run-dir=.
  await_server timeout 20 ceph "${monitor[@]}" mon stat
}

carry_ceph_mon() {
  local port i
  port=$(free_port)
  make_monitor "$port"
  monitor=(--conf /dev/null --connect-timeout=15 --keyring keyring --name client.admin -m "v2:127.0.0.1:$port")
  serve_monitor
  for i in 1 2 3; do
    run ceph "${monitor[@]}" config-key set "try/key$i" "value$i"
  done
  run ceph "${monitor[@]}" osd create 22222222-2222-2222-2222-222222222222
  stop_server
  change_over
  serve_monitor
  run ceph "${monitor[@]}" config-key dump try
  run ceph "${monitor[@]}" config-key get try/absent
  run ceph "${monitor[@]}" osd ls
  run ceph "${monitor[@]}" config-key rm try/key2
  stop_server
  run ceph-kvstore-tool rocksdb mon/store.db list mon_config_key
  run ceph-kvstore-tool rocksdb mon/store.db list osdmap
}

carry_ceph_osd() {
  local options=(--osd-data osd --osd-objectstore bluestore --bluestore-block-size=4294967296
    --osd-uuid 33333333-3333-3333-3333-333333333333 --fsid 11111111-1111-1111-1111-111111111111)
  mkdir osd
  run ceph-osd --mkfs -i 0 "${options[@]}" "${ceph_options[@]}"
  change_over
  run ceph-bluestore-tool fsck --deep 1 --path osd
  run ceph-kvstore-tool bluestore-kv osd list
  run ceph-kvstore-tool bluestore-kv osd compact
  run ceph-bluestore-tool fsck --path osd
}

rocksdb_options=(--plugin-load-add=ha_rocksdb)

# serve_mariadb OPTION…: starts the server.
serve_mariadb() {
  start mariadb.log mariadbd "${mariadb_options[@]}" --socket="$PWD/sock" --skip-networking --pid-file="$PWD/pid" \
    --innodb-buffer-pool-size=16M --innodb-use-native-aio=OFF --default-storage-engine=InnoDB --tmpdir="$PWD" \
    --loose-rocksdb-default-cf-options='block_based_table_factory={filter_policy=bloomfilter:10:false}' "$@"
  await_server mariadb-admin --no-defaults --socket=sock ping
}

sql() { run mariadb --no-defaults --socket=sock --user=root --table --force --execute="$1" mysql; }

make_mariadb() {
  mariadb_options=(--no-defaults --datadir="$PWD/data")
  mkdir data
  if ((EUID == 0)); then
    chown mysql: . data
    mariadb_options+=(--user=mysql)
  fi
  run mariadb-install-db "${mariadb_options[@]}" --force --auth-root-authentication-method=normal --skip-test-db
}

fill_table() {
  sql "CREATE TABLE t (id INT PRIMARY KEY, word VARCHAR(100), KEY (word)) ENGINE=ROCKSDB;
    INSERT INTO t SELECT seq * 2, MD5(seq) FROM seq_1_to_8000;
    SET GLOBAL rocksdb_force_flush_memtable_now = 1;
    SELECT @@rocksdb_default_cf_options;
    SELECT ENGINE, SUPPORT FROM information_schema.ENGINES WHERE ENGINE = 'ROCKSDB'"
}

ask_table() {
  sql "SELECT COUNT(*), SUM(CRC32(CONCAT(id, word))) FROM t; CHECKSUM TABLE t; CHECK TABLE t;
    SELECT * FROM t WHERE id IN (2, 7, 9000, 9001, 16000, 16002); SELECT id FROM t WHERE word = MD5(77);
    SELECT COUNT(*) FROM t a, seq_1_to_16000 s WHERE a.id = s.seq; SELECT id FROM t WHERE word = 'absent';
    SELECT COUNT(*) > 0 FROM information_schema.ROCKSDB_SST_PROPS"
}

carry_mariadb_rocksdb() {
  make_mariadb
  serve_mariadb "${rocksdb_options[@]}"
  fill_table
  ask_table
  stop_server
  change_over
  serve_mariadb "${rocksdb_options[@]}"
  ask_table
  sql "UPDATE t SET word = REVERSE(word) WHERE id > 8000; DELETE FROM t WHERE id % 5 = 0;
    SET GLOBAL rocksdb_force_flush_memtable_now = 1; SET GLOBAL rocksdb_compact_cf = 'default'"
  ask_table
  stop_server
}

carry_mariadb_rocksdb_installed() {
  make_mariadb
  serve_mariadb
  sql "SELECT ENGINE FROM information_schema.ENGINES ORDER BY ENGINE"
  sql "INSTALL SONAME 'ha_rocksdb'"
  fill_table
  ask_table
  stop_server
  change_over
  serve_mariadb
  ask_table
  sql "SELECT ENGINE FROM information_schema.ENGINES ORDER BY ENGINE; DROP TABLE t"
  stop_server
}

try_mariadb_innodb() {
  make_mariadb
  serve_mariadb
  sql "CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB; INSERT INTO t SELECT seq FROM seq_1_to_1000; CHECKSUM TABLE t"
  run mariadb-dump --no-defaults --socket=sock --user=root --skip-dump-date mysql t
  stop_server
}

carry_mariadb_ldb() {
  run mariadb-ldb --db=db --create_if_missing --bloom_bits=10 batchput one 1 two 2
  run mariadb-ldb --db=db --bloom_bits=10 compact
  change_over
  run mariadb-ldb --db=db --bloom_bits=10 get two
  run mariadb-ldb --db=db --bloom_bits=10 get absent
  run mariadb-ldb --db=db scan
}

# Name, function, and required programs.
tries=(
  'bash try_bash bash'
  'dash try_dash dash'
  'coreutils try_coreutils tar'
  'su try_setuid su'
  'python3 try_python3 python3'
  'perl try_perl perl'
  'node try_node node'
  'git try_git git'
  'rocksdb-tools carry_rocksdb_tools ldb db_bench sst_dump'
  'sortmerna carry_sortmerna sortmerna'
  'balboa-rocksdb carry_balboa balboa balboa-rocksdb balboa-backend-console python3'
  'ceph-versions try_ceph_versions ceph-mon ceph-osd ceph-kvstore-tool'
  'ceph-kvstore-tool carry_ceph_kvstore_tool ceph-mon ceph-kvstore-tool ceph-authtool monmaptool'
  'ceph-mon carry_ceph_mon ceph ceph-mon ceph-kvstore-tool ceph-authtool monmaptool python3'
  'ceph-osd carry_ceph_osd ceph-osd ceph-bluestore-tool ceph-kvstore-tool'
  'mariadb-ldb carry_mariadb_ldb mariadb-ldb'
  'mariadbd-innodb try_mariadb_innodb mariadbd mariadb-install-db'
  'mariadbd-rocksdb-at-start carry_mariadb_rocksdb mariadbd mariadb-install-db mariadb-ldb'
  'mariadbd-rocksdb-installed carry_mariadb_rocksdb_installed mariadbd mariadb-install-db mariadb-ldb'
)

# Running and comparing #####################################################################################

# Replaces parts of the output that differ in every run. balboa may write to web.json after it has closed the
# file.
normalise() {
  local port ports=()
  while read -r port; do
    ports+=(-e "s/\\b$port\\b/PORT/g")
  done <"$home/ports"
  sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]+[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([+-][0-9]{4})?/DATE/g' \
    -e 's/^((stdout: |stderr: )?DATE) +[0-9a-f]+ /\1 THREAD /' \
    -e 's/[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} [0-9]{4}/DATE/g' \
    -e 's/(\[?[0-9.]+(e-[0-9]+)?\]? sec|[0-9.]+s|sec:? \[?[0-9.]+(e-[0-9]+)?\]?)\b/SECONDS/g' \
    -e 's/^(stdout: )[0-9]{6} +[0-9:]{7,8} /\1DATE /' -e '/^stdout: DATE THREAD \[Note\] /d' \
    -e '/^stdout: Failed to write to log, write web\.json: file already closed$/d' \
    -e 's/\b(thread:?|PID:|Memory KB:) [0-9a-f]+/\1 NUMBER/g; s/0x[0-9a-f]{8,}/ADDRESS/g' "${ports[@]}"
}

# run_way NAME FUNCTION FIRST SECOND: records the output of the function's commands in $home/NAME; FIRST and
# SECOND are "without" or "with", for the halves of a try.
run_way() {
  local name=$1 function=$2 first=() status=0
  second=()
  [[ $3 == without ]] || first=("LD_PRELOAD=$library")
  [[ $4 == without ]] || second=("LD_PRELOAD=$library")
  record=$tried/$name
  : >"$home/ports"
  mkdir "$home/folder"
  chmod 755 "$home/folder"
  # A missing last line shows that the function did not run to its end.
  (
    environment=("${first[@]}")
    servers=()
    commands=0
    trap '((!${#servers[@]})) || kill -KILL "${servers[@]}" 2>/dev/null || true; echo "$commands" >"$home/commands"' EXIT
    cd "$home/folder"
    "$function"
    echo "done" >>"$record"
  ) >"$record.shell" 2>&1 || status=$?
  ((!status)) || echo "the try itself failed with $status: $(tail -n 1 "$record.shell")" >>"$record"
  normalise <"$record" >"$record.normal"
  rm -rf "$home/folder"
}

# show_difference NAME: prints commands that were killed only in this way, and the first lines that differ (>)
# from those without the library.
show_difference() {
  diff -a "$tried/without.normal" "$tried/$1.normal" >"$tried/$1.diff" || true
  sed -n 's/^> status .*, killed by/killed by/p' "$tried/$1.diff" | sort | uniq -c |
    while read -r times what; do echo "    commands $what: $times"; done
  head -n 8 "$tried/$1.diff" | cut -c 1-160 | sed 's/^/    /'
}

# compare NAME: succeeds if the output equals that without the library.
compare() { cmp -s "$tried/without.normal" "$tried/$1.normal"; }

# try NAME FUNCTION PROGRAM…: runs the try in all ways, prints its line, and counts results.
try() {
  local name=$1 function=$2 program way ways=(with) differing=() since=$SECONDS took
  shift 2
  printf '%-28s' "$name"
  for program in "$@"; do
    if ! type "$program" >/dev/null 2>&1; then
      echo "skipped: $program is not installed"
      ((++skipped))
      return
    fi
  done
  if [[ $function == try_setuid && $EUID != 0 ]]; then
    echo "skipped: needs root"
    ((++skipped))
    return
  fi
  tried=$home/said/$name
  mkdir -p "$tried"
  run_way without "$function" without without
  took="$(<"$home/commands") commands"
  run_way again "$function" without without
  run_way with "$function" with with
  if [[ $function == carry_* ]]; then
    ways+=(written-with read-with)
    run_way written-with "$function" with without
    run_way read-with "$function" without with
  fi
  took+=", $((SECONDS - since)) s"
  if ! compare again; then
    echo "unsteady: two runs without the library differ; $took"
    show_difference again
    ((++unsteady))
    return
  fi
  for way in "${ways[@]}"; do
    compare "$way" || differing+=("$way")
  done
  if ((!${#differing[@]})); then
    echo "same: ${ways[*]}; $took"
    ((++good))
    return
  fi
  echo "DIFFERS: ${differing[*]}; $took"
  for way in "${differing[@]}"; do
    echo "  $way the library:"
    show_difference "$way"
  done
  ((++different))
}

begin() {
  [[ -f $1 ]] || usage "there is no library $1"
  library=$(realpath "$1")
  for variable in "${!WINNOW_@}" LD_PRELOAD; do
    unset "$variable"
  done
  export HISTFILE='' HOME=$home
  # If the library could not be preloaded, all runs would be equal.
  # shellcheck disable=SC2016
  LD_PRELOAD=$library bash -c 'grep -qF "$1" /proc/self/maps' - "$library" 2>"$home/stderr" || {
    echo "tools/try_programs.sh: $library can't be preloaded into grep: $(<"$home/stderr")" >&2
    exit 2
  }
  echo "LD_PRELOAD=$library"
}

sum_up_all() { echo "$good the same, $different different, $unsteady unsteady, $skipped skipped."; }

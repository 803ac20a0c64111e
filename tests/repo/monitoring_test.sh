#!/bin/bash
# Tests of the alert rules, the dashboard and the page of docs/monitoring.md with Prometheus:
# promtool checks the rules and runs their tests; a server reads the metrics of a real program
# through node_exporter's textfile collector, from a file as named by WINNOW_METRICS, and answers
# each query. With a library to preload, the metrics of db_bench are included.
# monitoring_test.sh SERVICE_EXAMPLE SOURCE_FOLDER [PRELOAD_LIBRARY DB_BENCH]
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

program=$1
source=$(realpath "$2")
monitoring=$source/docs/monitoring

for needed in promtool prometheus prometheus-node-exporter python3; do
  command -v "$needed" >/dev/null || skip "there is no $needed here"
done

work=$(mktemp -d)
servers=()
stop() {
  local server
  for server in ${servers[@]+"${servers[@]}"}; do
    kill -KILL "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP

for rules in alerts records; do
  promtool check rules "$monitoring/$rules.yml" >"$work/said" 2>&1 || fail "promtool check rules: $(cat "$work/said")"
  promtool test rules "$monitoring/${rules}_test.yml" >"$work/said" 2>&1 || fail "promtool test rules: $(cat "$work/said")"
done

# Each alert fires in one of these tests, and does not fire in two cases: once resolved, and in a
# healthy process.
mapfile -t alerts < <(sed -n 's/^ *- alert: //p' "$monitoring/alerts.yml")
((${#alerts[@]} >= 10)) || fail "alerts.yml has only the alerts ${alerts[*]}"
for alert in "${alerts[@]}"; do
  grep -q "^ *alertname: $alert\$" "$monitoring/alerts_test.yml" || fail "no test lets $alert fire"
  silent=$(grep -c "alertname: $alert, exp_alerts: \[\]" "$monitoring/alerts_test.yml" || true)
  ((silent >= 2)) || fail "$alert is not tested when it is resolved, and in a healthy process"
done

# The first line, the status of the database, is removed.
mkdir "$work/metrics"
"$program" "$work/database" >"$work/printed" || fail "$program ends with $?"
tail -n +2 "$work/printed" >"$work/text"
# promtool picks one of the units in a name at random, and therefore reports this name in some runs,
# with exit status 3.
status=0
promtool check metrics <"$work/text" >"$work/said" 2>&1 || status=$?
sed -i '/^winnow_filter_recent_load_again_ten_minutes_bytes use base unit "seconds" instead of "minutes"$/d' "$work/said"
[[ ($status == 0 || $status == 3) && ! -s $work/said ]] || fail "promtool check metrics ends with $status: $(cat "$work/said")"
mv "$work/text" "$work/metrics/winnow.prom"

# A preloaded program writes its metrics to the same folder, for the same collector, while it runs.
preloaded=
if (($# == 4)) && command -v "$4" >/dev/null; then
  LD_PRELOAD=$3 WINNOW_POLICY=winnow:10 WINNOW_METRICS=$work/metrics/winnow-%p.prom "$4" \
    --benchmarks='fillrandom,compact,readrandom[X1000000]' --num=20000 --reads=200000 --bloom_bits=10 \
    --db="$work/preloaded" >"$work/said" 2>&1 &
  preloaded=$!
  servers+=("$preloaded")
  until grep -qs '^winnow_filter_lookups_total{.*} [1-9]' "$work/metrics/winnow-$preloaded.prom"; do
    kill -0 "$preloaded" 2>/dev/null || fail "db_bench has ended: $(cat "$work/said")"
    sleep 0.1
  done
fi

# start URL_PATH COMMAND…: starts a server; %d in the command is the port, which is then in $port.
# Servers cannot choose a free port themselves, so that another port is tried if one was taken
# meanwhile.
start() {
  local path=$1 tries server deadline
  shift
  for ((tries = 0; tries < 5; ++tries)); do
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "${@/\%d/$port}" >"$work/log" 2>&1 &
    server=$!
    servers+=("$server")
    deadline=$((SECONDS + 60))
    while kill -0 "$server" 2>/dev/null && ((SECONDS < deadline)); do
      if python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5)' \
        "http://127.0.0.1:$port$path" 2>/dev/null; then
        # The answer may come from another process's server.
        kill -0 "$server" 2>/dev/null && return
      fi
      sleep 0.1
    done
    unset 'servers[-1]'
    kill -KILL "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  done
  fail "$1 does not start: $(tail -n 5 "$work/log")"
}

start /metrics prometheus-node-exporter --web.listen-address=127.0.0.1:%d --collector.disable-defaults \
  --collector.textfile --collector.textfile.directory="$work/metrics"
cat >"$work/prometheus.yml" <<CONFIGURATION
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["$monitoring/alerts.yml", "$monitoring/records.yml"]
scrape_configs:
  - job_name: database
    static_configs: [{targets: ["127.0.0.1:$port"]}]
CONFIGURATION
start /-/ready prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/storage" \
  --web.listen-address=127.0.0.1:%d

python3 - "http://127.0.0.1:$port" "$monitoring" "$work/metrics/winnow.prom" "$source/docs/monitoring.md" "$preloaded" <<'PYTHON' ||
import json, re, sys, time, urllib.error, urllib.parse, urllib.request

url, folder, text_path, page_path, preloaded = sys.argv[1:]
faults = []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def ask(path, **arguments):
    target = f"{url}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
    try:
        with urllib.request.urlopen(target, timeout=30) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


# Repeats the query until the answer is as expected, for at most a minute.
def wait_for(is_wanted, ask_once):
    deadline = time.monotonic() + 60
    while True:
        answer = ask_once()
        if is_wanted(answer) or time.monotonic() > deadline:
            return answer
        time.sleep(0.2)


# Names, types and labels of the program's metrics.
text = read(text_path)
types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
labels = {name: set() for name in types}
for name, inside in re.findall(r"^(\w+)\{(.*)\} \d+$", text, re.M):
    labels[name] |= set(re.findall(r'(?:^|,)(\w+)="', inside))
if len(types) < 40:
    faults.append(f"the program has only {len(types)} metrics")

# All names used in the files must be the program's; the page and the dashboard must have all of
# them.
dashboard_text, rules_text, page = read(f"{folder}/dashboard.json"), read(f"{folder}/alerts.yml"), read(page_path)
records_text = re.sub(r"- record: .*", "", read(f"{folder}/records.yml"))
for where, content in (("dashboard.json", dashboard_text), ("alerts.yml", rules_text), ("records.yml", records_text), ("monitoring.md", page)):
    # Functions of the C interface and headers have such names too.
    names = {name for name in re.findall(r"\bwinnow_\w+", content) if not name.startswith("winnow_rocksdb_")}
    faults += [f"{where}: the program has no metric {name}" for name in sorted(names - types.keys())]
    if not where.endswith(".yml"):
        faults += [f"{where} lacks the metric {name}" for name in sorted(types.keys() - names)]

# The page's tables must have the types and labels; the section on filter use states labels once for
# all its rows.
rows = re.findall(r"^\| `(winnow_\w+)(?:\{([\w,]+)\})?` \| (\w+) \|", page, re.M)
for name, inside, type_of_row in rows:
    of_row = set(inside.split(",")) if inside else set()
    if name.startswith("winnow_filter_use_"):
        of_row = {"policy", "database", "families", "level"}
    if types.get(name) != type_of_row or labels.get(name) != of_row:
        faults.append(f"monitoring.md: {name} is a {types.get(name)} with the labels {sorted(labels.get(name, []))}")
faults += [f"monitoring.md: {name} has {n} rows" for name in types if (n := [row[0] for row in rows].count(name)) != 1]
count = re.search(r"Winnow has (\d+) metrics", page)
if not count or int(count[1]) != len(types):
    faults.append(f"monitoring.md: there are {len(types)} metrics")
alerts_of_page = re.findall(r"^\| `(Winnow\w+)` \| (\w+) \|", page, re.M)
alerts_of_rules = re.findall(r"- alert: (\w+)$.*?severity: (\w+)", rules_text, re.M | re.S)
if sorted(alerts_of_page) != sorted(alerts_of_rules):
    faults.append(f"monitoring.md and alerts.yml differ in {sorted(set(alerts_of_page) ^ set(alerts_of_rules))}")

# The server must read the program's metrics and evaluate all rules.
seen = wait_for(lambda reply: reply["data"]["result"], lambda: ask("query", query="winnow_build_info"))
if not seen["data"]["result"]:
    faults.append("Prometheus has not read the metrics")
if preloaded:
    answer = ask("query", query=f'winnow_filter_lookups_total{{pid="{preloaded}"}} > 0 and winnow_filter_keys_built_total > 0')
    if answer["status"] != "success" or len(answer["data"]["result"]) != 1:
        faults.append(f"Prometheus has not read the metrics of the preloaded db_bench: {answer}")


# The third evaluation from here on begins after the metrics exist: the first has ended, and the
# second may be running.
evaluations = {}


def rules():
    all_rules = [rule for group in ask("rules")["data"]["groups"] for rule in group["rules"]]
    for rule in all_rules:
        evaluations.setdefault(rule["name"], set()).add(rule["lastEvaluation"])
    return all_rules


for rule in wait_for(lambda _: min(len(times) for times in evaluations.values()) >= 3, rules):
    if rule["health"] != "ok":
        faults.append(f"the rule {rule['name']} is {rule['health']}: {rule.get('lastError')}")
    if rule["type"] == "recording":
        if not ask("query", query=rule["name"])["data"]["result"]:
            faults.append(f"the rule {rule['name']} records nothing")
        continue
    if rule["state"] != "inactive":
        faults.append(f"the alert {rule['name']} is {rule['state']} for a program in good health")
    answer = ask("query", query=rule["query"])
    if answer["status"] != "success":
        faults.append(f"the alert {rule['name']}: {answer.get('error')}")
    annotations = rule.get("annotations", {})
    if rule["duration"] <= 0 or not annotations.get("summary") or "docs/monitoring.md" not in annotations.get("description", ""):
        faults.append(f"the alert {rule['name']} lacks `for`, a summary or a description that names the page")

# Each query of the dashboard must return data, with all jobs, instances and databases, as
# substituted by Grafana.
dashboard = json.loads(dashboard_text)
variables = {variable["name"] for variable in dashboard["templating"]["list"]}
if not {"datasource", "job", "instance", "database"} <= variables or dashboard["schemaVersion"] < 36:
    faults.append(f"dashboard.json has the variables {sorted(variables)} and schema {dashboard['schemaVersion']}")
sources = re.findall(r'"datasource": \{[^}]*"uid": "([^"]*)"', dashboard_text)
if set(sources) != {"${datasource}"} or len(sources) < 2 * len(dashboard["panels"]) - 10:
    faults.append(f"dashboard.json: not every panel and query has the source that is chosen: {sorted(set(sources))}")
values = {name: ".*" for name in variables} | {"__rate_interval": "10s", "__range": "1h"}
filled_in = lambda query: re.sub(r"\$(\w+)", lambda match: values.get(match[1], match[0]), query)
queries = 0
for panel in dashboard["panels"]:
    if panel["type"] == "row":
        continue
    title = panel["title"]
    if not panel.get("description") or not panel["fieldConfig"]["defaults"].get("unit") or not panel.get("targets"):
        faults.append(f"dashboard.json: {title} lacks a description, a unit or queries")
    for target in panel.get("targets", []):
        queries += 1
        query = filled_in(target["expr"])
        answer = wait_for(lambda reply: reply["status"] != "success" or reply["data"]["result"], lambda: ask("query", query=query))
        if answer["status"] != "success":
            faults.append(f"dashboard.json: {title}: {answer.get('error')}: {query}")
        elif not answer["data"]["result"]:
            faults.append(f"dashboard.json: {title} has no data: {query}")
        # Each label in a legend must occur in the answer.
        for label in re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")):
            if answer["status"] == "success" and any(label not in series["metric"] for series in answer["data"]["result"]):
                faults.append(f"dashboard.json: {title}: no label {label} in {query}")
if queries < 30:
    faults.append(f"dashboard.json has only {queries} queries")
for variable in dashboard["templating"]["list"]:
    if variable["type"] != "query":
        continue
    match = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"])
    answer = ask(f"label/{match[2]}/values", **{"match[]": filled_in(match[1])}) if match else {"status": "no label_values"}
    if answer["status"] != "success" or not answer["data"]:
        faults.append(f"dashboard.json: the variable {variable['name']} has no values: {answer}")

for fault in faults:
    print(fault, file=sys.stderr)
print(f"{len(types)} metrics, {len(alerts_of_rules)} alerts, {queries} queries of the dashboard")
sys.exit(1 if faults else 0)
PYTHON
  fail "the faults are above"

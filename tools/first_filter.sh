#!/bin/bash
# Times the steps from a bare Debian 13 to the first Winnow filter in a program with RocksDB, by the commands
# of docs/your-stack.md:
#   tools/first_filter.sh [--write] [Go|Rust|Node|…]
# Needs root. Runs the commands that the page times: those of "Winnow itself" in a bare Debian with a clone of
# HEAD named REPOSITORY, then those of each given section (by default all) in a copy of the result. Prints the
# commands with their current durations in elapsed and processor seconds. Fails if a command fails, or if a
# filter is not Winnow's. Packages and crates are downloaded; certificates in /usr/local/share/ca-certificates
# are trusted in the chroot, too.
#   --write  writes the durations into the page
# The result of "Winnow itself" is kept in build/chroot/first_filter.winnow; it is made again after a commit
# that changes more than docs. Exits with 77 (skipped) if no chroot can be created.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/chroot.sh
. tools/chroot.sh

page=docs/your-stack.md
begin="Winnow itself"
kept=$PWD/build/chroot/first_filter.winnow
seconds='# ([0-9]+ s( [(][0-9]+[)])?|untimed)$'

# Prints the commands of a section that the page times or marks as untimed, without these marks.
timed_commands() {
  awk -v section="## $1" -v seconds="^    .* $seconds" '/^#/ { inside = $0 == section } inside && $0 ~ seconds' "$page" |
    sed -E "s/^ +//; s/ +$seconds//"
}

# run_section NAME: runs the commands of a section in $root, in one shell, as a reader would type them.
run_section() {
  printf '\n## %s\n\n' "$1"
  timed_commands "$1" >"$root/root/.commands"
  in_chroot 'cd && bash .run_timed .commands' | tee "$root/root/.timed"
  [[ -z $write ]] || write_seconds "$1" "$root/root/.timed"
}

# write_seconds SECTION FILE: replaces the timed lines of the section by the lines of FILE.
write_seconds() {
  grep -E "^    .* $seconds" "$2" | awk -v section="## $1" -v seconds="^    .* $seconds" \
    'NR == FNR { lines[++count] = $0; next }
     /^#/ { inside = $0 == section }
     inside && $0 ~ seconds { $0 = lines[++at] }
     { print }' - "$page" >"$page.part"
  mv "$page.part" "$page"
}

write=
if [[ ${1-} == --write ]]; then
  write=1
  shift
fi
mapfile -t sections < <(awk -v seconds="^    .* $seconds" '/^## / { name = substr($0, 4) } $0 ~ seconds { print name }' "$page" | uniq)
for section in "$@"; do
  [[ -n $(timed_commands "$section") ]] || {
    echo "tools/first_filter.sh: $page times no commands in '$section', but in: ${sections[*]}" >&2
    exit 2
  }
done
if (($# == 0)); then
  set -- "${sections[@]:1}"
fi

if ! git diff --quiet "$(cat "$kept/root/.commit" 2>/dev/null)" HEAD -- . ':!docs' 2>/dev/null; then
  bare_chroot trixie first_filter
  git clone --quiet --bare --no-hardlinks "$PWD" "$root/root/REPOSITORY"
  git rev-parse HEAD >"$root/root/.commit"
  mkdir -p "$root/usr/local/share/ca-certificates"
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp -t "$root/usr/local/share/ca-certificates" {} +
  cat >"$root/root/.run_timed" <<'RUN'
set -eu
while IFS= read -r command <&3; do
  begun=${EPOCHREALTIME/./}
  times >"$HOME/.before"
  eval "$command" </dev/null >"$HOME/.said" 2>&1 3<&- || {
    cat "$HOME/.said"
    echo "this fails: $command"
    exit 1
  }
  times >"$HOME/.after"
  spent=$(cat "$HOME/.before" "$HOME/.after" | awk -F '[ms ]+' '{ now = 60 * ($1 + $3) + $2 + $4; all += NR > 2 ? now : -now } END { printf "%.0f", all }')
  printf '    %s # %d s (%s)\n' "$command" "$(((${EPOCHREALTIME/./} - begun + 500000) / 1000000))" "$spent"
  [[ $command != *"winnow inspect "* ]] || grep '^converted: 100[.]0 %' "$HOME/.said" || {
    cat "$HOME/.said"
    exit 1
  }
done 3<"$1"
RUN
  run_section "$begin"
  rm -rf "$kept"
  mv "$root" "$kept"
fi
for section in "$@"; do
  root=$PWD/build/chroot/first_filter.$section
  rm -rf "$root"
  cp -a "$kept" "$root"
  run_section "$section"
  rm -rf "$root"
done

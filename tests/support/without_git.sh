#!/bin/bash
# Runs a command where there is no git, as on a machine with a source archive: without_git.sh COMMAND ARGUMENT…
# The PATH has links to all other programs.
set -euo pipefail

bin=$(mktemp -d)
chmod 755 "$bin" # other users, whom tests impersonate, need it
trap 'rm -rf "$bin"' EXIT
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
  [[ -d $folder ]] || continue
  # Names that an earlier folder has are refused, as its program comes first.
  find -H "$(realpath "$folder")" -maxdepth 1 ! -type d ! -name git -exec ln -s -t "$bin" {} + 2>/dev/null || true
done
if PATH=$bin command -v git; then
  echo "without_git.sh: git is still there" >&2
  exit 1
fi
PATH=$bin "$@"

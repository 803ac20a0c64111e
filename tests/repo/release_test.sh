#!/bin/bash
# Tests which states of a repository tools/release.sh accepts, in a small repository that contains
# the script. Stand-ins, which print that they were called, replace the tests and the packaging,
# which take hours.
# release_test.sh SOURCE_FOLDER
set -euo pipefail
# shellcheck source=tests/support/script.sh disable=SC1091 # the path is relative to shellcheck's working directory
. "$(dirname "$0")/../support/script.sh"

source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

for program in git xz dpkg-query; do
  command -v "$program" >/dev/null || skip "there is no $program here"
done
git config --global user.name Test
git config --global user.email test@example.org

tree=$work/tree
mkdir -p "$tree"/{tools,debian,include/winnow}
cd "$tree"
git init --quiet .
cp "$source/tools/release.sh" tools/
cp "$source/include/winnow/version.h" include/winnow/
version=$(sed -n 's/^#define WINNOW_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/winnow/version.h | paste -sd .)
to=build/dist/winnow-$version
echo /build/ >.gitignore
printf 'Source: winnow\nBuild-Depends: debhelper-compat (= 13),\n               dpkg (>= 1.0) | other,\n' >debian/control
printf '               libgtest-dev <!nocheck>, libxxhash-dev, nlohmann-json3-dev,\n               liblz4-dev\nStandards-Version: 4.6.2\n\nPackage: winnow\nDepends: nothing\n' >>debian/control
printf '#!/bin/sh\necho "tests: $*" >>build/called\n' >tools/test.sh
printf '#!/bin/sh\necho "packages: $*" >>build/called\nmkdir -p build/packages/bookworm/plugins\n: >build/packages/bookworm/winnow.deb\n' >tools/package.sh
printf '#!/bin/sh\nexit 1\n' >tools/setup.sh
chmod 755 tools/*.sh
mkdir build

# changelog TEXT: commits a changelog with this text after the constant first lines.
changelog() {
  printf '# Changelog\n\n%b' "$1" >CHANGELOG.md
  git add -A
  git commit --quiet --message=Change
}

# expect STATUS TEXT ARGUMENT…: runs the script and checks its exit status and output.
expect() {
  local status=0
  tools/release.sh "${@:3}" >"$work/said" 2>&1 || status=$?
  [[ $status == "$1" ]] || fail "tools/release.sh ${*:3} ends with $status instead of $1: $(cat "$work/said")"
  grep -qF -- "$2" "$work/said" || fail "tools/release.sh ${*:3} does not say \"$2\", but: $(cat "$work/said")"
}

# Packaging installs debootstrap on this machine, and no packages that only tests need.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
printf '#!/bin/sh\necho "$*" >>"%s/called"\nexit 1\n' "$work/bin" >"$work/bin/apt-get"
chmod 755 "$work/bin"/*
status=0
# shellcheck disable=SC2016 # the inner shell expands the variables
(cd "$source" && PATH=$work/bin:$PATH bash -c '. tools/chroot.sh && debootstrap_suite bookworm "$1"' package "$work/bare") \
  >"$work/said" 2>&1 || status=$?
[[ $status == 77 && $(sed -n 's/.* install -y --no-install-recommends *//p' "$work/bin/called") == debootstrap ]] ||
  fail "of this machine packages take: $(cat "$work/bin/called"), and say $(cat "$work/said")"
grep -qx "package: left out: debootstrap can't be had; on Debian: apt-get install debootstrap" "$work/said" ||
  fail "it does not name what can't be had: $(cat "$work/said")"

good="## $version, 3 May 2026\n\n- A change.\n- Another.\n\n## 0.1.0, 1 May 2026\n\n- An old one.\n"
changelog "$good"
expect 0 "the version is $version" version
expect 0 "3 May 2026: 2 changes" changelog
expect 2 "there is no step 'publish'" publish
expect 2 "there is no step 'publish' to skip" --skip=publish
expect 2 "found '--force'" --force
expect 0 "Each step can be run alone" --help

# Tests of the changelog step.
changelog "## Unreleased\n\n$good"
expect 0 "2 changes" changelog
changelog "## Unreleased\n\n### A part\n\n- Something.\n\n$good"
expect 1 'nothing under "Unreleased"' changelog
changelog "## Unreleased\n\n- Something.\n"
expect 1 'nothing under "Unreleased"' changelog
changelog "## 0.9.0, 3 May 2026\n\n- A change.\n\n$good"
expect 1 'found "## 0.9.0, 3 May 2026"' changelog
changelog "## $version, not yet released\n\n- A change.\n"
expect 1 'found "not yet released"' changelog
changelog "## $version, 31 February 2026\n\n- A change.\n"
expect 1 'found "31 February 2026"' changelog
changelog "## $version, 3 May 2099\n\n- A change.\n"
expect 1 "still to come" changelog
changelog "## $version, 3 May 2026\n\n## 0.1.0, 1 May 2026\n\n- An old one.\n"
expect 1 "say what users notice" changelog
changelog "$good"

# Tests of the tree step: HEAD is released.
expect 0 "to be tagged v$version" tree
touch added
expect 1 "?? added" tree
expect 0 "2 changes" changelog
rm added
git tag "v$version"
expect 0 "and tagged v$version" tree
git commit --quiet --allow-empty --message=Later
expect 1 "expected the tag v$version on" tree
git tag --delete "v$version" >/dev/null

# Tests of the archive and the checksums, which detect a changed byte.
expect 1 "run the steps before" checksums
expect 0 "the same from another clone" archive
tar -xJf "$to/winnow-$version.tar.xz" -C "$work"
diff -r "$work/winnow-$version" "$tree" --exclude=.git --exclude=build || fail "the archive has not what HEAD has"
before=$(sha256sum <"$to/winnow-$version.tar.xz")
git config tar.umask 0077
expect 0 "the same from another clone" archive
[[ $(sha256sum <"$to/winnow-$version.tar.xz") == "$before" ]] || fail "the archive depends on the user's settings"
expect 0 "has 1 files" checksums
expect 0 "has 1 files" checksums
(cd "$to" && sha256sum --check --quiet SHA256SUMS) || fail "the checksums are wrong"

# Tests of the list of licenses, and of Debian's packages with the versions known to dpkg.
mkdir -p .reuse LICENSES
printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\n' >.reuse/dep5
printf 'Copyright: 2026 Somebody\nLicense: Apache-2.0\n' >>.reuse/dep5
cp "$source/LICENSE" LICENSES/Apache-2.0.txt
changelog "$good"
skips=()
if ! command -v reuse >/dev/null; then
  echo "release_test: left out: licenses and spdx, which need reuse; on Debian: apt-get install reuse"
  expect 77 "reuse can't be had" licenses
  expect 77 "reuse can't be had" spdx
  skips=(--skip=licenses --skip=spdx)
else
  expect 0 "Files with license information" licenses
  list=$to/winnow-$version.spdx
  if dpkg-query -W g++ liblz4-dev libxxhash-dev nlohmann-json3-dev >/dev/null 2>&1; then
    expect 0 "there are no packages in build/packages" spdx
    [[ $(sed -n 's/^PackageName: //p' "$list" | sort | paste -sd ' ') == "dpkg g++ liblz4-dev libxxhash-dev nlohmann-json3-dev winnow" ]] ||
      fail "the list has the packages $(grep '^PackageName: ' "$list")"
    grep -qx "PackageVersion: $(dpkg-query -W -f='${Version}' dpkg)" "$list" || fail "the list has not dpkg's version"
  fi
  # Versions from the packages' own builds.
  mkdir -p build/packages/trixie/upload
  printf 'Format: 1.0\nInstalled-Build-Depends:\n dpkg (= 9.8-7),\n g++ (= 4:5.6),\n gcc (= 1),\n libxxhash-dev (= 2),\n nlohmann-json3-dev (= 3),\n liblz4-dev (= 4)\nEnvironment:\n A="b (= c)"\n' \
    >"build/packages/trixie/upload/winnow_$version-1_amd64.buildinfo"
  expect 0 "and 6 packages" spdx
  for line in "SPDXID: SPDXRef-Package-trixie-gplusplus" "PackageVersion: 4:5.6" "PackageVersion: 9.8-7" "PackageVersion: $version" \
    "Relationship: SPDXRef-Package-winnow CONTAINS SPDXRef-Package-trixie-libxxhash-dev" "PackageLicenseDeclared: BSD-2-Clause" \
    "Relationship: SPDXRef-Package-winnow CONTAINS SPDXRef-Package-trixie-nlohmann-json3-dev" "PackageLicenseDeclared: MIT" \
    "Relationship: SPDXRef-Package-winnow DYNAMIC_LINK SPDXRef-Package-trixie-liblz4-dev" \
    "Relationship: SPDXRef-Package-trixie-gplusplus BUILD_TOOL_OF SPDXRef-Package-winnow"; do
    grep -qx "$line" "$list" || fail "the list lacks \"$line\""
  done
  before=$(sha256sum <"$list")
  expect 0 "and 6 packages" spdx
  [[ $(sha256sum <"$list") == "$before" ]] || fail "the list is another one each time"
  sed -i '/ dpkg (/d' build/packages/trixie/upload/*.buildinfo
  expect 1 "run tools/package.sh" spdx
  rm -r build/packages
  printf 'Files: *\n' >.reuse/dep5
  git commit --quiet --all --message="Without licenses"
  expect 1 "reuse lint finds faults" licenses
  git revert --no-edit HEAD >/dev/null
  # Files of the project, if Git lists them.
  if [[ $(git -C "$source" rev-parse --show-toplevel 2>/dev/null) == "$source" ]]; then
    reuse --root "$source" lint >"$work/said" || fail "files of the project lack a license: $(cat "$work/said")"
  fi
fi

# Tests of all steps. Skipped steps are announced prominently, and nothing is called a release then.
rm -f build/called
expect 0 "NO RELEASE: --skip has left out: tests" --skip=tests "${skips[@]}"
grep -q "== tests: SKIPPED" "$work/said" || fail "that tests were skipped is said in the end only"
! grep -q "git tag" "$work/said" || fail "what was not tested is called a release"
[[ $(cat build/called) == "packages: --twice"$'\n'"packages: --check" ]] || fail "called was: $(cat build/called)"
[[ -e $to/bookworm/winnow.deb ]] || fail "the packages are not in $to"
grep -q ' bookworm/winnow\.deb$' "$to/SHA256SUMS" || fail "the packages have no checksum"
rm -r build/called build/packages
if ((${#skips[@]} == 0)); then
  expect 0 "Nothing is published yet" "${skips[@]}"
  grep -qx "tests: --all" build/called || fail "called was: $(cat build/called)"
  [[ -z $(git tag) && -z $(git remote) ]] || fail "it has tagged or published"
fi
printf '#!/bin/sh\nexit 3\n' >tools/test.sh
changelog "$good"
expect 3 "== tests" "${skips[@]}"
! grep -q "== packages" "$work/said" || fail "it goes on after tests that fail"
echo "release_test: all is well"

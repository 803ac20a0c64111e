#!/bin/bash
# Makes a release of HEAD in build/dist/winnow-VERSION, checks it, and publishes nothing:
#   tools/release.sh [--skip=STEP]… [STEP…]     by default every step, in this order
#   version     prints the version, which include/winnow/version.h says
#   changelog   the top section of CHANGELOG.md is "## VERSION, DAY MONTH YEAR", and nothing is "Unreleased"
#   tree        nothing is changed or added that is not committed; the tag vVERSION is on HEAD or not there yet
#   licenses    every file has a license and a copyright: reuse lint
#   tests       tools/test.sh --all, for hours
#   packages    Debian's packages: tools/package.sh --twice, and then --check
#   archive     winnow-VERSION.tar.xz, which has the same bytes when it is made from another clone
#   spdx        winnow-VERSION.spdx: the files with their licenses, and Debian's packages that the build takes, with their
#               versions: of the packages' builds, or of this machine where there are none. It tells whose code is compiled in,
#               with its license, from what is linked and what builds
#   checksums   SHA256SUMS of all that is there
# Each step can be run alone. A step that is left out by --skip is named in the end, and nothing is called a release then.
# Ends with 1 where a step finds a fault, with 2 of a wrong command line, with 77 where what a step needs can't be had.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=(version changelog tree licenses tests packages archive spdx checksums)

fail() {
  printf 'tools/release.sh: %s\n' "$*" >&2
  exit 1
}

left_out() {
  printf 'tools/release.sh: left out: %s\n' "$*" >&2
  exit 77
}

usage() {
  printf 'tools/release.sh: %s; the steps are %s\n' "$1" "${steps[*]}" >&2
  exit 2
}

is_step() {
  [[ " ${steps[*]} " == *" $1 "* ]]
}

# needs PROGRAM: installs the Debian package of this name if the program is missing.
needs() {
  command -v "$1" >/dev/null || tools/setup.sh --alone "$1" || left_out "$1 can't be had; on Debian: apt-get install $1"
}

skipped=()
chosen=()
for argument in "$@"; do
  case $argument in
  --help)
    sed -n '2,/^set /{s/^# \{0,1\}//p}' tools/release.sh
    exit 0
    ;;
  --skip=*)
    is_step "${argument#*=}" || usage "there is no step '${argument#*=}' to skip"
    skipped+=("${argument#*=}")
    ;;
  -*) usage "expected --skip=STEP or --help, found '$argument'" ;;
  *)
    is_step "$argument" || usage "there is no step '$argument'"
    chosen+=("$argument")
    ;;
  esac
done

commit=$(git rev-parse HEAD)
# The version is that of HEAD, regardless of the work tree.
version=$(git show HEAD:include/winnow/version.h |
  sed -n 's/^#define WINNOW_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' | paste -sd .)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
  fail "expected three numbers in include/winnow/version.h, found '$version'; write the version there"
name=winnow-$version
to=build/dist/$name
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Clones HEAD into a folder with the release's name, without files that are not committed.
clone() {
  [[ -d $work/$name ]] || git clone --quiet --no-hardlinks "$PWD" "$work/$name"
}

step_version() {
  echo "the version is $version, of commit ${commit:0:12}"
}

step_changelog() {
  local changelog heading day section
  changelog=$(git show HEAD:CHANGELOG.md)
  section=$(sed -n '/^## Unreleased/,/^## [0-9]/{/^## /d;/./p}' <<<"$changelog")
  [[ -z $section ]] ||
    fail "expected nothing under \"Unreleased\" in CHANGELOG.md, found \"$(head -n 1 <<<"$section")\"; move it below \"## $version, DATE\""
  heading=$(grep '^## ' <<<"$changelog" | grep -v '^## Unreleased' | head -n 1)
  [[ $heading == "## $version, "* ]] ||
    fail "expected \"## $version, $(LC_ALL=C date +'%-d %B %Y')\" as the top section of CHANGELOG.md, found \"$heading\""
  day=${heading#"## $version, "}
  if ! [[ $day =~ ^[0-9]{1,2}\ [A-Z][a-z]+\ 20[0-9]{2}$ ]] || ! LC_ALL=C date -d "$day" >/dev/null 2>&1; then
    fail "expected a day such as \"$(LC_ALL=C date +'%-d %B %Y')\" in \"$heading\" of CHANGELOG.md, found \"$day\""
  fi
  (($(LC_ALL=C date -d "$day" +%s) <= $(date +%s) + 86400)) || fail "the day of \"$heading\" in CHANGELOG.md is still to come"
  section=$(awk -v heading="$heading" '/^## /{on = $0 == heading} on && /^- /' <<<"$changelog")
  [[ -n $section ]] || fail "expected lines with \"- \" below \"$heading\" in CHANGELOG.md, found none; say what users notice"
  echo "CHANGELOG.md says of $version, $day: $(wc -l <<<"$section") changes"
}

step_tree() {
  local changes tagged
  changes=$(git status --porcelain)
  [[ -z $changes ]] || fail "expected a clean tree, found what follows; commit it, or take it away"$'\n'"$changes"
  if tagged=$(git rev-parse --quiet --verify "refs/tags/v$version^{commit}"); then
    [[ $tagged == "$commit" ]] ||
      fail "expected the tag v$version on ${commit:0:12}, found it on ${tagged:0:12}; raise the version in include/winnow/version.h"
    echo "the tree is clean, and tagged v$version"
  else
    echo "the tree is clean, and to be tagged v$version"
  fi
}

step_licenses() {
  needs reuse
  clone
  reuse --root "$work/$name" lint >"$work/lint" || {
    cat "$work/lint" >&2
    fail "reuse lint finds faults, see above; .reuse/dep5 has the license of each file, LICENSES/ their texts"
  }
  grep '^\* Files with license' "$work/lint"
}

step_tests() {
  tools/test.sh --all
}

step_packages() {
  local suite
  tools/package.sh --twice || return
  tools/package.sh --check || return
  for suite in build/packages/*/; do
    suite=$(basename "$suite")
    [[ $suite != *.before ]] || continue
    rm -rf "${to:?}/$suite"
    mkdir -p "$to/$suite"
    cp -r "build/packages/$suite"/{*.deb,plugins} "$to/$suite"
    echo "$to/$suite has $(find "$to/$suite" -name '*.deb' | wc -l) packages"
  done
}

# write_archive FOLDER_OF_GIT: writes an archive of the commit to stdout, independent of the user's Git
# settings. Files have the time of the commit.
write_archive() {
  git -C "$1" -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$name/" "$commit" | xz -9 --threads=1
}

step_archive() {
  clone
  mkdir -p "$to"
  write_archive . >"$to/$name.tar.xz"
  (umask 077 && TZ=Asia/Tokyo write_archive "$work/$name") | cmp - "$to/$name.tar.xz" ||
    fail "$to/$name.tar.xz has other bytes when it is made from another clone"
  echo "$to/$name.tar.xz has $(stat -c %s "$to/$name.tar.xz") bytes, the same from another clone"
}

# Lists Debian packages needed to build: those of debian/control, except for tests and debhelper, and a
# compiler.
build_packages() {
  {
    echo g++
    git show HEAD:debian/control | sed -n '/^Build-Depends:/,/^[^B ]/{s/^Build-Depends://;/^[^ ]/d;p}' | tr ',' '\n' |
      grep -v '<!nocheck>' | sed 's/[[(|<:].*//' | tr -d ' '
  } | grep -v '^$\|^debhelper' | sort -u
}

# installed_packages [BUILDINFO]: prints "PACKAGE VERSION" lines of the packages that were installed for the
# build that wrote BUILDINFO, or are installed here.
installed_packages() {
  if [[ -n ${1-} ]]; then
    sed -n '/^Installed-Build-Depends:/,/^[^ ]/s/^ \([^ ]*\) (= \([^)]*\)),\{0,1\}$/\1 \2/p' "$1"
  else
    dpkg-query -W -f='${binary:Package} ${Version} ${db:Status-Status}\n' | sed -n 's/\(:[a-z0-9]*\)\{0,1\} \([^ ]*\) installed$/ \2/p'
  fi
}

# A package of SPDX: NAME ID VERSION LICENSE SOURCE
print_package() {
  cat <<END

PackageName: $1
SPDXID: SPDXRef-Package-$2
PackageVersion: $3
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: false
PackageSourceInfo: <text>$5</text>
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: $4
PackageCopyrightText: NOASSERTION
END
}

# use_of PACKAGE: prints the package's SPDX relationship to the build, and its license if its code is in the
# packages. Of other packages' headers, only inline functions are compiled in.
use_of() {
  case $1 in
  libxxhash-dev) echo "CONTAINS BSD-2-Clause" ;;
  nlohmann-json3-dev) echo "CONTAINS MIT" ;;
  *-dev) echo "DYNAMIC_LINK NOASSERTION" ;;
  *) echo "BUILD_TOOL_OF NOASSERTION" ;;
  esac
}

# print_dependencies SUITE [BUILDINFO]: prints the SPDX records of all packages that the build uses.
print_dependencies() {
  local package found id use license where="on the machine that made this list"
  [[ -z ${2-} ]] || where="for the build in Debian $1"
  installed_packages "${2-}" | sort >"$work/installed"
  build_packages >"$work/taken"
  while read -r package; do
    found=$(awk -v name="$package" '$1 == name {print $2}' "$work/installed")
    [[ -n $found ]] || fail "expected the version of Debian's package $package in ${2:-what is installed here}, found none;" \
      "run $([[ -n ${2-} ]] && echo tools/package.sh || echo "tools/setup.sh $package")"
    # An SPDX ID has letters, digits, dots and dashes.
    id=$1-$(sed 's/+/plus/g; s/[^A-Za-z0-9.-]/-/g' <<<"$package")
    read -r use license <<<"$(use_of "$package")"
    print_package "$package" "$id" "$found" "$license" "Debian's package, as installed $where"
    case $use in
    BUILD_TOOL_OF) echo "Relationship: SPDXRef-Package-$id $use SPDXRef-Package-winnow" ;;
    *) echo "Relationship: SPDXRef-Package-winnow $use SPDXRef-Package-$id" ;;
    esac
  done <"$work/taken"
}

step_spdx() {
  local file=$work/$name.spdx built=() info here
  needs reuse
  clone
  mkdir -p "$to"
  # The document does not depend on who makes it from this commit.
  reuse --root "$work/$name" spdx >"$work/files.spdx"
  sed -e "s|^\(DocumentNamespace: http://spdx.org/spdxdocs/\).*|\1$name-$commit|" \
    -e "s|^Created: .*|Created: $(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)|" "$work/files.spdx" >"$file"
  {
    print_package winnow winnow "$version" Apache-2.0 "Commit $commit"
    echo "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-Package-winnow"
  } >>"$file"
  mapfile -t built < <(compgen -G "build/packages/*/upload/winnow_$version-*.buildinfo" | grep -v '\.before/')
  for info in "${built[@]}"; do
    print_dependencies "$(basename "$(dirname "$(dirname "$info")")")" "$info" >>"$file"
  done
  if ((${#built[@]} == 0)); then
    here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "tools/release.sh: there are no packages in build/packages/: the list has the versions of this machine" >&2
    print_dependencies "${here:-here}" >>"$file"
  fi
  mv "$file" "$to/$name.spdx" # atomic
  file=$to/$name.spdx
  echo "$file has $(grep -c '^FileName: ' "$file") files and $(grep -c '^PackageName: ' "$file") packages"
}

step_checksums() {
  [[ -d $to ]] || fail "expected $to, found no such folder; run the steps before: tools/release.sh archive spdx"
  (cd "$to" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >"$work/SHA256SUMS")
  mv "$work/SHA256SUMS" "$to/SHA256SUMS"
  (cd "$to" && sha256sum --check --quiet SHA256SUMS)
  echo "$to/SHA256SUMS has $(wc -l <"$to/SHA256SUMS") files"
}

if ((${#chosen[@]})); then
  whole=
else
  whole=1
  chosen=("${steps[@]}")
  rm -rf "$to" # removes results of another commit
fi
for step in "${chosen[@]}"; do
  if [[ " ${skipped[*]} " == *" $step "* ]]; then
    echo "== $step: SKIPPED"
    continue
  fi
  echo "== $step"
  # A condition would switch off errexit inside of the step.
  "step_$step"
done
[[ -n $whole ]] || exit 0

if ((${#skipped[@]})); then
  cat <<END
================================================================================
NO RELEASE: --skip has left out: ${skipped[*]}
What is in $to was not checked by that, or lacks it. Run tools/release.sh without --skip before anything is published.
================================================================================
END
  exit 0
fi
cat <<END
== $to is the release $version, of commit $commit. Nothing is published yet. What is next:
     git tag --sign --message="Winnow $version" v$version ${commit:0:12}
     git push REMOTE v$version
   Publish all files of $to below that tag; sign SHA256SUMS.
   Then begin the next version: "## Unreleased" on top of CHANGELOG.md, and its number in include/winnow/version.h.
END

#!/bin/bash
# Builds the Debian packages of HEAD, those of each suite in a chroot of that Debian:
#   tools/package.sh [bookworm|trixie] [--nocheck] [--twice] [--check]     by default both suites
# The packages are in build/packages/SUITE, with SHA256SUMS. Its folder plugins/ has the package that affects
# programs which the other packages leave alone; it is separate so that "install all" does not include it. Its
# folder upload/ has the source package, debug symbols and other output of dpkg-buildpackage. lintian must
# report no error and no warning.
#   --nocheck  skips the tests that are built and run with the packages
#   --twice  builds again in another folder and without a compiler cache, and compares the packages byte by byte
#   --check  builds only if there are no packages, and tests them in bare chroots without compiler and source: installs
#            them and makes a database; upgrades from the previous version while a database is open (from
#            build/packages/SUITE.before, which a build leaves, or else from copies with a lower version number); uses
#            the RocksDB of the next Debian; purges them, which must leave nothing; and runs debian/tests by autopkgtest
# DEB_BUILD_OPTIONS and CCACHE_DIR are passed on. Chroots are kept (tools/chroot.sh); the build's chroot is
# build/chroot/SUITE.build. Exits with 77 if no chroot can be created, with 1 if something fails.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/chroot.sh
. tools/chroot.sh

fail() {
  printf 'tools/package.sh: %s\n' "$*" >&2
  exit 1
}

suites=()
twice=
check=
for argument in "$@"; do
  case $argument in
  bookworm | trixie) suites+=("$argument") ;;
  --nocheck) DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} nocheck" ;;
  --twice) twice=1 ;;
  --check) check=1 ;;
  *)
    echo "tools/package.sh: expected bookworm, trixie, --nocheck, --twice or --check, found '$argument'" >&2
    exit 2
    ;;
  esac
done
((${#suites[@]})) || suites=(bookworm trixie)
git rev-parse --quiet --verify HEAD >/dev/null || fail "it packages a commit: run it in a clone, where git is installed"

# The version is read from the header; the Debian revision is derived from the suite, so that bookworm's sorts
# before trixie's.
upstream_version() {
  git show HEAD:include/winnow/version.h | sed -n 's/^#define WINNOW_VERSION_[A-Z]* \([0-9]*\)$/\1/p' | paste -sd .
}
debian_version() {
  local number
  number=$(sed -n 's/^VERSION_ID="\([0-9]*\)"$/\1/p' "$root/etc/os-release")
  echo "$(upstream_version)-1~deb${number}u1"
}

# write_changelog SUITE TREE: writes the changelog of HEAD to TREE/debian.
write_changelog() {
  cat >"$2/debian/changelog" <<END
winnow ($(debian_version)) $1; urgency=medium

  * Commit $(git rev-parse --short=12 HEAD). CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' "$2/debian/control")  $(git log -1 --format=%cD)
END
}

# write_source SUITE FOLDER: writes the source of HEAD for dpkg-buildpackage to $root/FOLDER.
write_source() {
  local version tree archive
  version=$(upstream_version)
  tree=$root$2/winnow-$version
  archive=$root$2/winnow_$version.orig.tar.gz
  rm -rf "${root:?}$2"
  mkdir -p "$tree"
  git archive --format=tar --prefix="winnow-$version/" HEAD -- . ':!debian' | gzip -n >"$archive"
  git archive --format=tar HEAD | tar -x -C "$tree"
  write_changelog "$1" "$tree"
}

# build SUITE FOLDER [CACHE]: runs dpkg-buildpackage, with ccache in the folder CACHE.
build() {
  local cache=
  if [[ -n ${3-} ]]; then
    mounted=$3
    # shellcheck disable=SC2016 # the inner shell's
    cache='PATH=/usr/lib/ccache:$PATH CCACHE_DIR=/mounted'
  fi
  in_chroot "cd $2/winnow-* && $cache DEB_BUILD_OPTIONS='parallel=$(nproc) ${DEB_BUILD_OPTIONS-}' \
    dpkg-buildpackage --no-sign" >"$root$2/build.log" 2>&1 || {
    tail -n 40 "$root$2/build.log" >&2
    fail "dpkg-buildpackage fails in Debian $1; its last lines are above, all are in ${root#"$PWD"/}$2/build.log"
  }
  mounted=
}

# Lists the packages that users install, without debug symbols and plugins/.
packages_in() { find "$1" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' ! -name 'winnow-plugins_*' -printf '%f\n' | sort; }

compare_builds() {
  local name differ=0 count=0
  while read -r name; do
    cmp "$root/one/$name" "$root/another/folder/$name" || differ=$((differ + 1))
    count=$((count + 1))
  done < <(cd "$root/one" && ls -- *.deb)
  ((differ == 0)) || fail "$differ of $count packages differ between two builds in two folders of Debian $1; see above"
  echo "== $count packages of Debian $1, with debug symbols, have equal bytes when they are built in another folder"
}

# Prints apt's errors in $root.log.
errors_of_apt() {
  grep '^E: ' "$root.log" | tail -n 3 || tail -n 3 "$root.log"
}

build_suite() {
  local suite=$1 to=build/packages/$1 before=build/packages/$1.before started=$SECONDS
  used_chroot "$suite" "$suite.build"
  write_source "$suite" /one
  # These packages are installed regardless of DEB_BUILD_OPTIONS, since they stay for the next build.
  in_chroot "apt-get -q update && apt-get -q install -y --no-install-recommends ccache dpkg-dev lintian &&
    cd /one/winnow-* && apt-get -q build-dep -y --no-install-recommends ." >"$root.log" 2>&1 ||
    left_out "what packages are built with can't be had in Debian $suite: $(errors_of_apt)"
  echo "== building $(debian_version)"
  build "$suite" /one "${CCACHE_DIR-}"
  # If lintian shows overridden tags, it counts them as found; so a second run decides.
  in_chroot 'cd /one && lintian --allow-root --tag-display-limit 0 --show-overrides --fail-on none *.changes &&
    lintian --allow-root --quiet --fail-on error,warning *.changes >/dev/null' ||
    fail "lintian of Debian $suite has found errors or warnings, see above"
  if compgen -G "$to/*.deb" >/dev/null && ! compgen -G "$to/*_$(debian_version)_*.deb" >/dev/null; then
    rm -rf "$before"
    mv "$to" "$before"
  fi
  rm -rf "$to"
  mkdir -p "$to/upload" "$to/plugins"
  find "$root/one" -maxdepth 1 -type f -exec cp -a {} "$to/upload" \;
  ln "$to/upload"/winnow-plugins_*.deb "$to/plugins"
  packages_in "$to/upload" | (cd "$to" && xargs -I{} ln upload/{} {} && sha256sum -- *.deb plugins/*.deb >SHA256SUMS)
  echo "== $to has $(packages_in "$to" | wc -l) packages of $(debian_version), after $((SECONDS - started)) s"
  if [[ -n $twice ]]; then
    write_source "$suite" /another/folder
    build "$suite" /another/folder
    compare_builds "$suite"
  fi
}

# with_lower_number FOLDER FROM: repacks the packages of FROM in FOLDER with the lower version suffix
# ~deb12u0.
with_lower_number() {
  local file unpacked
  unpacked=$(mktemp -d)
  mkdir -p "$1"
  for file in "$2"/*.deb; do
    dpkg-deb --raw-extract "$file" "$unpacked/package"
    sed -i 's/\(~deb[0-9]*\)u1/\1u0/g' "$unpacked/package/DEBIAN/control"
    dpkg-deb -Zgzip -z1 --root-owner-group --build "$unpacked/package" "$1" >/dev/null
    rm -r "$unpacked/package"
  done
  rm -r "$unpacked"
}

# check_step SUITE STEP [ARGUMENT]: runs a step of check_packages.sh in a bare chroot with the packages.
check_step() {
  local packages=build/packages/$1
  bare_chroot "$1" "$1.check"
  cp tools/check_packages.sh "$root/tmp"
  mkdir "$root/packages" "$root/before" "$root/next"
  cp "$packages"/*.deb "$root/packages"
  case $2 in
  install) cp -r "$packages/plugins" "$root/packages" ;;
  upgrade)
    if compgen -G "$packages.before/*.deb" >/dev/null; then
      cp "$packages.before"/*.deb "$root/before"
    else
      echo "tools/package.sh: no packages of a version before are in $packages.before: takes these with a lower number"
      with_lower_number "$root/before" "$packages"
    fi
    ;;
  rocksdb)
    cp "build/packages/$3"/*.deb "$root/next" 2>/dev/null ||
      echo "tools/package.sh: left out: the upgrade to the packages of $3, of which build/packages/$3 has none"
    ;;
  esac
  echo "== $2, in a bare Debian $1"
  in_chroot "/tmp/check_packages.sh $2 ${3-}" || fail "$2 fails in Debian $1"
}

# Runs debian/tests with autopkgtest, which installs their dependencies.
run_autopkgtest() {
  local status=0
  bare_chroot "$1" "$1.check"
  mkdir "$root/packages" "$root/source"
  cp "build/packages/$1"/*.deb "$root/packages"
  git archive --format=tar HEAD debian docs/embedding.md tests/install tests/languages tests/support/script.sh streams/tests/install |
    tar -x -C "$root/source"
  write_changelog "$1" "$root/source"
  echo "== autopkgtest in a bare Debian $1"
  in_chroot 'apt-get -q update && apt-get -q install -y --no-install-recommends autopkgtest' >"$root.log" 2>&1 ||
    left_out "autopkgtest can't be had: $(errors_of_apt)"
  in_chroot 'autopkgtest --no-built-binaries /packages/*.deb /source/ -- null' >"$root.log" 2>&1 || status=$?
  sed -n '/^autopkgtest .*: @* summary$/,$p' "$root.log"
  # Status 2: a test was skipped; 8: there are no tests.
  ((status == 0)) || fail "autopkgtest ends with $status in Debian $1; what it said is in ${root#"$PWD"/}.log"
}

check_suite() {
  check_step "$1" install
  check_step "$1" upgrade
  case $1 in
  bookworm) check_step "$1" rocksdb trixie ;;
  *) echo "tools/package.sh: left out: another RocksDB: no Debian after $1 is known here" ;;
  esac
  run_autopkgtest "$1"
}

for suite in "${suites[@]}"; do
  if [[ -z $check ]] || ! compgen -G "build/packages/$suite/*.deb" >/dev/null; then
    build_suite "$suite"
  fi
  if [[ -n $check ]]; then
    check_suite "$suite"
  fi
done

# Sourced by tools/try_hosts.sh: gives goleveldb, LevelDB in Go, Winnow's filters by the C interface, and counts what
# lookups read beside its own Bloom filter.
#   tools/try_hosts.sh goleveldb SOURCES [OPTION…]
# SOURCES is the folder of goleveldb in a GOPATH, as src/github.com/syndtr/goleveldb of Debian's
# golang-github-syndtr-goleveldb-dev is in /usr/share/gocode; only read.
#
#   --prefix=FOLDER  where Winnow is installed (/usr/local)
#   --keys=N         keys that are written, and absent keys that are looked up (1,000,000)
#
# tests/languages/goleveldb.go is the program. Prints a row for each filter. Ends with 1 if a key is missing, if an absent
# one is found, or if a data block was read for an absent key that a filter denied. Two minutes on two processors, 1 GB.
# shellcheck shell=bash disable=SC2154 # variables are set in the sourcing script

try_host() {
  local sources='' prefix=/usr/local keys=1000000 argument work package
  for argument in "$@"; do
    case $argument in
    --prefix=?*) prefix=$(path_of "${argument#*=}") ;;
    --keys=[1-9]*) keys=${argument#*=} ;;
    -*) usage "goleveldb: unknown argument '$argument'" ;;
    *)
      [[ ! $sources ]] || usage "goleveldb: expected one folder of sources, found also '$argument'"
      sources=$(path_of "$argument")
      ;;
    esac
  done
  [[ -d $sources/leveldb/filter ]] || usage "goleveldb: there is no goleveldb in '$sources'"
  needs go golang-go
  needs pkg-config pkgconf
  package=$(find "$prefix" -name winnow.pc -print -quit)
  [[ $package ]] || usage "goleveldb: $prefix has no winnow.pc: install Winnow there first"

  work=$(mktemp -d -t try_hosts.XXXXXX)
  # shellcheck disable=SC2064
  trap "rm -rf '$work'" EXIT
  mkdir -p "$work/go/src/github.com/syndtr"
  ln -s "$sources" "$work/go/src/github.com/syndtr/goleveldb"
  export PKG_CONFIG_PATH=${package%/*} CGO_LDFLAGS
  CGO_LDFLAGS=-Wl,-rpath,$(pkg-config --variable=libdir winnow)
  # Debian's packages of Go are in a GOPATH, which has no modules.
  GO111MODULE=off GOPATH=$work/go:/usr/share/gocode GOFLAGS='' GOTOOLCHAIN=local \
    go build -o "$work/program" tests/languages/goleveldb.go
  mkdir "$work/databases"
  "$work/program" "$work/databases" "$keys"
}

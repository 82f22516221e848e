#!/usr/bin/env bash
# Builds the ACME server that the tests use, Let's Encrypt's pebble (MPL-2.0), if it is missing. Needs Go;
# without it, or without its modules, these tests are skipped.
set -euo pipefail

version=v2.10.3
folder=/usr/local/bin
! command -v pebble >/dev/null 2>&1 || exit 0
if ! command -v go >/dev/null 2>&1; then
  echo 'pebble is not built, and tests with an ACME server are skipped: needs go'
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "building: pebble $version"
export GOBIN=$work CGO_ENABLED=0
if ! go install "github.com/letsencrypt/pebble/v2/cmd/pebble@$version" >"$work/log" 2>&1; then
  tail -3 "$work/log"
  echo 'pebble could not be built: tests with an ACME server are skipped'
  exit 0
fi
as_root=()
[ -w "$folder" ] || as_root=(sudo)
"${as_root[@]}" install -m 755 "$work/pebble" "$folder/pebble"

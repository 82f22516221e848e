#!/usr/bin/env bash
# Builds the S3-compatible store that the tests use, versitygw (Apache-2.0), if it is missing: Debian has none
# that is as small. Needs Go; without it, or without its modules, these tests are skipped.
set -euo pipefail

version=v1.8.0
folder=/usr/local/bin
! command -v versitygw >/dev/null 2>&1 || exit 0
if ! command -v go >/dev/null 2>&1; then
  echo 'versitygw is not built, and tests with an S3 store are skipped: needs go'
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "building: versitygw $version"
export GOBIN=$work CGO_ENABLED=0
if ! go install "github.com/versity/versitygw/cmd/versitygw@$version" >"$work/log" 2>&1; then
  tail -3 "$work/log"
  echo 'versitygw could not be built: tests with an S3 store are skipped'
  exit 0
fi
as_root=()
[ -w "$folder" ] || as_root=(sudo)
"${as_root[@]}" install -m 755 "$work/versitygw" "$folder/versitygw"

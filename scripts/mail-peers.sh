#!/usr/bin/env bash
# Unpacks Debian's Exim and OpenSMTPD beside its Postfix, if they are missing: as packages each would replace
# the other. Nothing of them is configured or started. Without Debian, tests with them are skipped.
set -euo pipefail

folder=/usr/local/lib/acuse-mail-peers
[ ! -x "$folder/usr/sbin/exim4" ] || [ ! -x "$folder/usr/sbin/smtpd" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt fetches as a user of its own.
chmod 755 "$work"
echo 'unpacking: exim4-daemon-light opensmtpd'
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
if ! (cd "$work" && "${as_root[@]}" apt-get update -qq &&
  "${as_root[@]}" apt-get download -qq exim4-daemon-light opensmtpd) >"$work/log" 2>&1; then
  tail -3 "$work/log"
  echo 'they cannot be had: tests with Exim and OpenSMTPD are skipped'
  exit 0
fi
"${as_root[@]}" mkdir -p "$folder"
for package in "$work"/*.deb; do "${as_root[@]}" dpkg -x "$package" "$folder"; done

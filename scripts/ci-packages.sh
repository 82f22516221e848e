#!/usr/bin/env bash
# Installs what the tests use from Debian, if it is missing: command → package. Needs root only when something
# is missing.
set -euo pipefail

bash "$(dirname "$0")/s3-server.sh"
bash "$(dirname "$0")/pebble.sh"
bash "$(dirname "$0")/mail-peers.sh"

declare -A packages=(
  [openssl]=openssl
  [curl]=curl
  [setpriv]=util-linux
  [unshare]=util-linux
  [flock]=util-linux
  [setsid]=util-linux
  [pgrep]=procps
  [dnsmasq]=dnsmasq-base
  [postfix]=postfix
  [pgbouncer]=pgbouncer
  [postgrey]=postgrey
  [swaks]=swaks
  [chromium]=chromium
  [chromium-headless-shell]=chromium-headless-shell
  [pdftotext]=poppler-utils
  [systemd-analyze]=systemd
  [ip]=iproute2
  [softhsm2-util]=softhsm2
  [pkcs11-tool]=opensc
  # What is deployed: a configuration and alerts that their own programs have read.
  [nginx]=nginx-light
  [promtool]=prometheus
  # Of the client libraries; Go (1.24) and Rust (1.85) are newer than Debian's and have to be there.
  [python3]=python3
  [java]=openjdk-17-jdk-headless
  [javac]=openjdk-17-jdk-headless
  [mvn]=maven
  [php]=php-cli
  [composer]=composer
  [phpunit]=phpunit
  [phpcs]=php-codesniffer
  [ruby]=ruby
  [gem]=ruby
  [rubocop]=rubocop
)

missing=()
for command in "${!packages[@]}"; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "$command" >/dev/null 2>&1 || missing+=("${packages[$command]}")
done
# What no command shows. Libraries of Exim and OpenSMTPD are not unpacked with them.
for library in libidn12:libidn.so.12 libevent-2.1-7:libevent-2.1.so.7; do
  PATH="$PATH:/usr/sbin:/sbin" ldconfig -p | grep "${library#*:}" >/dev/null || missing+=("${library%%:*}")
done
python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)
for extension in curl mbstring pgsql xml; do
  php -r "exit(extension_loaded('$extension') ? 0 : 1);" >/dev/null 2>&1 || missing+=("php-$extension")
done
ruby -rpg -e '' >/dev/null 2>&1 || missing+=(ruby-pg)
[ "${#missing[@]}" -gt 0 ] || exit 0

mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
echo "installing: ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# The tests start what they need themselves: no package may start a service of the machine's own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"

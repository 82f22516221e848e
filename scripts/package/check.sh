#!/usr/bin/env bash
# Builds the release twice, in two places, time zones and file modes, and compares; signs and verifies it;
# holds the units to their exposure; installs the Debian package into a copy of this machine that is thrown
# away, and uses it as a new operator would. What cannot be done here is said as "skipped: needs …".
set -euo pipefail
cd "$(dirname "$0")/../.."

# Of systemd-analyze, on its scale of 0 to 10 (in tenths).
exposure_max=25
work=$(mktemp -d "${TMPDIR:-/tmp}/acuse-package-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/units"
failed=0

fail() {
  echo "package: FAILED: $1" >&2
  failed=1
}
skip() { echo "package: skipped: $1"; }
has() { PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1; }
# Mounts of our own: needs root, and a container that lets it.
can_mount() { [ "$(id -u)" -eq 0 ] && unshare --mount mount -t tmpfs tmpfs "$work" 2>/dev/null; }
# What try-deb.sh does first.
can_copy_machine() {
  has ip && has curl && can_mount && unshare --mount --pid --net --fork --kill-child bash -c '
    mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work" "$0/merged" &&
      mount -t overlay overlay "$0/merged" -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" &&
      mount -t proc proc "$0/merged/proc"' "$work/units" 2>/dev/null
}

build_twice() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
  export SOURCE_DATE_EPOCH
  mkdir -p "$work/elsewhere/tree"
  # Both pack it; it is built in its place.
  node mcp/build.mjs
  node scripts/package.mjs --out "$work/one" >"$work/one.out" 2>&1 &
  local one=$!
  (
    umask 077
    export TZ=Asia/Tokyo LC_ALL=C TMPDIR="$work/elsewhere" npm_config_umask=077
    mkdir "$work/two"
    if can_mount; then
      unshare --mount bash -c 'mount --rbind "$0" "$1" && cd "$1" && node scripts/package.mjs --out "$2"' \
        "$PWD" "$work/elsewhere/tree" "$work/two"
    else
      node scripts/package.mjs --out "$work/two"
    fi
  ) >"$work/two.out" 2>&1 || { cat "$work/two.out" >&2; fail 'the second build'; }
  wait "$one" || { cat "$work/one.out" >&2; fail 'the first build'; }
  cat "$work/one.out"
  diff "$work/one/SHA256SUMS" "$work/two/SHA256SUMS" || fail 'two builds differ'
}

check_signature() {
  openssl genpkey -algorithm ed25519 -out "$work/release.pem" 2>/dev/null
  node -e 'import(process.argv[1]).then((archive) => archive.signSums(...process.argv.slice(2)))' \
    "$PWD/scripts/package/archive.mjs" "$work/one" "$work/release.pem" || fail 'signing'
  (
    cd "$work/one"
    openssl pkeyutl -verify -pubin -inkey acuse-release.pub -rawin -in SHA256SUMS \
      -sigfile SHA256SUMS.sig >/dev/null && sha256sum --check --quiet SHA256SUMS
  ) || fail 'the signature does not verify'
}

check_units() {
  has systemd-analyze || { skip 'the units: needs systemd-analyze'; return 0; }
  local units=$work/units unit said
  cp deploy/systemd/*.service deploy/systemd/*.timer "$units"
  # The program that the units start need not be installed to check them.
  sed -i 's#^ExecStart=/usr/bin/node#ExecStart=/bin/true#' "$units"/*.service
  cp "$units/acuse@.service" "$units/acuse@api.service"
  for unit in acuse.service acuse@api.service acuse-backup.service acuse-backup.timer; do
    said=$(SYSTEMD_UNIT_PATH="$units:" systemd-analyze verify --man=no "$units/$unit" 2>&1) || true
    [ -z "$(grep -F "$unit" <<<"$said" || true)" ] || { echo "$said" >&2; fail "$unit does not verify"; }
    # A timer runs nothing itself.
    [[ $unit == *.service ]] || continue
    systemd-analyze security --offline=true --threshold="$exposure_max" --no-pager "$units/$unit" \
      >"$work/exposure" || fail "$unit is more exposed than $exposure_max tenths"
    tail -1 "$work/exposure"
  done
}

check_install() {
  [ -n "$(find "$work/one" -name '*.deb')" ] || { skip 'the installation: needs dpkg-deb'; return 0; }
  can_copy_machine || { skip 'the installation: needs root, namespaces and overlay mounts'; return 0; }
  dpkg --compare-versions "$(dpkg-query -W -f '${Version}' nodejs 2>/dev/null || true)" ge 20.19 ||
    { skip 'the installation: needs nodejs >= 20.19 as a Debian package'; return 0; }
  unshare --mount --pid --net --fork --kill-child \
    bash scripts/package/try-deb.sh "$work/one/"*.deb "$work/machine" || fail 'the installation'
}

build_twice
if [ "$failed" -eq 0 ]; then
  check_signature
  check_install
fi
check_units
node scripts/package/check-deploy.mjs || failed=1
exit "$failed"

#!/usr/bin/env bash
# From a checkout without a container registry: builds a base (mmdebstrap), the image (buildah) and the Debian
# package, starts the image as its user and sends a certified message through it. It installs nothing on this
# machine and ends what it started. Usage, as root: try-image.sh [--base FILE.tar] [--keep FOLDER]
#   --base FILE.tar  a root file system with Node >= 20.19, npm >= 10 and glibc, in place of Debian 13
#   --keep FOLDER    leaves base.tar, the packages, the image (store, run) and the proof there
set -euo pipefail
here=$(realpath "$0")
from=$PWD
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/sbin:/sbin

suite=trixie
base_limit_s=900
package_limit_s=600
image_limit_s=1800
ready_limit_s=120
send_limit_s=120
stop_limit_s=15

say() { printf 'image: %4d s  %s\n' "$SECONDS" "$1"; }
fail() {
  echo "image: FAILED: $1" >&2
  for log in "$work"/*.log; do [ ! -s "$log" ] || { echo "--- $log" >&2 && tail -20 "$log" >&2; }; done
  exit 1
}
# Images and containers of this trial only.
b() { buildah --root "$work/store" --runroot "$work/run" "$@"; }

check_needs() {
  local missing=() program
  for program in buildah ip unshare node npm; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ -n "$base" ] || command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
  if [ "${#missing[@]}" -gt 0 ]; then
    echo "image: needs ${missing[*]} (Debian: apt install mmdebstrap buildah iproute2 util-linux)" >&2
    exit 2
  fi
  if [ "$(id -u)" -ne 0 ] || ! unshare --mount --net true 2>/dev/null; then
    echo 'image: needs root, and a machine that lets it make namespaces' >&2
    exit 2
  fi
}

# Debian's Node with this machine's npm, because Debian's is too old. It trusts whom this machine trusts: a
# build behind a proxy of one's own reaches the registry of packages.
make_base() {
  base=$work/base.tar
  local npm trusted=/etc/ssl/certs/ca-certificates.crt
  npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
  [ -e "$npm/bin/npm-cli.js" ] || fail "npm is not where it is expected: $npm"
  timeout "$base_limit_s" mmdebstrap --quiet --variant=minbase --include=nodejs,ca-certificates \
    --customize-hook="mkdir -p \"\$1/usr/local/lib/node_modules\"" \
    --customize-hook="cp -a '$npm' \"\$1/usr/local/lib/node_modules/npm\"" \
    --customize-hook="ln -s ../lib/node_modules/npm/bin/npm-cli.js \"\$1/usr/local/bin/npm\"" \
    --customize-hook="[ ! -e $trusted ] || cp $trusted \"\$1$trusted\"" \
    --customize-hook="mkdir -p \"\$1/usr/local/etc\" && echo cafile=$trusted >\"\$1/usr/local/etc/npmrc\"" \
    "$suite" "$base" >"$work/base.log" 2>&1 || fail 'mmdebstrap'
}

make_image() {
  local container
  {
    container=$(b from scratch) && b add --quiet "$container" "$base" / &&
      b commit --quiet --rm "$container" acuse-base &&
      timeout "$image_limit_s" buildah --root "$work/store" --runroot "$work/run" bud --isolation chroot \
        --format docker --build-arg BASE=localhost/acuse-base --file deploy/container/Dockerfile \
        --ignorefile deploy/container/Dockerfile.dockerignore --tag acuse .
  } >"$work/image.log" 2>&1 || fail 'buildah bud'
}

make_packages() {
  timeout "$package_limit_s" npm run package -- --out "$work/release" >"$work/package.log" 2>&1 ||
    fail 'npm run package'
}

# What the image says of itself, a word each line: its entrypoint, or the test of its HEALTHCHECK.
of_image() {
  b inspect --type image localhost/acuse | node -e '
    const { config } = JSON.parse(require("fs").readFileSync(0, "utf8")).Docker;
    const { Entrypoint: entrypoint, Healthcheck: { Test }, User } = config;
    console.log({ entrypoint, health: Test.slice(1), user: [User] }[process.argv[1]].join("\n"));' "$1"
}

# As the user of the image, with its environment, without capabilities; its own volume is a folder of ours.
inside() {
  b run --isolation chroot --cap-drop all --volume "$work/data:/var/lib/acuse" "$container" -- "$@"
}

wait_until_healthy() {
  local health until=$((SECONDS + ready_limit_s))
  mapfile -t health < <(of_image health)
  until inside "${health[@]}" >/dev/null 2>&1; do
    kill -0 "$service" 2>/dev/null || fail 'the service ended before it was ready'
    [ "$SECONDS" -lt "$until" ] || fail "the service was not ready within $ready_limit_s s"
    sleep 0.5
  done
}

# SIGTERM to the program itself, as a container engine does; there is no other in these namespaces.
stop() {
  local process until=$((SECONDS + stop_limit_s))
  for process in /proc/[0-9]*; do
    if { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q '^[^ ]*/node .*acuse\.mjs serve $'; then
      kill -TERM "${process#/proc/}"
    fi
  done
  while kill -0 "$service" 2>/dev/null; do
    [ "$SECONDS" -lt "$until" ] || fail "the service was still there after $stop_limit_s s"
    sleep 0.2
  done
  wait "$service" || fail 'the service stopped with an error'
}

# Called in namespaces of its own for mounts, processes and network: what it starts ends with it.
use_image() {
  local acuse id user
  ip link set lo up
  container=$(b from localhost/acuse)
  user=$(of_image user)
  install -d -m 0700 -o "${user%:*}" -g "${user#*:}" "$work/data"
  mapfile -t acuse < <(of_image entrypoint)
  inside "${acuse[@]}" serve >"$work/service.log" 2>&1 &
  service=$!
  wait_until_healthy
  say "healthy as user $user"
  inside timeout "$send_limit_s" "${acuse[@]}" messages send --certified --from billing@sandbox.test \
    --to delivered@sandbox.test --subject 'Invoice 1' --text 'Hello.' --wait --json \
    >"$work/sent.json" 2>"$work/send.log" || fail 'the message was not sent'
  id=$(node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).id' <"$work/sent.json")
  inside "${acuse[@]}" api evidence get-bundle "$id" --output proof.zip >"$work/send.log" 2>&1 ||
    fail 'the proof was not given'
  inside "${acuse[@]}" verify proof.zip >"$work/verify.log" 2>&1 || [ $? = 5 ] ||
    fail 'the proof is not valid'
  say "sent, sealed, and its proof: $(head -1 "$work/verify.log"): $id"
  stop
  say 'stopped'
}

main() {
  local kept=''
  base=''
  if [ "${1:-}" = --use ]; then
    work=$2
    SECONDS=$3
    use_image
    return
  fi
  while [ "$#" -gt 0 ]; do
    case "$1" in
      --base) base=$(cd "$from" && realpath "$2") ;;
      --keep) kept=$(cd "$from" && realpath -m "$2") ;;
      *) echo 'usage: try-image.sh [--base FILE.tar] [--keep FOLDER]' >&2 && exit 2 ;;
    esac
    shift 2
  done
  check_needs
  work=${kept:-$(mktemp -d "${TMPDIR:-/tmp}/acuse-image-XXXXXX")}
  mkdir -p "$work"
  [ -n "$kept" ] || trap 'rm -rf "$work"' EXIT
  if [ -z "$base" ]; then
    say "base: Debian $suite, up to two minutes"
    make_base
  fi
  say 'packages'
  make_packages
  say 'image: from the base, two to five minutes'
  make_image
  say 'start'
  unshare --mount --mount-proc --pid --net --fork --kill-child bash "$here" --use "$work" "$SECONDS"
  say 'done'
}

main "$@"

#!/usr/bin/env bash
# Installs a Debian package into a copy of this machine and uses it as a new operator would: start, send a
# certified message, verify its proof, upgrade, remove. Called by check.sh in namespaces of its own for
# mounts, processes and network, so that nothing of it outlives this program. Usage: try-deb.sh PACKAGE FOLDER
set -euo pipefail
shopt -s inherit_errexit
package=$1
machine=$2
export PATH=$PATH:/usr/sbin:/sbin

ready_limit_s=60
stop_limit_s=15

fail() {
  echo "package: $1" >&2
  cat "$machine/tmp/service.log" >&2 2>/dev/null || true
  exit 1
}

# All of this machine to read; what is written is gone at the end.
copy_machine() {
  mkdir -p "$machine.layers" "$machine"
  mount -t tmpfs tmpfs "$machine.layers"
  mkdir "$machine.layers/upper" "$machine.layers/work"
  mount -t overlay overlay "$machine" \
    -o "lowerdir=/,upperdir=$machine.layers/upper,workdir=$machine.layers/work"
  # As ProcSubset and ProtectProc of the unit have it, where the kernel can.
  mount -t proc -o subset=pid,hidepid=invisible proc "$machine/proc" 2>/dev/null ||
    mount -t proc proc "$machine/proc"
  mount --rbind /dev "$machine/dev"
  mount -t tmpfs tmpfs "$machine/run"
  mount -t tmpfs -o mode=1777 tmpfs "$machine/tmp"
  cp "$package" "$machine/tmp/acuse.deb"
  printf '#!/bin/sh\nexit 101\n' | install -m 755 /dev/stdin "$machine/usr/sbin/policy-rc.d"
  ip link set lo up
}

# As root's own shell there: a path that names the caller's folders first would find their programs.
on() { chroot "$machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"; }

install_package() {
  on dpkg --force-unsafe-io --install /tmp/acuse.deb >"$machine/tmp/dpkg.log" 2>&1 || {
    cat "$machine/tmp/dpkg.log" >&2
    fail 'dpkg --install failed'
  }
}

# What the unit says, by hand: its user, environment, limits of privilege and command.
start() {
  local unit=$machine/usr/lib/systemd/system/acuse.service environment command
  mapfile -t environment < <(sed -n 's/^Environment=//p' "$unit")
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  # The program itself, no shell in between, so that it is what gets the signals.
  # shellcheck disable=SC2086
  chroot "$machine" setpriv --reuid=acuse --regid=acuse --init-groups --no-new-privs --inh-caps=-all \
    --bounding-set=-all env -i PATH=/usr/bin:/bin HOME=/var/lib/acuse "${environment[@]}" \
    ${command/node /node --env-file=/etc/acuse/acuse.env } >"$machine/tmp/service.log" 2>&1 &
  service=$!
  for ((tenths = 0; tenths < ready_limit_s * 10; tenths++)); do
    curl -fsS -o /dev/null http://127.0.0.1:8025/readyz 2>/dev/null && return
    kill -0 "$service" 2>/dev/null || fail 'the service ended before it was ready'
    sleep 0.1
  done
  fail "the service was not ready within $ready_limit_s s"
}

stop() {
  kill -TERM "$service"
  for ((tenths = 0; tenths < stop_limit_s * 10; tenths++)); do
    if ! kill -0 "$service" 2>/dev/null; then
      wait "$service" || fail 'the service stopped with an error'
      return 0
    fi
    sleep 0.1
  done
  fail "the service was still there after $stop_limit_s s"
}

# Certified, delivered, sealed, and the proof checked offline; prints the message's id.
send() {
  local id
  on acuse messages send --certified --from billing@sandbox.test --to delivered@sandbox.test \
    --subject "$1" --text 'Hello.' --wait --json >"$machine/tmp/sent.json" ||
    fail "the message was not sent: $(cat "$machine/tmp/sent.json")"
  id=$(node -p 'JSON.parse(require("fs").readFileSync(0)).id' <"$machine/tmp/sent.json")
  on acuse api evidence get-bundle "$id" --output "/var/lib/acuse/$id.zip" >/dev/null ||
    fail 'the proof was not given'
  on acuse verify "/var/lib/acuse/$id.zip" --json >"$machine/tmp/verified.json" ||
    fail 'the proof is not valid'
  echo "$id"
}

copy_machine
install_package
[ "$(on stat -c '%U %a' /var/lib/acuse)" = 'acuse 700' ] || fail '/var/lib/acuse is not private to acuse'
[ "$(on stat -c '%U:%G %a' /etc/acuse/acuse.env)" = 'root:acuse 640' ] ||
  fail 'acuse.env can be read by others'
start
first=$(send 'Invoice 1')
stop
# As an upgrade does: settings and data stay.
echo '# of the operator' >>"$machine/etc/acuse/acuse.env"
install_package
grep -q '^# of the operator' "$machine/etc/acuse/acuse.env" || fail 'an upgrade changed acuse.env'
start
on acuse messages show "$first" >/dev/null || fail 'the first message is gone after an upgrade'
stop
on dpkg --purge acuse >/dev/null 2>&1 || fail 'dpkg --purge failed'
[ -e "$machine/var/lib/acuse/master.key" ] || fail 'a purge deleted evidence'
[ ! -e "$machine/usr/lib/acuse" ] || fail 'a purge left the program'
echo 'package: installed, started, sent, sealed, verified, upgraded, removed'

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

# What a unit says, by hand: its user, environment, limits of privilege and command.
as_unit() {
  local unit=$machine/usr/lib/systemd/system/$1 environment command
  mapfile -t environment < <(sed -n 's/^Environment=//p' "$unit")
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  # The program itself, no shell in between, so that it is what gets the signals.
  # shellcheck disable=SC2086
  exec chroot "$machine" setpriv --reuid=acuse --regid=acuse --init-groups --no-new-privs --inh-caps=-all \
    --bounding-set=-all env -i PATH=/usr/bin:/bin HOME=/var/lib/acuse "${environment[@]}" \
    ${command/node /node --env-file=/etc/acuse/acuse.env }
}

start() {
  as_unit acuse.service >"$machine/tmp/service.log" 2>&1 &
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
  on acuse verify "/var/lib/acuse/$id.zip" --json >"$machine/tmp/verified.json" || [ $? = 5 ] ||
    fail 'the proof is not valid'
  # Where root stands after signing in: closed to the service's user, and files are named from there.
  on sh -c "cd /root && acuse api evidence get-bundle $id --output $id.zip &&
    { acuse verify $id.zip || [ \$? = 5 ]; } &&
    acuse tenants list" >"$machine/tmp/at-home.log" 2>&1 ||
    fail "not from root's own folder: $(cat "$machine/tmp/at-home.log")"
  echo "$id"
}

# As the timer starts it: without a folder it says so and fails; with one a backup is there, and no more than
# are kept.
back_up() {
  local status=0
  (as_unit acuse-backup.service) >"$machine/tmp/backup.log" 2>&1 || status=$?
  if [ "$status" -ne 2 ] || ! grep -q ACUSE_BACKUP_FOLDER "$machine/tmp/backup.log"; then
    fail "a backup without a folder ended with $status: $(cat "$machine/tmp/backup.log")"
  fi
  on install -d -o acuse -g acuse -m 700 /mnt/backup/acuse
  printf 'ACUSE_BACKUP_FOLDER=/mnt/backup/acuse\nACUSE_BACKUP_KEEP=2\n' >>"$machine/etc/acuse/acuse.env"
  for _ in 1 2 3; do
    (as_unit acuse-backup.service) >"$machine/tmp/backup.log" 2>&1 ||
      fail "the backup failed: $(cat "$machine/tmp/backup.log")"
  done
  [ "$(find "$machine/mnt/backup/acuse" -name manifest.json | wc -l)" -eq 2 ] ||
    fail 'not two backups are kept'
}

# As the guide has it: the disk is lost, the newest backup is what there is.
restore() {
  local newest
  newest=$(find "$machine/mnt/backup/acuse" -mindepth 1 -maxdepth 1 -name 'acuse-*' | sort | tail -1)
  on mv /var/lib/acuse /var/lib/acuse.damaged
  on install -d -o acuse -g acuse -m 700 /var/lib/acuse
  {
    on acuse restore run --from "${newest#"$machine"}" --data-dir /var/lib/acuse &&
      on acuse restore check &&
      on acuse restore release --accept-idempotency-gap --without-journal
  } >"$machine/tmp/restore.log" 2>&1 || fail "not restored: $(cat "$machine/tmp/restore.log")"
  [ "$(on stat -c %U /var/lib/acuse/postgres)" = acuse ] || fail 'what was restored is not of acuse'
}

copy_machine
install_package
[ ! -e "$machine/etc/systemd/system/timers.target.wants/acuse-backup.timer" ] || fail 'the timer is enabled'
[ "$(on stat -c '%U %a' /var/lib/acuse)" = 'acuse 700' ] || fail '/var/lib/acuse is not private to acuse'
[ "$(on stat -c '%U:%G %a' /etc/acuse/acuse.env)" = 'root:acuse 640' ] ||
  fail 'acuse.env can be read by others'
start
first=$(send 'Invoice 1')
back_up
stop
restore
start
on acuse messages show "$first" >/dev/null || fail 'the first message is gone after a restore'
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
echo 'package: installed, started, sent, sealed, verified, backed up, restored, upgraded, removed'

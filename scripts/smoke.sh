#!/usr/bin/env bash
# The README's first minute, as a newcomer lives it: a copy of this tree, npm start, the printed curl pasted;
# then npm is killed, started again and told to stop, and at last Ctrl-C: nothing is lost, and nothing left
# behind hinders the next start. Usage: scripts/smoke.sh [user]. With a user (root only) the copy is that
# user's; without one it lies in a folder that only we may enter. Fails when any step does, and says which.
set -euo pipefail
cd "$(dirname "$0")/.."

user=${1:-}
# Only what hangs takes so long.
ready_limit_s=180
stop_limit_s=120

home=$(mktemp -d "${TMPDIR:-/tmp}/acuse-smoke-XXXXXX")
server=
finish() {
  [ -z "$server" ] || kill -KILL -- "-$server" 2>/dev/null || true
  rm -rf "$home"
}
trap finish EXIT

fail() {
  echo "smoke${user:+ as $user}: $1" >&2
  sed 's/^/    /' "$home/out" >&2 || true
  exit 1
}

mkdir "$home/acuse"
: >"$home/out"
# What a clone has after npm ci, whatever other steps are building here meanwhile.
{
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done
  find . -name node_modules -not -path '*/node_modules/*' -prune -print0
} >"$home/files"
tar --exclude='node_modules/.cache' --exclude='node_modules/.vite*' --null --files-from="$home/files" -cf - |
  tar -xf - -C "$home/acuse"
as_user=()
if [ -n "$user" ]; then
  chown -R "$user" "$home"
  # Becomes npm itself, so that what is signalled is npm.
  as_user=(setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups --)
fi

# In a process group of its own, as a terminal gives it one.
start() {
  : >"$home/out"
  (
    cd "$home/acuse"
    exec setsid "${as_user[@]}" env HOME="$home" npm_config_update_notifier=false \
      ACUSE_PORT=0 ACUSE_SANDBOX_SMTP_PORT=0 ACUSE_RETURN_PATH_PORT=0 ACUSE_ADMIN_PORT=0 \
      ACUSE_SUBMISSION_PORT=0 ACUSE_SUBMISSIONS_PORT=0 npm start
  ) >"$home/out" 2>&1 &
  server=$!
  for ((tenths = 0; tenths < ready_limit_s * 10; tenths++)); do
    grep -q 'Stop with Ctrl-C' "$home/out" && return
    kill -0 "$server" 2>/dev/null || fail "npm start ended before it was ready"
    sleep 0.1
  done
  fail "npm start was not ready within $ready_limit_s s"
}

# Pastes the printed curl.
send() {
  local printed answer
  printed=$(sed -n '/^  curl /,/^$/p' "$home/out")
  [ -n "$printed" ] || fail "npm start printed no curl"
  answer=$(bash -c "$printed") || fail "the printed curl failed"
  [[ $answer == *'"status":"queued"'* ]] || fail "the printed curl was answered with: $answer"
}

# Waits until nothing of a process group is left (what only waits to be reaped is gone), nor of the PostgreSQL
# if told so.
gone() {
  local group=$1 after=$2 postgres=${3:-}
  for ((tenths = 0; tenths < stop_limit_s * 10; tenths++)); do
    if ! ps -eo pgid=,stat= |
      awk -v group="$group" '$1 == group && $2 !~ /^Z/ { found = 1 } END { exit !found }'; then
      [ -n "$postgres" ] && pgrep -f "$home/acuse/.acuse/postgres" >/dev/null || return 0
    fi
    sleep 0.1
  done
  fail "something was still there $stop_limit_s s after $after"
}

start
send
kill -KILL "$server"
wait "$server" 2>/dev/null || true
killed=$server
start
send
gone "$killed" 'npm was killed'
# npm passes it on to the server.
kill -TERM "$server"
gone "$server" 'SIGTERM' with-postgres
start
send
kill -INT -- "-$server"
gone "$server" 'Ctrl-C' with-postgres
server=
echo "smoke${user:+ as $user}: started, sent, killed, resumed and stopped"

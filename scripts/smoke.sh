#!/usr/bin/env bash
# The README's first minute, as a newcomer lives it: a copy of this tree, npm start, the printed curl pasted, Ctrl-C.
# Usage: scripts/smoke.sh [user]. With a user (root only) the copy is that user's; without one it lies in a folder that
# only we may enter. Fails when any step does, and says which.
set -euo pipefail
cd "$(dirname "$0")/.."

user=${1:-}
ready_limit_s=60
stop_limit_s=10

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
# Everything but what a start makes itself.
tar --exclude=./.acuse --exclude=./server/dist --exclude=./.types --exclude=./.git -cf - . | tar -xf - -C "$home/acuse"
as_user=()
if [ -n "$user" ]; then
  chown -R "$user" "$home"
  as_user=(runuser -u "$user" --)
fi

# A process group of its own, as a terminal gives it one.
(
  cd "$home/acuse"
  exec setsid "${as_user[@]}" env HOME="$home" ACUSE_PORT=0 ACUSE_SANDBOX_SMTP_PORT=0 ACUSE_RETURN_PATH_PORT=0 npm start
) >"$home/out" 2>&1 &
server=$!

for ((tenths = 0; tenths < ready_limit_s * 10; tenths++)); do
  grep -q 'Stop with Ctrl-C' "$home/out" && break
  kill -0 "$server" 2>/dev/null || fail "npm start ended before it was ready"
  sleep 0.1
done
grep -q 'Stop with Ctrl-C' "$home/out" || fail "npm start was not ready within $ready_limit_s s"

printed=$(sed -n '/^  curl /,/^$/p' "$home/out")
[ -n "$printed" ] || fail "npm start printed no curl"
answer=$(bash -c "$printed") || fail "the printed curl failed"
[[ $answer == *'"status":"queued"'* ]] || fail "the printed curl was answered with: $answer"

# What Ctrl-C does: the whole group hears it.
kill -INT -- "-$server"
for ((tenths = 0; tenths < stop_limit_s * 10; tenths++)); do
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
kill -0 "$server" 2>/dev/null && fail "it was still there $stop_limit_s s after Ctrl-C"
if pgrep -f "$home/acuse/.acuse/postgres" >/dev/null; then fail "its PostgreSQL was left behind"; fi
server=
echo "smoke${user:+ as $user}: started, sent and stopped"

#!/usr/bin/env bash
# The jars are whole, and an empty project compiles against the one that is published, on the module path,
# with nothing else. It sends where ACUSE_URL and ACUSE_API_KEY name a sandbox.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

jar=(target/acuse-java-*-sources.jar target/acuse-java-*-javadoc.jar)
for each in "${jar[@]}"; do [ -s "$each" ] || { echo "$each is missing" >&2; exit 1; }; done
library=$(ls target/acuse-java-*.jar | grep -vE -- '-(sources|javadoc)\.jar$')

mkdir -p "$work/src"
cp package/src/Main.java "$work/src/"
javac -J-XX:TieredStopAtLevel=1 --release 17 -Xlint:all -Werror -d "$work/classes" --module-path "$library" \
  --add-modules dev.acuse "$work/src/Main.java"
if [ -n "${ACUSE_API_KEY:-}" ]; then
  java -XX:TieredStopAtLevel=1 --module-path "$library" --add-modules dev.acuse -cp "$work/classes" Main
elif [ "${CI:-}" = true ]; then
  echo "compiled against $library; nothing was sent, because ACUSE_API_KEY is not set" >&2
  exit 1
else
  echo "compiled against $library; ACUSE_API_KEY is not set, so nothing was sent"
fi

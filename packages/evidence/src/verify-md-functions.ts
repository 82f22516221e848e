/** The functions that the commands of VERIFY.md call: its first block. */
import { ED25519_SPKI_PREFIX, MAKE_SCRATCH } from './shell.ts';

/**
 * `check` counts what fails, `have` what is missing, and the verdict is made of the counts. A missing file is
 * never a failure: nobody is accused of what a lost file would show.
 */
export const FUNCTIONS = `${MAKE_SCRATCH}
failed=0 missing=0 other=0 unknown=0 known= log_key= counted_at= times=
say() { printf '%s\\n' "$*"; }
# A sentence, and a command that shows it:
check() {
  said=$1; shift
  if "$@"; then say "$said: OK"; else say "$said: FAILED"; failed=$((failed + 1)); false; fi
}
# Files that the next lines need:
have() {
  for file in "$@"; do
    [ -f "$file" ] || { say "MISSING: $file"; missing=$((missing + 1)); return 1; }
  done
}
# Fingerprints, with or without colons, in capitals or not:
prints() { for each in $1; do echo "$each" | tr -d : | tr a-f A-F | sed 's/../&:/g; s/:$//'; done; }
# A variable of yours, its values, the value here, what it is:
given() {
  known="$known $3 "
  case " $(echo $2) " in
    '  ') say "UNKNOWN: $4, because $1 was not given"; unknown=$((unknown + 1)) ;;
    *" $3 "*) say "$4 is the one that you were given: OK" ;;
    *) say "$4: OTHER than the one that you were given"; other=$((other + 1)) ;;
  esac
}
sha_file() { sha256sum < "$1" | cut -c1-64; }
sha_text() { printf '%s' "$1" | sha256sum | cut -c1-64; }
sha_hex() { printf '%s' "$@" | xxd -r -p | sha256sum | cut -c1-64; }
# The commitment in a field, or the nth of the parts: what opens it there opens no other.
committed() {
  case $2 in
    [1-9]*) sed 's/.*"parts":\\[\\([^]]*\\)\\].*/\\1/' "$1" | tr -d '"' | tr , '\\n' | sed -n "$2p" ;;
    *) sed -n "s/.*\\"$2\\":\\"\\([0-9a-f]*\\)\\".*/\\1/p" "$1" ;;
  esac
}
# A file, the place of a commitment in it, salt, hash:
opens() { test "$(committed "$1" "$2")" = "$(sha_hex "$3" "$4")"; }
root() { test "$(printf '%s' "$1" | xxd -r -p | base64)" = "$(sed -n 3p "$2")"; }
size() { sed -n '2s/^\\([0-9]\\{1,15\\}\\)$/\\1/p' "$1"; }
# A file, its proof, a checkpoint: from leaf to root, RFC 6962 §2.1.1
included() {
  at=$(sed -n 's/^index \\([0-9]\\{1,15\\}\\)$/\\1/p' "$2" | head -n 1) last=$(size "$3")
  [ -n "$at" ] && [ -n "$last" ] || return 1
  last=$((last - 1)) h=$(sha_hex 00 "$(sha_file "$1")")
  for sibling in $(sed '1,2d; /^$/,$d' "$2"); do
    sibling=$(echo "$sibling" | base64 -d | xxd -p -c 32)
    if [ $((at % 2)) -eq 1 ] || [ "$at" -eq "$last" ]; then
      h=$(sha_hex 01 "$sibling" "$h")
      while [ $((at % 2)) -eq 0 ] && [ "$at" -gt 0 ]; do at=$((at / 2)) last=$((last / 2)); done
    else h=$(sha_hex 01 "$h" "$sibling"); fi
    at=$((at / 2)) last=$((last / 2))
  done
  [ "$last" -eq 0 ] && root "$h" "$3"
}
# The hashes from one tree to another in history.txt:
hashes() { sed -n "/^consistency $1 $2$/,/^$/p" history.txt | sed '1d; /^$/d' | while read -r each; do echo "$each" | base64 -d | xxd -p -c 32; done; }
# A key, a signature, what is signed, the note that has it:
signed() {
  printf '%s' ${ED25519_SPKI_PREFIX}"$1" | xxd -r -p > "$work/log-key.der"
  printf '%s' "$2" | base64 -d > "$work/signature.bin"
  [ -z "\${4-}" ] || sed -n 's/^— [^ ]* //p' "$4" | while read -r each; do echo "$each" | base64 -d | tail -c 64 | base64 -w 0; echo; done | grep -qxF -e "$2" || return 1
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/log-key.der" -rawin -in "$3" -sigfile "$work/signature.bin"
}
# DKIM's relaxed form, RFC 6376 §3.4: each line without \`\\r\`, runs of white space as one space, none at the end.
# The fields that are sealed, by name in this order, folded lines joined, \`name:value\`:
relaxed_header() {
  LC_ALL=C awk 'BEGIN { split("from to cc subject date message-id reply-to in-reply-to references mime-version content-type content-transfer-encoding service-evidence", order, " ") }
    { sub(/\\r$/, "") } $0 == "" { exit } /^[ \\t]/ { field[n] = field[n] $0; next } { field[++n] = $0 }
    END { for (i = 1; i in order; i++) for (j = 1; j <= n; j++) {
      colon = index(field[j], ":"); name = tolower(substr(field[j], 1, colon - 1)); sub(/[ \\t]+$/, "", name)
      value = substr(field[j], colon + 1); gsub(/[ \\t]+/, " ", value); sub(/^ /, "", value); sub(/ $/, "", value)
      if (name == order[i]) printf "%s:%s\\r\\n", name, value } }' "$1"
}
# The body, without empty lines at its end:
relaxed_body() {
  LC_ALL=C awk 'body { sub(/\\r$/, ""); gsub(/[ \\t]+/, " "); sub(/ $/, ""); if ($0 == "") { empty++; next }
      for (; empty > 0; empty--) printf "\\r\\n"; printf "%s\\r\\n", $0; next } /^\\r?$/ { body = 1 }' "$1"
}
moment() { [ -z "$1" ] || date -u -d "$1" +%s%3N; }
# A chain, its length, the fingerprint of the last certificate, which alone is trusted:
pin() {
  rm -f "$work/root.pem" "$work/untrusted.pem" "$work/signer.pem"
  openssl x509 -in "$1" -out "$work/signer.pem"
  awk -v last="$2" '/BEGIN CERT/ { n++ } n == last' "$1" | openssl x509 -out "$work/root.pem"
  awk -v last="$2" '/BEGIN CERT/ { n++ } n < last' "$1" > "$work/untrusted.pem"
  pinned=$(openssl x509 -in "$work/root.pem" -noout -fingerprint -sha256 | cut -d = -f 2)
  check "the root in $1 is the one of this text" test "$pinned" = "$3"
  case "$known " in *" $pinned "*) ;; *) check "the root in $1 was compared with yours" false ;; esac
}
# A time-stamp, the time that it has by this text, an option:
read_token() {
  rm -f "$work/token.txt"
  openssl ts -reply -in "$1" $3 -text -out "$work/token.txt"
  grep -E '^(Policy OID|Hash Algorithm|Time stamp):' "$work/token.txt"
  check "$1 has a serial number" grep -E '^Serial number: 0x[0-9A-F]' "$work/token.txt"
  check 'the time of the token is the one tried' test "$(moment "$(sed -n 's/^Time stamp: //p' "$work/token.txt")")" = "$(moment "$2")"
}
field() {
  value=$(grep -oE "\\"$2\\":(\\"([^\\"\\\\]|\\\\\\\\.)*\\"|[^][{},\\"]*)" "$1" 2> /dev/null | head -n 1 | sed -E "s/^\\"$2\\"://; s/^\\"(.*)\\"$/\\1/")
  case $value in '' | null) value='not stated' ;; esac
  say "$value" | plain
}
# Without what a terminal would act on, or show in another order:
plain() { LC_ALL=C sed 's/[\\x00-\\x1f\\x7f]/?/g; s/\\xc2[\\x80-\\x9f]/?/g; s/\\xe2\\x80[\\x8b-\\x8f\\xa8-\\xae]/?/g; s/\\xe2\\x81[\\xa0-\\xaf]/?/g'; }`;

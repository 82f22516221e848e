/** The functions that the commands of VERIFY.md call: its first block. */
import { ED25519_SPKI_PREFIX, MAKE_SCRATCH } from './shell.ts';

/**
 * `check` counts what fails, `have` what is missing, and the verdict is made of the counts. A missing file is
 * never a failure: nobody is accused of what a lost file would show.
 */
export const FUNCTIONS = `${MAKE_SCRATCH}
failed=0 missing=0 other=0 unknown=0 times=
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
# A variable of yours, its values, the value here, what it is:
given() {
  case " $2 " in
    '  ') say "UNKNOWN: $4, because $1 was not given"; unknown=$((unknown + 1)) ;;
    *" $3 "*) say "$4 is the one that you were given: OK" ;;
    *) say "$4: OTHER than the one that you were given"; other=$((other + 1)) ;;
  esac
}
sha_file() { sha256sum < "$1" | cut -c1-64; }
sha_text() { printf '%s' "$1" | sha256sum | cut -c1-64; }
sha_hex() { printf '%s' "$@" | xxd -r -p | sha256sum | cut -c1-64; }
opens() { grep -q "\\"$(sha_hex "$2" "$3")\\"" "$1"; }
root() { test "$(printf '%s' "$1" | xxd -r -p | base64)" = "$(sed -n 3p "$2")"; }
signed() {
  printf '%s' ${ED25519_SPKI_PREFIX}"$1" | xxd -r -p > "$work/log-key.der"
  printf '%s' "$2" | base64 -d > "$work/signature.bin"
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/log-key.der" -rawin -in "$3" -sigfile "$work/signature.bin"
}
moment() { [ -z "$1" ] || date -u -d "$1" +%s%3N; }
# A chain, its length, the fingerprint of the last certificate, which alone is trusted:
pin() {
  rm -f "$work/root.pem" "$work/untrusted.pem" "$work/signer.pem"
  openssl x509 -in "$1" -out "$work/signer.pem"
  awk -v last="$2" '/BEGIN CERT/ { n++ } n == last' "$1" | openssl x509 -out "$work/root.pem"
  awk -v last="$2" '/BEGIN CERT/ { n++ } n < last' "$1" > "$work/untrusted.pem"
  check "the root in $1 is the one of this text" test "$(openssl x509 -in "$work/root.pem" -noout -fingerprint -sha256 | cut -d = -f 2)" = "$3"
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
  say "$value" | LC_ALL=C tr -c ' -~\\n' '?'
}`;

/** The commands of VERIFY.md for the mail by which a recipient acknowledges: its DKIM signature, RFC 6376. */
import * as shell from './shell.ts';

/**
 * The first signature of the domain in the facts, in the relaxed forms of header and body, which nearly all
 * use; another counts as unknown. `mail`: an entry. `facts`: what was extracted.
 */
export function replyCommands(mail: string, facts: string): string {
  return shell.step(
    [mail],
    FUNCTION,
    `domain=$(field ${facts} domain) algorithm=$(field ${facts} algorithm) public=$(field ${facts} public_key)`,
    `dkim_parts ${mail} "$domain"`,
    `if [ "$(tag c)" != relaxed/relaxed ]; then`,
    `  say "UNKNOWN: the DKIM signature of $domain, which is not relaxed/relaxed"; unknown=$((unknown + 1))`,
    `else`,
    `  say "From: $(signed_address from), to $(signed_address to)" | plain`,
    `  ${shell.held('goes_between', `${mail} goes from that domain to the address of this message`)}`,
    `  ${shell.held(`covers_all ${mail}`, `From, To, Subject and the whole body of ${mail} are signed`)}`,
    `  ${shell.held(`test "$(relaxed_body ${mail} | openssl dgst -sha256 -binary | base64)" = "$(tag bh)"`, `body of ${mail}, as its domain signed it`)}`,
    `  ${shell.held('signed_by_domain', `signature of the recipient's mail domain in ${mail}`)}`,
    'fi',
  );
}

const FUNCTION = `# A mail, a domain: its tags, and the header that it signed, without the value of b=
dkim_parts() {
  LC_ALL=C awk -v domain="$2" -v tags=${shell.scratch('tags.txt')} 'function name(f) { f = tolower(substr(f, 1, index(f, ":") - 1)); sub(/[ \\t]+$/, "", f); return f }
    function relaxed(f, v) { v = substr(f, index(f, ":") + 1); gsub(/[ \\t]+/, " ", v); sub(/^ /, "", v); sub(/ $/, "", v); return name(f) ":" v }
    { sub(/\\r$/, "") } $0 == "" { exit } /^[ \\t]/ { field[n] = field[n] $0; next } { field[++n] = $0 }
    END { for (j = n; j > 0; j--) if (name(field[j]) == "dkim-signature") { v = substr(field[j], 16); gsub(/[ \\t]/, "", v); if (index(";" tolower(v) ";", ";d=" domain ";")) { own = j; all = v } }
      gsub(/;/, "\\n", all); print all > tags; h = all; sub(/^(.*\\n)?h=/, "", h); sub(/\\n.*/, "", h)
      split(tolower(h), names, ":"); for (i = 1; i in names; i++) for (j = n; j > 0; j--) if (!used[j] && j != own && name(field[j]) == names[i]) { used[j] = 1; printf "%s\\r\\n", relaxed(field[j]); break }
      f = relaxed(field[own]); if (match(f, /[;: ]b ?=[^;]*/)) { b = substr(f, RSTART, RLENGTH); f = substr(f, 1, RSTART - 1) substr(b, 1, index(b, "=")) substr(f, RSTART + RLENGTH) }
      printf "%s", f }' "$1" > ${shell.scratch('dkim-header.txt')}
}
tag() { sed -n "s/^$1=//p" ${shell.scratch('tags.txt')}; }
# The one address in a field that is signed, without quoted names:
signed_address() {
  sed -n "s/^$1://p" ${shell.scratch('dkim-header.txt')} | tr -d '\\r' | tr A-Z a-z | sed 's/"[^"]*"//g; s/^[^@,;:()<>]*<\\([^<>]*\\)>$/\\1/' | grep -xE '[^ @,;:()<>]+@[a-z0-9.-]+'
}
goes_between() {
  from=$(signed_address from | cut -d @ -f 2)
  case ".$from" in .) return 1 ;; *".$domain") ;; *) case ".$domain" in *".$from") ;; *) return 1 ;; esac ;; esac
  case "$(signed_address to)" in "ack+$(field manifest.json message_id | tr -d -)-"*) ;; *) return 1 ;; esac
}
# Each is there once, and signed, and so is the whole body:
covers_all() {
  for each in from to subject; do
    case ":$(tag h | tr A-Z a-z):" in *":$each:"*) ;; *) return 1 ;; esac
    [ "$(tr -d '\\r' < "$1" | sed '/^$/q' | grep -ciE "^$each[[:blank:]]*:")" = 1 ] || return 1
  done
  [ -z "$(tag l)" ]
}
signed_by_domain() {
  if [ "$algorithm" = ed25519-sha256 ]; then
    openssl dgst -sha256 -binary -out ${shell.scratch('dkim-hash.bin')} ${shell.scratch('dkim-header.txt')}
    signed "$(echo "$public" | base64 -d | xxd -p -c 32)" "$(tag b)" ${shell.scratch('dkim-hash.bin')}
  else
    echo "$public" | base64 -d > ${shell.scratch('dkim-key.der')}
    tag b | base64 -d > ${shell.scratch('dkim-signature.bin')}
    openssl dgst -sha256 -verify ${shell.scratch('dkim-key.der')} -keyform DER -signature ${shell.scratch('dkim-signature.bin')} ${shell.scratch('dkim-header.txt')}
  fi
}`;

/**
 * Lines of shell for VERIFY.md, which call the functions of verify-md-functions.ts. A failure says so and is
 * counted, pasted into a terminal or as a script; GNU coreutils, xxd and OpenSSL 3 are enough.
 */
import { toBase64, toHex } from './bytes.ts';
import type { HistoryStep } from './history.ts';
import { lowestPowerOfTwo } from './merkle.ts';

/**
 * A file that a command writes, outside the unpacked bundle, whose files are all checked. `MAKE_SCRATCH`
 * comes first, in the same shell.
 */
export const scratch = (name: string): string => `"$work/${name}"`;
export const MAKE_SCRATCH = 'work=$(mktemp -d) && echo "temporary files: $work"';

/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself. RFC 8410 §4 */
export const ED25519_SPKI_PREFIX = '302a300506032b6570032100';

/** Lines to run, in Markdown. */
export function block(...commands: string[]): string {
  return `\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
}

export const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** A command, and the sentence that it shows. */
export function held(command: string, said: string): string {
  return `check ${quoted(said.replace(/"\$work\/([^"]*)"/g, '$1'))} ${command}`;
}

/** A check that always fails. */
export function fails(what: string): string {
  return held('false', what);
}

const word = (name: string) => (/^[\w./-]+$/.test(name) ? name : quoted(name));

/** Commands that run if these files are there; otherwise names the first missing one. */
export function step(files: readonly string[], ...commands: string[]): string {
  const lines = commands.join('\n').split('\n');
  return [`if have ${files.map(word).join(' ')}; then`, ...lines.map((line) => `  ${line}`), 'fi'].join('\n');
}

/** If the reader was given a value elsewhere, it is this one. */
export function isGiven(variable: 'LOG_KEY' | 'ROOT_FINGERPRINT', value: string, what: string): string {
  const yours = variable === 'LOG_KEY' ? `"\${${variable}-}"` : `"$(prints "\${${variable}-}")"`;
  return `given ${variable} ${yours} ${quoted(value)} ${quoted(what)}`;
}

/** `lines`: of SHA256SUMS, for the files of the evidence; whatever else lies there, but for `without`. */
export function areFiles(lines: readonly string[], sums: string, without: readonly string[]): string {
  const list = scratch('files.txt');
  const allowed = ['-e', sums, ...without.flatMap((name) => ['-e', name])].join(' ');
  return `cat > ${list} <<'END'
${lines.join('\n')}
END
changed=0
while read -r hash name; do
  have "$name" || continue
  [ "$(sha_file "$name")" = "$hash" ] || { echo "CHANGED: $name"; changed=$((changed + 1)); }
done < ${list}
cut -c 67- ${list} > "$work/names.txt"
unexpected=$(find . ! -type d | cut -c 3- | grep -vxF ${allowed} -f "$work/names.txt" | LC_ALL=C tr -c ' -~\\n' '?')
[ -z "$unexpected" ] || say "$unexpected" | sed 's/^/UNEXPECTED: /'
${held('test "$changed" = 0', 'the files that are here are those of this text')}
${held('test -z "$unexpected"', 'no other file is here')}
${step([sums], held(`sha256sum -c --quiet --ignore-missing ${sums}`, `${sums} is about these files`))}`;
}

/**
 * A commitment: in `file`, the field `label`, or the `label`th of its parts, from 1. The salt is from the
 * openings.
 */
export type Committed = { file: string; label: string | number; salt: string };

/** `hash`: a command's. The salt and it make the commitment that stands in this very place. */
export function opens(what: string, { file, label, salt }: Committed, hash: string): string {
  return held(`opens ${file} ${label} ${salt} "${hash}"`, what);
}

export const hashOf = (file: string) => `$(sha_file ${word(file)})`;

/** From a file's hash up the Merkle tree to the root in a checkpoint. */
export function inclusion(file: string, proof: string, checkpoint: string): string {
  return held(`included ${file} ${proof} ${checkpoint}`, `${file} in ${checkpoint}`);
}

const KEY = scratch('log-key.der');
const SIGNATURE = scratch('signature.bin');

/** After `isKey` the log's own is in a variable, which comes from the line that the reader compares. */
const keyOf = (publicKey: Uint8Array | 'log') => (publicKey === 'log' ? '"$log_key"' : toHex(publicKey));

/** The same, by the functions of VERIFY.md. */
export function isSigned(
  file: string,
  publicKey: Uint8Array | 'log',
  signature: Uint8Array,
  { note, what = file }: { note: string; what?: string },
): string {
  const of = `${keyOf(publicKey)} ${quoted(toBase64(signature))} ${file} ${note}`;
  return held(`signed ${of}`, `signature of ${what}`);
}

/** The log's Ed25519 signature over a checkpoint's text. */
export function checkpointSignature(
  checkpoint: string,
  publicKey: Uint8Array,
  signature: Uint8Array,
): string {
  return [
    `printf '%s' ${ED25519_SPKI_PREFIX}${toHex(publicKey)} | xxd -r -p > ${KEY}`,
    `printf '%s' ${quoted(toBase64(signature))} | base64 -d > ${SIGNATURE}`,
    `openssl pkeyutl -verify -pubin -keyform DER -inkey ${KEY} -rawin -in ${checkpoint} -sigfile ${SIGNATURE}`,
  ].join('\n');
}

export const COSIGNED = scratch('cosigned.txt');

/** An Ed25519 cosignature over a note's text. C2SP tlog-cosignature, v1 */
export function cosignature(
  text: string,
  publicKey: Uint8Array,
  unixSeconds: number,
  signature: Uint8Array,
): string {
  return [extractCosigned(text, unixSeconds), checkpointSignature(COSIGNED, publicKey, signature)].join('\n');
}

/** The bytes that such a cosignature signs. */
export function extractCosigned(text: string, unixSeconds: number): string {
  return `counted_at=${unixSeconds}
printf 'cosignature/v1\\ntime %s\\n' "$counted_at" | cat - ${text} > ${COSIGNED}`;
}

/** A note's text, into a file of its own. */
export function extractNote(note: string, into: string): string {
  return `sed '/^$/,$d' ${note} > ${into}`;
}

const node = (input: string) => `$(sha_hex ${input})`;
const isRoot = (hash: string, checkpoint: string) => `root ${hash} ${checkpoint}`;

/** How many outcomes a note's text counts, and how many of these files are here. */
export function countOutcomes(files: readonly string[], withheld: number, text: string): string {
  const shown = files.length === 0 ? '0' : `$(ls ${files.join(' ')} 2> /dev/null | wc -l)`;
  const rest = withheld === 0 ? '' : `, ${withheld} withheld`;
  return `echo "outcomes that the log counted: $(($(size ${text}) - 1)); in this file: ${shown} shown${rest}"`;
}

/** The tree over these files and, behind them, these canonical hashes has the root in a note's text. */
export function outcomesRoot(files: readonly string[], withheld: readonly string[], text: string): string {
  const entries = [...files.map(hashOf), ...withheld];
  const lines = entries.map((entry, i) => `n${i}=${node(`00 ${entry}`)}`);
  for (let level = entries.map((_, i) => i); level.length > 1; ) {
    const above: number[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at]!, level[at + 1]];
      if (right !== undefined) lines.push(`n${left}=${node(`01 "$n${left}" "$n${right}"`)}`);
      above.push(left);
    }
    level = above;
  }
  return [
    ...lines,
    `if [ "$(size ${text})" -gt ${entries.length} ]; then ${missing('outcomes that the log counted')}`,
    'else',
    `  ${held(isRoot('"$n0"', text), 'no outcome left out, none put in')}`,
    'fi',
  ].join('\n');
}

/** Absent files that count as absent on purpose. */
export const missing = (what: string) => `${say(`MISSING: ${what}`)}; missing=$((missing + 1))`;

export const say = (line: string) => `echo ${quoted(line)}`;

/** A later note, in the file that `NEWER_NOTE` names. `keyId`: of the signature, hex. */
export function newerNote({ publicKey, keyId, entries }: NoteSigner, line: string): string {
  const text = scratch('newer.txt');
  return `if [ -n "\${NEWER_NOTE-}" ] && have "$NEWER_NOTE"; then
  if ! sed -n 1p "$NEWER_NOTE" | grep -q /m/; then ${missing('a note in the file that NEWER_NOTE names')}
  else
    ${extractNote('"$NEWER_NOTE"', text)}
    signature=$(sed -n 's/^— [^ ]* //p' "$NEWER_NOTE" | while read -r each; do echo "$each" | base64 -d | xxd -p -c 99; done | grep -E '^${keyId}.{144}$')
    time=$((0x0$(echo "$signature" | cut -c 9-24)))
    { printf 'cosignature/v1\\ntime %s\\n' "$time"; cat ${text}; } > ${COSIGNED}
    ${held(`signed ${keyOf(publicKey)} "$(echo "$signature" | cut -c 25- | xxd -r -p | base64 -w 0)" ${COSIGNED}`, 'signature of the newer note')}
    ${isAbout(text, line)}
    newer=$(size ${text})
    echo "newer note: $((newer - 1)) outcomes, counted at $(date -u -d "@$time" +%FT%TZ)"
    ${held(`test "$newer" -ge ${entries}`, 'the newer note counts no fewer outcomes')}
    if [ "$newer" -gt ${entries} ]; then ${missing('outcomes that the newer note counts')}; fi
  fi
else echo 'NEWER_NOTE was not given'; fi`;
}

/** `entries`: the ones that its earlier note counts. */
export type NoteSigner = { publicKey: Uint8Array | 'log'; keyId: string; entries: number };

/** The tree in one checkpoint is the beginning of that in another. RFC 6962 §2.1.2 */
export function consistency({ size, next, path }: HistoryStep, older: string, newer: string): string {
  const isWhole = lowestPowerOfTwo(size) === size;
  // The hashes of the file, as the shell counts them.
  const hashes = path.map((_, i) => `"\${${i + 1}}"`);
  const first = isWhole ? `$(sed -n 3p ${older} | base64 -d | xxd -p -c 32)` : hashes[0]!;
  const lines = [`set -- $(hashes ${size} ${next})`, `o=${first}`, 'n=$o'];
  let position = size - 1;
  let last = next - 1;
  const up = () => {
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  };
  while (position % 2 === 1) up();
  for (const sibling of hashes.slice(isWhole ? 0 : 1)) {
    if (position % 2 === 1 || position === last) {
      lines.push(`o=${node(`01 ${sibling} "$o"`)}`, `n=${node(`01 ${sibling} "$n"`)}`);
      while (position % 2 === 0 && position !== 0) up();
    } else lines.push(`n=${node(`01 "$n" ${sibling}`)}`);
    up();
  }
  return [
    ...lines,
    held(isRoot('"$o"', older), `the tree of ${size} by history.txt`),
    held(isRoot('"$n"', newer), `the tree of ${next} begins with that of ${size}`),
  ].join('\n');
}

/** The text that a proof file's checkpoint signs, into a file of its own. */
export function extractCheckpoint(proof: string, text: string, into: string): string {
  const lines = text.split('\n').length - 1;
  return `sed '1,/^$/d' ${proof} | head -n ${lines} > ${into}`;
}

/** Where `timeStamp` finds the only certificate that it trusts, and the others. */
const ROOT = scratch('root.pem');
const UNTRUSTED = scratch('untrusted.pem');
const SIGNER = scratch('signer.pem');
const TOKEN = scratch('token.der');
const TOKEN_TEXT = scratch('token.txt');
const ISSUER = scratch('issuer.pem');
export const ISSUERS = scratch('issuers.pem');
/** Trusts no root of the machine; the given root need not be self-signed. */
const ONLY_ROOT = '-no-CApath -no-CAstore -partial_chain';

/** Certificate `n`, from 1, of a chain. */
const nth = (chain: string, n: number) => `awk '/BEGIN CERT/ { n++ } n == ${n}' ${chain}`;

/**
 * Only a chain's last certificate is trusted, by its fingerprint; those before it only help to find the path.
 */
export function pinRoot({ chain, certificates, rootFingerprint }: PinnedChain): string {
  return `pin ${chain} ${certificates} ${rootFingerprint}`;
}

/** `certificates`: how many the chain has. `rootFingerprint`: SHA-256 of the last, `AB:CD:…`. */
export type PinnedChain = { chain: string; certificates: number; rootFingerprint: string };

/**
 * After `pinRoot`. `bare`: the file is a token without the response around it. `attime`: Unix seconds, for
 * after a certificate has ended. `hash`: the imprint's.
 */
export function timeStamp(
  stamp: { profile: 'rfc3161' | 'nom151'; token: string; bare: boolean; genTime: string; attime?: number },
  data: string,
  hash: 'sha256' | 'sha512' = 'sha256',
): string {
  const at = stamp.attime === undefined ? '' : ` -attime ${stamp.attime}`;
  const read = `read_token ${stamp.token} ${stamp.genTime}${stamp.bare ? ' -token_in' : ''}`;
  const what = `${stamp.token} is a time-stamp of ${data}`;
  if (stamp.profile === 'rfc3161') return `${held(openSslVerifies(stamp, data, at), what)}\n${read}`;
  return [
    `rm -f ${TOKEN}`,
    stamp.bare
      ? `cp ${stamp.token} ${TOKEN}`
      : `openssl ts -reply -in ${stamp.token} -token_out -out ${TOKEN}`,
    held(
      `openssl verify${at} ${ONLY_ROOT} -CAfile ${ROOT} -untrusted ${UNTRUSTED} ${SIGNER}`,
      `signer of ${stamp.token}`,
    ),
    `# The line before vouches for the signer, who alone may have signed:`,
    held(
      `openssl cms -verify -cades -purpose any${at} -nointern -certfile ${SIGNER} ${ONLY_ROOT} \\
  -inform DER -in ${TOKEN} -CAfile ${SIGNER} -out ${scratch('tst-info.der')}`,
      `signature of ${stamp.token}`,
    ),
    read,
    `# The imprint in the token is the hash of the data:`,
    `imprint=$(sed -n 's/^ *[0-9a-f]* - \\([0-9a-f -]*\\)   .*/\\1/p' ${TOKEN_TEXT} | tr -d ' -' | tr -d '\\n')`,
    held(`test "$(${hash}sum < ${data} | cut -d' ' -f1)" = "$imprint"`, `imprint of ${data}`),
  ].join('\n');
}

function openSslVerifies({ token, bare }: { token: string; bare: boolean }, data: string, at = ''): string {
  return `openssl ts -verify${at} -data ${data} -in ${token}${bare ? ' -token_in' : ''} -CAfile ${ROOT} -untrusted ${UNTRUSTED} -partial_chain`;
}

/** After `pinRoot`: says it, and fails in neither case. */
export function holdsToday(stamp: { token: string; bare: boolean }, data: string): string {
  return `${openSslVerifies(stamp, data)} && echo 'holds today' || echo 'does not hold today'`;
}

/** The raw key of a verifier key's line. */
export function isKey(line: string): string {
  return `log_key=$(echo ${quoted(line)} | cut -d + -f 3- | base64 -d | tail -c 32 | xxd -p -c 32)`;
}

/** A note's text is three lines, and this is the first. */
export function isAbout(file: string, line: string): string {
  return held(
    `test "$(sed -n 1p ${file}) $(sed -n '$=' ${file})" = ${quoted(`${line} 3`)}`,
    `${file} is about this message`,
  );
}

/** The authorities of a chain that its root vouches for, added to ISSUERS. `attime`: Unix seconds. */
export function collectIssuers(chain: PinnedChain & { attime: number }): string {
  const verify = `openssl verify -attime ${chain.attime} ${ONLY_ROOT} -CAfile ${ROOT} -untrusted ${UNTRUSTED}`;
  const between = Array.from({ length: Math.max(chain.certificates - 2, 0) }, (_, i) =>
    [
      `rm -f ${ISSUER}; ${nth(chain.chain, i + 2)} | openssl x509 -out ${ISSUER}`,
      `${verify} ${ISSUER} && cat ${ISSUER} >> ${ISSUERS}`,
    ].join('\n'),
  );
  return [pinRoot(chain), `cat ${ROOT} >> ${ISSUERS}`, ...between].join('\n');
}

/**
 * Signed by a certificate of ISSUERS, and what it says; OpenSSL names each certificate by its serial
 * number. `attime`: Unix seconds.
 */
export function revocationData(name: string, attime: number): string {
  const trusted = `-CAfile ${ISSUERS} -no-CApath -no-CAstore`;
  if (name.endsWith('.crl')) {
    const list = `openssl crl -inform DER -in ${name} -noout`;
    const verified = `test "$(${list} ${trusted} 2>&1 | grep 'verify OK')"`;
    return `${held(verified, `signature of ${name}`)}\n${list} -text | grep -E 'Update:|No Revoked|Serial Number:|Revocation Date:'`;
  }
  // The issuer itself may have signed, and such an answer need not contain its certificate.
  const answer = `openssl ocsp -respin ${name} ${trusted} -verify_other ${ISSUERS} -partial_chain -attime ${attime} -resp_text`;
  const said = scratch('ocsp.txt');
  return `${answer} > ${said} 2>&1 || :
${held(`grep 'Response verify OK' ${said}`, `signature of ${name}`)}
grep -E 'Serial Number:|Cert Status:|Update:' ${said}`;
}

/** A file's SHA-512 is a line of a list. */
export function listed(file: string, list: string): string {
  return held(`grep -qx "$(sha512sum < ${file} | cut -c1-128)" ${list}`, `${file} in ${list}`);
}

/** The canonical JSON of `facts` in an outcome's openings: what is hashed is what is read. */
export function extractFacts(openings: string, into: string): string {
  return `sed 's/.*"facts":{"salt":"[0-9a-f]*","value"://; s/},"transcript":.*//' ${openings} > ${into}`;
}

export const textHashOf = (file: string) => `$(sha_text "$(cat ${file})")`;

/** A field of an outcome is the canonical hash of another file. */
export function names(file: string, field: string, other: string): string {
  const hash = hashOf(other);
  return held(`grep -q "\\"${field}\\":\\"${hash}\\"" ${file}`, `${file} names ${other} as ${field}`);
}

/** Two checkpoints' origin, size and root. */
export function sameTree(one: string, other: string): string {
  return held(`test "$(head -n 3 ${one})" = "$(head -n 3 ${other})"`, `${one} and ${other} are one tree`);
}

const indexIn = (proof: string) => `"$(sed -n 's/^index //p' ${proof} | head -n 1)"`;

/** The way up the tree that `inclusion` takes starts where the proof file says. */
export function isLeaf(proof: string, index: number): string {
  return held(`test ${indexIn(proof)} = ${index}`, `${proof} is about leaf ${index}`);
}

export function indexBefore(proof: string, next: string): string {
  return held(`test ${indexIn(proof)} -lt ${indexIn(next)}`, `${next} is a later leaf than ${proof}`);
}

/** The hash of a text. */
export const textHash = (text: string) => `$(sha_text ${quoted(text)})`;

/** Hash of a message's sealed fields, or of its body, in the relaxed form. */
export const relaxedHash = (part: 'header' | 'body', file: string) =>
  `$(relaxed_${part} ${file} | sha256sum | cut -c1-64)`;

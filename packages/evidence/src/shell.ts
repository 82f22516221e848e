/**
 * Lines of shell for VERIFY.md. A failure says so and has an exit status other than 0, pasted into a terminal
 * or under `sh -e`; GNU coreutils, xxd and OpenSSL 3 are enough.
 */
import { type Sha256, toBase64, toHex, utf8 } from './bytes.ts';
import { commitmentOf, type Opening } from './commitment.ts';
import type { HistoryStep } from './history.ts';
import { lowestPowerOfTwo } from './merkle.ts';
import type { TlogProof } from './tlog-proof.ts';

/**
 * A file that a command writes: outside the unpacked bundle, where it would be a stranger. `MAKE_SCRATCH`
 * comes first, in the same shell.
 */
export const scratch = (name: string): string => `"$work/${name}"`;
export const MAKE_SCRATCH = 'work=$(mktemp -d) && echo "temporary files: $work"';

/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself. RFC 8410 §4 */
const ED25519_SPKI_PREFIX = '302a300506032b6570032100';

/** Lines to run, in Markdown. */
export function block(...commands: string[]): string {
  return `\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
}

export const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** A condition, and what it says either way. */
export function held(condition: string, said: string): string {
  const what = said.replace(/"\$work\/([^"]*)"/g, '$1');
  return `${condition} && echo ${quoted(`${what}: OK`)} || { echo ${quoted(`${what}: FAILED`)}; false; }`;
}

/** A check that always fails. */
export function fails(what: string): string {
  return `echo ${quoted(`${what}: FAILED`)}; false`;
}

/** If the reader was given a value elsewhere, it is this one. */
export function isGiven(variable: string, value: string, what: string): string {
  return [
    `if [ -n "\${${variable}-}" ]; then`,
    `  ${held(`test "$${variable}" = ${quoted(value)}`, `${what} that you were given`)}`,
    `else echo ${quoted(`${what}: ${variable} was not given, so compare it yourself`)}; fi`,
  ].join('\n');
}

/** A command prints a line that has this text. */
const prints = (command: string, found: string) => `${command} | grep ${found} || { echo FAILED; false; }`;

/** An unpacked bundle has no other file: those are printed. */
export function onlyListed(sums: string): string {
  const others = `find . -type f ! -path ./${sums} | cut -c 3- | grep -vxF "$(cut -c 67- ${sums})"`;
  return held(`! ${others}`, `no file here that ${sums} does not list`);
}

/** The files, but for those that `without` names, are those that the text with these commands is about. */
export function isEvidence(sums: string, without: readonly string[], hash: string): string {
  const names = without.map((name) => `-e ${quoted(`  ${name.replaceAll('.', '\\.')}$`)}`).join(' ');
  return held(`grep -v ${names} ${sums} | sha256sum | grep -q ${hash}`, 'these files are those of this text');
}

export function fileHash(name: string, hash: string): string {
  return `echo ${quoted(`${hash}  ${name}`)} | sha256sum -c`;
}

/** The salt and the content's hash make the commitment that stands in the manifest. */
export function opens(what: string, manifest: string, opening: Opening, sha256: Sha256): string {
  const commitment = commitmentOf(opening, sha256);
  return [
    prints(
      `printf '%s' ${quoted(opening.salt)} ${quoted(opening.sha256)} | xxd -r -p | sha256sum`,
      commitment,
    ),
    held(`grep -q ${quoted(`"${commitment}"`)} ${manifest}`, what),
  ].join('\n');
}

/** From a file's hash up the Merkle tree to the root in a checkpoint. RFC 6962 §2.1 */
export function inclusion(
  file: string,
  { index, path }: TlogProof,
  size: number,
  checkpoint: string,
): string {
  const hashed = (input: string) => `h=$(printf '%s' ${input} | xxd -r -p | sha256sum | cut -c1-64)`;
  const lines = [`h=$(sha256sum < ${file} | cut -c1-64)`, hashed('00 "$h"')];
  let position = index;
  let last = size - 1;
  for (const sibling of path) {
    const hex = toHex(sibling);
    if (position % 2 === 1 || position === last) {
      lines.push(hashed(`01 ${hex} "$h"`));
      while (position % 2 === 0 && position !== 0) {
        position /= 2;
        last = Math.floor(last / 2);
      }
    } else lines.push(hashed(`01 "$h" ${hex}`));
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  }
  lines.push(held(isRoot('"$h"', checkpoint), `${file} in ${checkpoint}`));
  return lines.join('\n');
}

const KEY = scratch('log-key.der');
const SIGNATURE = scratch('signature.bin');

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

const COSIGNED = scratch('cosigned.txt');

/** An Ed25519 cosignature over a note's text. C2SP tlog-cosignature, v1 */
export function cosignature(
  text: string,
  publicKey: Uint8Array,
  unixSeconds: number,
  signature: Uint8Array,
): string {
  return [
    `printf 'cosignature/v1\\ntime ${unixSeconds}\\n' | cat - ${text} > ${COSIGNED}`,
    checkpointSignature(COSIGNED, publicKey, signature),
  ].join('\n');
}

/** A note's text, into a file of its own. */
export function extractNote(note: string, into: string): string {
  return `sed '/^$/,$d' ${note} > ${into}`;
}

const node = (input: string) => `$(printf '%s' ${input} | xxd -r -p | sha256sum | cut -c1-64)`;
const isRoot = (hash: string, checkpoint: string) =>
  `test "$(printf '%s' ${hash} | xxd -r -p | base64)" = "$(sed -n 3p ${checkpoint})"`;

/** The tree over these files and, behind them, these canonical hashes has the root in a note's text. */
export function outcomesRoot(files: readonly string[], withheld: readonly string[], text: string): string {
  const entries = [...files.map((file) => `"$(sha256sum < ${file} | cut -c1-64)"`), ...withheld];
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
  const counted = `test "$(sed -n 2p ${text})" = ${entries.length} && ${isRoot('"$n0"', text)}`;
  const shown = `${files.length - 1} shown${withheld.length === 0 ? '' : `, ${withheld.length} withheld`}`;
  return [
    ...lines,
    `echo "outcomes that the log counted: $(($(sed -n 2p ${text}) - 1)); in this file: ${shown}"`,
    held(counted, 'no outcome left out, none put in'),
  ].join('\n');
}

/** The tree in one checkpoint is the beginning of that in another. RFC 6962 §2.1.2 */
export function consistency({ size, next, path }: HistoryStep, older: string, newer: string): string {
  const isWhole = lowestPowerOfTwo(size) === size;
  const first = isWhole ? `$(sed -n 3p ${older} | base64 -d | xxd -p -c 32)` : toHex(path[0]!);
  const lines = [`o=${first}`, 'n=$o'];
  let position = size - 1;
  let last = next - 1;
  const up = () => {
    position = Math.floor(position / 2);
    last = Math.floor(last / 2);
  };
  while (position % 2 === 1) up();
  for (const sibling of path.slice(isWhole ? 0 : 1)) {
    const hex = toHex(sibling);
    if (position % 2 === 1 || position === last) {
      lines.push(`o=${node(`01 ${hex} "$o"`)}`, `n=${node(`01 ${hex} "$n"`)}`);
      while (position % 2 === 0 && position !== 0) up();
    } else lines.push(`n=${node(`01 "$n" ${hex}`)}`);
    up();
  }
  const both = `${isRoot('"$o"', older)} && ${isRoot('"$n"', newer)}`;
  return [...lines, held(both, `${size} leaves are the beginning of ${next}`)].join('\n');
}

/** The text that a proof file's checkpoint signs, into a file of its own. */
export function extractCheckpoint(proof: string, text: string, into: string): string {
  const lines = text.split('\n').length - 1;
  return `sed '1,/^$/d' ${proof} | head -n ${lines} > ${into}`;
}

/** Where `timeStamp` finds the only certificate that it trusts, and the others. */
const ROOT = scratch('root.pem');
const UNTRUSTED = scratch('untrusted.pem');
const TOKEN = scratch('token.der');
const TOKEN_TEXT = scratch('token.txt');
const ISSUER = scratch('issuer.pem');
export const ISSUERS = scratch('issuers.pem');
/** Nothing that the machine trusts besides; and the root need not have signed itself. */
const ONLY_ROOT = '-no-CApath -no-CAstore -partial_chain';

/** Certificate `n`, from 1, of a chain. */
const nth = (chain: string, n: number) => `awk '/BEGIN CERT/ { n++ } n == ${n}' ${chain}`;

/**
 * A chain's last certificate, told by its fingerprint, is what is trusted; whatever stands before it only
 * helps to find the way.
 */
export function pinRoot({ chain, certificates, rootFingerprint }: PinnedChain): string {
  return [
    `${nth(chain, certificates)} | openssl x509 -out ${ROOT}`,
    prints(`openssl x509 -in ${ROOT} -noout -fingerprint -sha256`, quoted(rootFingerprint)),
    `awk '/BEGIN CERT/ { n++ } n < ${certificates}' ${chain} > ${UNTRUSTED}`,
  ].join('\n');
}

/** `certificates`: how many the chain has. `rootFingerprint`: SHA-256 of the last, `AB:CD:…`. */
export type PinnedChain = { chain: string; certificates: number; rootFingerprint: string };

/**
 * After `pinRoot`. `bare`: the file is a token without the response around it. `attime`: Unix seconds, for
 * after a certificate has ended. `hash`: the imprint's.
 */
export function timeStamp(
  stamp: { profile: 'rfc3161' | 'nom151'; token: string; bare: boolean; attime?: number },
  data: string,
  hash: 'sha256' | 'sha512' = 'sha256',
): string {
  const at = stamp.attime === undefined ? '' : ` -attime ${stamp.attime}`;
  const tokenIn = stamp.bare ? ' -token_in' : '';
  // A serial number is not negative; the others are to be read.
  const read = `openssl ts -reply -in ${stamp.token}${tokenIn} -text -out ${TOKEN_TEXT}
grep -E '^(Policy OID|Hash Algorithm|Time stamp):' ${TOKEN_TEXT}
grep -E '^Serial number: 0x[0-9A-F]' ${TOKEN_TEXT}`;
  if (stamp.profile === 'rfc3161') return `${openSslVerifies(stamp, data, at)}\n${read}`;
  return [
    stamp.bare
      ? `cp ${stamp.token} ${TOKEN}`
      : `openssl ts -reply -in ${stamp.token} -token_out -out ${TOKEN}`,
    `openssl cms -verify -cades -purpose any${at} -nointern -certfile ${UNTRUSTED} ${ONLY_ROOT} \\
  -inform DER -in ${TOKEN} -CAfile ${ROOT} -out ${scratch('tst-info.der')}`,
    read,
    `# The imprint in the token is the hash of the data:`,
    `imprint=$(sed -n 's/^ *[0-9a-f]* - \\([0-9a-f -]*\\)   .*/\\1/p' ${TOKEN_TEXT} | tr -d ' -' | tr -d '\\n')`,
    held(`test "$(${hash}sum < ${data} | cut -d' ' -f1)" = "$imprint"`, `imprint of ${data}`),
  ].join('\n');
}

function openSslVerifies({ token, bare }: { token: string; bare: boolean }, data: string, at = ''): string {
  return `openssl ts -verify${at} -data ${data} -in ${token}${bare ? ' -token_in' : ''} -CAfile ${ROOT} -untrusted ${UNTRUSTED} -partial_chain`;
}

/** After `timeStamp`: it was made within this second (Unix). */
export function stampedAt(unixSeconds: number): string {
  const time = `$(date -u -d "$(sed -n 's/^Time stamp: //p' ${TOKEN_TEXT})" +%s)`;
  return held(`test "${time}" = ${unixSeconds}`, 'the time of the token is the one tried');
}

/** After `pinRoot`: says it, and fails in neither case. */
export function holdsToday(stamp: { token: string; bare: boolean }, data: string): string {
  return `${openSslVerifies(stamp, data)} && echo 'holds today' || echo 'does not hold today'`;
}

/** A verifier key's line is of the raw key that the commands use. */
export function isKey(line: string, publicKey: Uint8Array): string {
  return prints(
    `echo ${quoted(line)} | cut -d + -f 3- | base64 -d | tail -c 32 | xxd -p -c 32`,
    toHex(publicKey),
  );
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
      `${nth(chain.chain, i + 2)} | openssl x509 -out ${ISSUER}`,
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
    return `${list} ${trusted} 2>&1 | grep 'verify OK'\n${list} -text | grep -E 'Update:|No Revoked|Serial Number:|Revocation Date:'`;
  }
  const answer = `openssl ocsp -respin ${name} ${trusted} -partial_chain -attime ${attime} -resp_text 2>&1`;
  return `${answer} | grep -E 'Response verify OK|Serial Number:|Cert Status:|Update:'`;
}

/** A file's SHA-512 is a line of a list. */
export function listed(file: string, list: string): string {
  return held(`grep -qx "$(sha512sum < ${file} | cut -c1-128)" ${list}`, `${file} in ${list}`);
}

/** The canonical JSON of `facts` in an outcome's openings has this hash. */
export function factsHash(openings: string, { sha256 }: Opening): string {
  const value = `sed 's/.*"facts":{"salt":"[0-9a-f]*","value"://; s/},"transcript":.*//' ${openings}`;
  return prints(`${value} | tr -d '\\n' | sha256sum`, sha256);
}

/** A field of an outcome is the canonical hash of another file. */
export function names(file: string, field: string, other: string): string {
  const hash = `$(sha256sum < ${other} | cut -c1-64)`;
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

/** A text that the shell hashes as it stands. */
export function textHash(text: string, sha256: Sha256): string {
  const hash = toHex(sha256(utf8(text)));
  return prints(`printf '%s' ${quoted(text)} | sha256sum`, hash);
}

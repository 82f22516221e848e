/**
 * VERIFY.md: how to check a bundle with a shell, coreutils, xxd and OpenSSL, written out for this very
 * bundle.
 */

import { type Sha256, toHex } from './bytes.ts';
import type { DeliverySource } from './delivery-facts.ts';
import type { HistoryStep } from './history.ts';
import { jcs } from './jcs.ts';
import { partFactsHash } from './layers.ts';
import type { Openings, PartOpening } from './openings.ts';
import * as shell from './shell.ts';
import type { TlogProof } from './tlog-proof.ts';
import { partEntry } from './verify-content.ts';

/**
 * `token`, `chain`: entry names. `genTime`: RFC 3339. `profile`: nom151 where OpenSSL would not take the
 * signer for one.
 */
export type StampGuide = shell.PinnedChain & {
  profile: 'rfc3161' | 'nom151';
  development: boolean;
  token: string;
  policyOid: string;
  bare: boolean;
  genTime: string;
};

/** `entry`: `manifest.json` or a delivery's; `proofEntry`: its proof; `signature`: the log's, 64 bytes. */
export type LeafGuide = {
  entry: string;
  proofEntry: string;
  proof: TlogProof;
  checkpointText: string;
  size: number;
  signature: Uint8Array;
};

export type BundleGuide = {
  messageId: string;
  canonicalHash: string;
  log: string;
  logPublicKey: Uint8Array;
  openings: Openings;
  leaf: LeafGuide;
  constancia: StampGuide;
  messageConstancia?: StampGuide;
  renewals: readonly { sums: string; list?: string; stamp: StampGuide }[];
  /** Entry names. */
  revocation: readonly string[];
  deliveries: readonly { kind: string; source: DeliverySource; leaf: LeafGuide; stamp?: StampGuide }[];
  count?: CountGuide;
  history: readonly HistoryStep[];
};

/**
 * Of `outcomes.note`: who signed it, when (Unix seconds), and the canonical hashes that the bundle withholds.
 * `end`: the signatures under `log-end.note`, of the log and of the one that signed instead of it.
 */
export type CountGuide = {
  publicKey: Uint8Array;
  signature: Uint8Array;
  asOf: number;
  withheld: readonly string[];
  end?: { own: Uint8Array; successor: Uint8Array };
};

/** Markdown; every block of it runs as it stands in the unpacked bundle. */
export function verifyMd(guide: BundleGuide, sha256: Sha256): string {
  return [
    introduction(guide),
    contentSection(guide, sha256),
    logSection(guide),
    timeSection(guide),
    renewalSection(guide),
    deliverySection(guide),
    countSection(guide),
    historySection(guide),
    closing(guide),
  ]
    .filter((section) => section !== '')
    .join('\n');
}

function block(...commands: string[]): string {
  return `\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
}

function introduction({ messageId, canonicalHash, log, constancia }: BundleGuide): string {
  const development = constancia.development
    ? '\n**Development time-stamp: this is not a NOM-151 constancia and proves nothing to third parties.**\n'
    : '';
  return `# Verify this evidence

Message \`${messageId}\`, sealed in the log \`${log}\` at ${constancia.genTime}.
${development}
Nothing here needs the service that sent the message. The short way, which runs every check, is the program \`acuse\` of an Acuse release:

    acuse verify <this bundle>.zip

Get the release from whoever publishes it, not by this name from a package registry: there, anybody may have taken it. Compare its SHA-256
(\`sha256sum <file>\`) with the checksum that the publisher states in another place than the one that the file came from.

The long way does not rely on our software: it needs a shell, coreutils, xxd and OpenSSL 3. Unpack the bundle, change into its folder and run the
blocks in order. Each command ends in \`OK\`, prints the expected hash, or fails.

*Resumen: estas instrucciones permiten comprobar, sin confiar en el operador, que el mensaje existía y estaba íntegro en la fecha
indicada, y que consta en un registro público que no puede reescribirse.*

## 1. The files
${block('sha256sum -c SHA256SUMS', shell.fileHash('manifest.json', canonicalHash))}
The second hash is the **canonical hash**: it is all that the log contains of the message.
`;
}

function contentSection(guide: BundleGuide, sha256: Sha256): string {
  const { mail, submission, envelope, content } = guide.openings;
  const intro = `## 2. The content

\`manifest.json\` contains commitments: the SHA-256 of a secret salt and the content's SHA-256. \`openings.json\` gives the salts and the hashes.
`;
  if (content === 'erased') return `${intro}${erasedContent(guide)}`;
  const commands: string[] = [];
  const open = (what: string, opening: { salt: string; sha256: string } | undefined) => {
    if (opening !== undefined) commands.push(shell.opens(what, 'manifest.json', opening, sha256));
  };
  if (mail.raw !== undefined) commands.push(shell.fileHash('message.eml', mail.raw.sha256));
  open('message, byte for byte', mail.raw);
  if (submission !== undefined) commands.push(shell.fileHash('submission.bin', submission.sha256));
  open('request as received', submission);
  open('envelope sender', envelope.mail_from);
  open('envelope recipient', envelope.rcpt_to);
  for (const part of mail.parts) commands.push(...partCommands(part, mail.raw === undefined, sha256));
  const closed =
    content === 'disclosed'
      ? '\nThis bundle opens only what follows; the rest of the message stays closed.\n'
      : '';
  return `${intro}${closed}${block(...commands)}
The manifest also commits to header and body in DKIM's relaxed form (RFC 6376 §3.4), so that a copy that mail systems have changed on the way can
still be matched: \`acuse verify <this bundle>.zip --eml received.eml\`.
`;
}

function erasedContent({ canonicalHash, deliveries }: BundleGuide): string {
  const outcomes =
    deliveries.length === 0
      ? ''
      : '\n- the replies of servers, the transcripts and the reports (`delivery/*.openings.json` and their files): the outcome itself and its time are shown below.';
  return `
**The operator erased the content of this message, and with it the salts.** This bundle no longer contains:

- the message and all its parts (\`message.eml\`), its sender, recipient and subject;
- the request that the message was made from (\`submission.bin\`);
- the addresses of the envelope;${outcomes}

What remains is as valid as before, because the log and the time-stamp cover only the canonical hash
${canonicalHash}
of \`manifest.json\`, and the manifest contains commitments instead of content. Without their salts they reveal nothing,
not even to guessing. Anyone who kept an earlier bundle of this message can still open them: its \`manifest.json\` is the same, byte for byte.
`;
}

/** What a part's commitment is made over is its facts; the content's hash is among them. */
function partCommands(part: PartOpening, alone: boolean, sha256: Sha256): string[] {
  const { filename, media_type, size, salt } = part;
  const facts = jcs({ filename, media_type, sha256: part.sha256, size });
  const opening = { salt, sha256: toHex(partFactsHash(part, sha256)) };
  return [
    ...(alone ? [shell.fileHash(partEntry(part.index), part.sha256)] : []),
    shell.textHash(facts, sha256),
    shell.opens(`part ${part.index}`, 'manifest.json', opening, sha256),
  ];
}

function logSection({ leaf, logPublicKey, log }: BundleGuide): string {
  return `## 3. The log

These commands go from the canonical hash up the tree (RFC 6962) to the root in \`checkpoint.txt\`, which the log \`${log}\` signed.
Compare the key with one from another source than this bundle.
${block(
  shell.inclusion(leaf.entry, leaf.proof, leaf.size, 'checkpoint.txt'),
  shell.checkpointSignature('checkpoint.txt', logPublicKey, leaf.signature),
)}
\`proof.tlog-proof\` contains the same proof in C2SP tlog-proof format, for tools that read it.
`;
}

function timeSection(guide: BundleGuide): string {
  const { constancia, messageConstancia, renewals } = guide;
  const next = renewals[0]?.stamp.genTime;
  const renewed = next !== undefined;
  const own =
    messageConstancia === undefined
      ? ''
      : `\nAnother time-stamp covers only the canonical hash of this message:\n${stampBlocks(messageConstancia, 'manifest.json', { renewed })}`;
  return `## 4. The time

\`constancia.tsr\` (RFC 3161) covers \`checkpoint.txt\` and is only as trustworthy as the root of its authority. These commands trust a
single certificate, the last one of \`${constancia.chain}\`. Its SHA-256 fingerprint:

    ${constancia.rootFingerprint}

**The maker of a bundle can put a root of their own into it, together with this text.** So compare the fingerprint with another source:
the root that the authority publishes (for a Mexican provider, also the one that the Secretaría de Economía publishes), or the operator's
published policy. The policy of the token, \`${constancia.policyOid}\`, must be the one that the authority states.

*Compare esta huella con la raíz que publica la propia autoridad y, para un PSC mexicano, con la que publica la Secretaría de Economía: el
paquete por sí solo no puede probar que su raíz sea la auténtica.*
${stampBlocks(constancia, 'checkpoint.txt', { renewed, ...(renewed && { next }) })}${own}${revocationBlocks(guide)}`;
}

const unixSeconds = (time: string) => Math.floor(Date.parse(time) / 1000);

/**
 * `renewed`: the bundle is so old that chains have ended, and this one need not hold today. `next`: when a
 * renewal took over from this very time-stamp; its chain must have held until then. RFC 3339.
 */
function stampBlocks(
  stamp: StampGuide,
  data: string,
  { renewed, next, hash = 'sha256' }: { renewed: boolean; next?: string; hash?: 'sha256' | 'sha512' },
): string {
  const at = (time: string) => shell.timeStamp({ ...stamp, attime: unixSeconds(time) }, data, hash);
  const own = block(shell.pinRoot(stamp), at(stamp.genTime));
  if (next !== undefined)
    return `${own}\nWhen it was renewed, its chain was still valid:\n${block(at(next))}`;
  if (stamp.profile === 'nom151' || renewed) return own;
  const now = block(shell.pinRoot(stamp), shell.timeStamp(stamp, data));
  return `${now}\nIf a certificate of the chain has ended since:\n${own}`;
}

function revocationBlocks(guide: BundleGuide): string {
  const { revocation, constancia, messageConstancia, renewals, deliveries } = guide;
  if (revocation.length === 0) return '';
  const stamps = [
    constancia,
    ...(messageConstancia === undefined ? [] : [messageConstancia]),
    ...renewals.map(({ stamp }) => stamp),
    ...deliveries.flatMap(({ stamp }) => (stamp === undefined ? [] : [stamp])),
  ];
  const issuers = stamps.map((stamp) =>
    shell.collectIssuers({ ...stamp, attime: unixSeconds(stamp.genTime) }),
  );
  const commands = revocation.map((name) => shell.revocationData(name, unixSeconds(constancia.genTime)));
  return `
What the authority said about its certificates, signed by the issuer of each: no list has the signer's serial number as revoked before it stamped,
and no status answer says so. A later revocation counts too, unless its reason is Unspecified, Affiliation Changed, Superseded or Cessation Of Operation,
or a renewal with another key came before it.
${block('rm -f issuers.pem', ...issuers, `openssl x509 -in ${constancia.chain} -noout -serial`, ...commands)}`;
}

function renewalSection({ renewals }: BundleGuide): string {
  if (renewals.length === 0) return '';
  const blocks = renewals.map(({ sums, list, stamp }, i) => {
    const next = renewals[i + 1]?.stamp.genTime;
    const listed = list === undefined ? [] : [shell.listed(sums, list)];
    const stamped = {
      renewed: next !== undefined,
      ...(next !== undefined && { next }),
      hash: 'sha512',
    } as const;
    return `${block(`sha512sum -c ${sums}`, ...listed)}${stampBlocks(stamp, list ?? sums, stamped)}`;
  });
  return `## 5. Renewals

Before a certificate of the chain ended, everything that the time-stamp rests on was hashed and time-stamped again. Each renewal covers the previous ones.
${blocks.join('')}`;
}

function deliverySection({ deliveries, logPublicKey, renewals }: BundleGuide): string {
  if (deliveries.length === 0) return '';
  const sections = deliveries.map(({ kind, source, leaf, stamp }, i) => {
    const checkpoint = outcomeCheckpoint(i);
    const commands = [
      shell.extractCheckpoint(leaf.proofEntry, leaf.checkpointText, checkpoint),
      shell.inclusion(leaf.entry, leaf.proof, leaf.size, checkpoint),
      shell.checkpointSignature(checkpoint, logPublicKey, leaf.signature),
    ];
    const stamped =
      stamp === undefined ? '' : stampBlocks(stamp, checkpoint, { renewed: renewals.length > 0 });
    return `\`${leaf.entry}\`, ${kind}, ${SOURCES[source]}:\n${block(...commands)}${stamped}`;
  });
  return `## 6. What became of it

Each outcome is a leaf of its own, which names the one before it. It is proven that they were recorded in this order; what they say is the
operator's word, fixed since then. \`source\` says where the operator knows it from: \`session\`, a server answered in an SMTP session that
the operator opened; \`operator\`, no server answered and the operator ended it; \`reported_by_mail\`, a mail said so: \`facts.reported_by_mail\`
names the host that delivered that mail, its DKIM and SPF results, and what it claims. Anybody who knows the address that it went to
can write such a mail.

${sections.join('\n')}`;
}

function countSection({ count, deliveries, logPublicKey }: BundleGuide): string {
  if (count === undefined) return '';
  const { publicKey, signature, asOf, withheld, end } = count;
  const files = ['manifest.json', ...deliveries.map(({ leaf }) => leaf.entry)];
  const counted = files.length + withheld.length - 1;
  const text = 'outcomes.txt';
  const ended =
    end === undefined
      ? ''
      : `
The log has ended, and the log that goes on signed instead. \`log-end.note\` names it (sixth line), signed by both:
${block(
  shell.extractNote('log-end.note', 'log-end.txt'),
  shell.checkpointSignature('log-end.txt', logPublicKey, end.own),
  shell.checkpointSignature('log-end.txt', publicKey, end.successor),
)}`;
  return `## 7. How many outcomes there were

\`outcomes.note\` is the log's own word, signed on ${new Date(asOf * 1000).toISOString()}: of this message it then knew ${counted === 1 ? '1 outcome' : `${counted} outcomes`}.
The message and its outcomes, in order, are a small tree whose root it signed: one that was left out here, or put in, gives another root.
What happened later is in no file; a newer one, or the log itself, says it (\`acuse verify <this bundle>.zip --ask <URL of the log>\`).
${block(
  shell.extractNote('outcomes.note', text),
  shell.cosignature(text, publicKey, asOf, signature),
  shell.outcomesRoot(files, withheld, text),
  `sed -n 1p ${text}`,
)}
The last line ends in \`/m/\` and the canonical hash.
${ended}`;
}

function historySection({ history, leaf, deliveries }: BundleGuide): string {
  if (history.length === 0) return '';
  const checkpoints = new Map([
    ...deliveries.map(({ leaf: { size } }, i) => [size, outcomeCheckpoint(i)] as const),
    [leaf.size, 'checkpoint.txt'] as const,
  ]);
  const commands = history.map((step) =>
    shell.consistency(step, checkpoints.get(step.size) ?? '', checkpoints.get(step.next) ?? ''),
  );
  return `## 8. One log

The message and its outcomes are proven in several trees. \`history.txt\` shows that each is the beginning of the next: nothing was taken out or
changed between them.
${block(...commands)}`;
}

const outcomeCheckpoint = (at: number) => `outcome-${at + 1}-checkpoint.txt`;

const SOURCES: Record<DeliverySource, string> = {
  session: 'as a server answered in a session with the operator',
  operator: 'as the operator decided',
  reported_by_mail: 'as a mail reported',
};

function closing({ constancia }: BundleGuide): string {
  const who = constancia.development
    ? 'Nothing, because the time-stamp is from a development authority.'
    : 'The manifest, and so all content that it commits to, existed at the time of the constancia and has not changed since.';
  return `## What is proven, and what is asserted

- **By third parties:** ${who} The log cannot drop or change the leaf without contradicting the checkpoint that was stamped.
- **By the operator alone:** the time of acceptance, the envelope, what other mail servers answered, and which reports came by mail. The operator cannot change these
  words any more, but they were the operator's.
- **By nobody:** that a person read the message.
- **Not part of the proof:** this text and \`report.pdf\`. Neither is signed. \`acuse verify\` writes this text again from the evidence and says
  whether it is the same. It does not compare the report: where the two differ, believe the evidence.

The commands above do not check the following, but \`acuse verify\` does: the cosignatures of witnesses, the key usages of a signer whose certificate is not for
time-stamps only, the hash algorithms of the certificates' signatures, and which certificate a revocation is about.
`;
}

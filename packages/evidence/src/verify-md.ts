/**
 * VERIFY.md: how to check a bundle with a shell, coreutils, xxd and OpenSSL, written out for this very
 * bundle.
 */

import { type Sha256, toHex } from './bytes.ts';
import type { DeliverySource } from './delivery-facts.ts';
import { jcs } from './jcs.ts';
import { partFactsHash } from './layers.ts';
import type { PartOpening } from './openings.ts';
import * as shell from './shell.ts';
import { VERDICT_TITLES } from './verdict-words.ts';
import { partEntry } from './verify-content.ts';
import type { BundleGuide, StampGuide } from './verify-md-guide.ts';
import { lineSection } from './verify-md-line.ts';
import { outcomeCheckpoint, outcomeCommands } from './verify-md-outcomes.ts';

/** Markdown; every block of it runs as it stands in the unpacked bundle. */
export function verifyMd(guide: BundleGuide, sha256: Sha256): string {
  return [
    introduction(guide),
    filesSection(guide),
    contentSection(guide, sha256),
    logSection(guide),
    timeSection(guide),
    renewalSection(guide),
    deliverySection(guide, sha256),
    countSection(guide),
    historySection(guide),
    lineSection(guide),
  ]
    .filter((section) => section !== '')
    .map((section, at) => section.replace(/^## /, `## ${at}. `))
    .concat(closing(guide))
    .join('\n');
}

function block(...commands: string[]): string {
  return `\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`;
}

function introduction({ messageId, log, constancia }: BundleGuide): string {
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

The long way does not rely on our software: it needs a shell, GNU coreutils, xxd and OpenSSL 3. Unpack the bundle and change into its folder.
Whoever made the bundle could change this text too, so read the commands before you run them, all at once, up to the first that fails:

    sed -n '/^\`\`\`sh$/,/^\`\`\`$/p' VERIFY.md | grep -v '^\`\`\`' > /tmp/steps.sh
    less /tmp/steps.sh
    sh -e /tmp/steps.sh && echo 'ALL OF IT HELD'

Without the last line, something failed: the line before says what. One block after the other into a terminal does as well; what fails says \`FAILED\`.
What that means, and who vouches for what, is at the end.

*Resumen: estas instrucciones permiten comprobar, sin confiar en el operador, que el mensaje existía y estaba íntegro en la fecha
indicada, y que consta en un registro público que no puede reescribirse.*
`;
}

function filesSection({ canonicalHash }: BundleGuide): string {
  return `## The files
${block('sha256sum -c SHA256SUMS', shell.fileHash('manifest.json', canonicalHash), shell.MAKE_SCRATCH)}
The second hash is the **canonical hash**: it is all that the log contains of the message. A file that \`SHA256SUMS\` does not list is no part of
the bundle. What the commands below write goes into the new folder \`$work\`, so that this one stays as it is.
`;
}

function contentSection(guide: BundleGuide, sha256: Sha256): string {
  const { mail, submission, envelope, content } = guide.openings;
  const intro = `## The content

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
  for (const [what, address] of [
    ['envelope sender', envelope.mail_from],
    ['envelope recipient', envelope.rcpt_to],
  ] as const) {
    if (address !== undefined) commands.push(shell.textHash(address.value, sha256));
    open(what, address);
  }
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

function logSection({ leaf, logPublicKey, logKey, log }: BundleGuide): string {
  return `## The log

These commands go from the canonical hash up the tree (RFC 6962) to the root in \`checkpoint.txt\`, which the log \`${log}\` signed. Its key:

    ${logKey}

**Anybody can make a log of this name, with a key of their own.** So compare this line with the one that the operator publishes (\`/log/key\` of the
operator's service, a contract, a witness of the log). Another line means another operator, whatever the name.

*Compare esta línea con la que publica el operador: otra clave es de otro operador, aunque el nombre sea el mismo.*
${block(
  shell.inclusion(leaf.entry, leaf.proof, leaf.size, 'checkpoint.txt'),
  shell.isKey(logKey, logPublicKey),
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
  return `## The time

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
  return `${own}\nWhether it also holds today; when a certificate has ended since, it does not, and what it proved stays proven:
${block(shell.pinRoot(stamp), shell.holdsToday(stamp, data))}`;
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
${block(`: > ${shell.ISSUERS}`, ...issuers, `openssl x509 -in ${constancia.chain} -noout -serial`, ...commands)}`;
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
  return `## Renewals

Before a certificate of the chain ended, everything that the time-stamp rests on was hashed and time-stamped again. Each renewal covers the previous ones.
${blocks.join('')}`;
}

function deliverySection(guide: BundleGuide, sha256: Sha256): string {
  const { deliveries, renewals } = guide;
  if (deliveries.length === 0) return '';
  const sections = deliveries.map(({ kind, source, leaf, stamp }, i) => {
    const stamped =
      stamp === undefined ? '' : stampBlocks(stamp, outcomeCheckpoint(i), { renewed: renewals.length > 0 });
    return `\`${leaf.entry}\`, ${kind}, ${SOURCES[source]}:\n${block(...outcomeCommands(guide, i, sha256))}${stamped}`;
  });
  return `## What became of it

Each outcome is a leaf of its own, which names the one before it. What they say is the operator's word, which cannot be changed since it was stamped. \`source\` says where the operator knows it from: \`session\`, a server answered in an SMTP session that
the operator opened; \`operator\`, no server answered and the operator ended it; \`reported_by_mail\`, a mail said so: \`facts.reported_by_mail\`
names the host that delivered that mail, its DKIM and SPF results, and what it claims. Anybody who knows the address that it went to
can write such a mail.

${sections.join('\n')}`;
}

function countSection(guide: BundleGuide): string {
  const title = '## How many outcomes there were';
  const { count, deliveries, log, logPublicKey, canonicalHash, openings } = guide;
  const rests = (openings.withheld?.length ?? 0) > 0;
  if (count === null || (count === undefined && rests))
    return `${title}\n${block(shell.fails('outcomes.note cannot be read'))}`;
  if (count === undefined)
    return `${title}

Nothing in this bundle says. **One or more may have been left out, such as a bounce:** what is here is not the whole.
`;
  const { publicKey, signature, asOf, entries, withheld, end } = count;
  const files = ['manifest.json', ...deliveries.map(({ leaf }) => leaf.entry)];
  const counted = entries - 1;
  const hidden =
    withheld.length === 0
      ? ''
      : `\n**${withheld.length} of them ${withheld.length === 1 ? 'is' : 'are'} withheld here**, the last: only the canonical hash of each is shown. What happened last is not in this file.\n`;
  const text = shell.scratch('outcomes.txt');
  const endText = shell.scratch('log-end.txt');
  const ended =
    end === undefined
      ? ''
      : `
The log has ended, and the log that goes on signed instead. \`log-end.note\` names it (sixth line), signed by both:
${block(
  shell.extractNote('log-end.note', endText),
  shell.checkpointSignature(endText, logPublicKey, end.own),
  shell.checkpointSignature(endText, publicKey, end.successor),
)}`;
  return `${title}

\`outcomes.note\` is the log's own word, signed on ${new Date(asOf * 1000).toISOString()}: of this message it then knew ${counted === 1 ? '1 outcome' : `${counted} outcomes`}.
The message and its outcomes, in order, are a small tree whose root it signed: one that was left out here, or put in, gives another root.
What happened later is in no file; a newer one, or the log itself, says it (\`acuse verify <this bundle>.zip --ask <URL of the log>\`).
${hidden}${block(
  shell.extractNote('outcomes.note', text),
  shell.cosignature(text, publicKey, asOf, signature),
  shell.outcomesRoot(files, withheld, text),
  shell.isAbout(text, `${log}/m/${canonicalHash}`),
)}
${ended}`;
}

function historySection({ history, leaf, deliveries }: BundleGuide): string {
  const title = '## One log';
  const sizes = new Set([leaf.size, ...deliveries.map(({ leaf: { size } }) => size)]);
  if (history === null || history?.length === 0 || (history && history.length !== sizes.size - 1))
    return `${title}\n${block(shell.fails('history.txt is not what it should be'))}`;
  if (history === undefined)
    return sizes.size === 1
      ? ''
      : `${title}

The message and its outcomes are proven in several trees, and nothing in this bundle shows that these are one log at different times.
`;
  const checkpoints = new Map([
    ...deliveries.map(({ leaf: { size } }, i) => [size, outcomeCheckpoint(i)] as const),
    [leaf.size, 'checkpoint.txt'] as const,
  ]);
  const commands = history.map((step) =>
    shell.consistency(step, checkpoints.get(step.size) ?? '', checkpoints.get(step.next) ?? ''),
  );
  return `${title}

The message and its outcomes are proven in several trees. \`history.txt\` shows that each is the beginning of the next: nothing was taken out or
changed between them.
${block(...commands)}`;
}

const SOURCES: Record<DeliverySource, string> = {
  session: 'as a server answered in a session with the operator',
  operator: 'as the operator decided',
  reported_by_mail: 'as a mail reported',
};

const TITLES = VERDICT_TITLES.en;

/** What holds a bundle below the first verdict, whatever its keys turn out to be. */
function lacking({ openings, count, history, leaf, deliveries }: BundleGuide): string[] {
  const { content, withheld = [] } = openings;
  const several = deliveries.some(({ leaf: { size } }) => size !== leaf.size);
  return [
    ...(count === undefined ? ['it does not say how many outcomes there were'] : []),
    ...(withheld.length > 0 ? ['outcomes are withheld'] : []),
    ...(several && history === undefined ? ['its trees are not shown to be one log'] : []),
    ...(content === 'complete'
      ? []
      : [`its content is ${content === 'erased' ? 'erased' : 'shown in part'}`]),
  ];
}

function closing(guide: BundleGuide): string {
  const { constancia } = guide;
  const missing = lacking(guide);
  const issued =
    guide.issued.length === 0
      ? ''
      : `\n  Neither is ${guide.issued.map((name) => `\`${name}\``).join(', ')}: by the operator's word, what the authority issued beside its time-stamp, often a PDF or CMS. Nothing here reads it.`;
  const third = constancia.development
    ? 'Nothing, because the time-stamp is from a development authority.'
    : `That \`manifest.json\`, and so all content that it commits to, existed at ${constancia.genTime} and has not changed since, if the root above is the one that the authority itself publishes.`;
  const best = constancia.development
    ? `Nothing better, because the time-stamp is from a development authority${missing.map((each) => `; and ${each}`).join('')}.`
    : missing.length === 0
      ? `**${TITLES.verified}**: everything held, and you compared both.`
      : `**${TITLES.incomplete}**: everything held, you compared both, and ${missing.join('; ')}.`;
  return `## What it comes to, and on whose word

- **${TITLES.rejected}**: something above failed.
- **${TITLES.unproven}**: everything held, but you have not compared the line of the log's key and the fingerprint of the root with what
  their owners publish, or they differ, or a time-stamp is from a development authority.
- ${best}

Who vouches for what:

- **The authority**, a third party: ${third}
- **The log's key**, that is the operator, against the operator: that the leaves are in the log, in this order; how many outcomes there were, and when
  that was counted. The log cannot drop or change a leaf without contradicting a checkpoint that was stamped.
- **The operator alone:** the time of acceptance, the envelope, what other mail servers answered, and which reports came by mail. The operator cannot change these
  words any more, but they were the operator's.
- **Nobody:** that a person read the message.
- **Not part of the proof:** this text and \`report.pdf\`. Neither is signed. \`acuse verify\` writes this text again from the evidence and says
  whether it is the same. It does not compare the report: where the two differ, believe the evidence.${issued}

The commands above do not check the following, but \`acuse verify\` does: the cosignatures of witnesses, the key usages of a signer whose certificate is not for
time-stamps only, the hash algorithms of the certificates' signatures, and which certificate a revocation is about.
`;
}

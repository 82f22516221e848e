/**
 * VERIFY.md: how to check a bundle with a shell, coreutils, xxd and OpenSSL, written out for this very
 * bundle.
 */

import { UNPROVEN } from './bundle.ts';
import { SUMS } from './bundle-entries.ts';
import { equalBytes } from './bytes.ts';
import type { DeliverySource } from './delivery-facts.ts';
import { jcs } from './jcs.ts';
import type { PartOpening } from './openings.ts';
import * as shell from './shell.ts';
import { partEntry } from './verify-content.ts';
import { FUNCTIONS } from './verify-md-functions.ts';
import { type BundleGuide, stampsOf } from './verify-md-guide.ts';
import { historySection } from './verify-md-history.ts';
import { lineSection } from './verify-md-line.ts';
import { otherBundle, received, witnessBlock } from './verify-md-more.ts';
import { outcomeCheckpoint, outcomeCommands, writerOf } from './verify-md-outcomes.ts';
import { stampBlocks, unixSeconds } from './verify-md-stamps.ts';
import { verdictSection } from './verify-md-verdict.ts';

/** Markdown; every block of it runs unchanged in the unpacked bundle. */
export function verifyMd(guide: BundleGuide): string {
  return [
    introduction(guide),
    filesSection(guide),
    contentSection(guide),
    logSection(guide),
    timeSection(guide),
    renewalSection(guide),
    deliverySection(guide),
    countSection(guide),
    historySection(guide),
    lineSection(guide) + otherBundle(),
  ]
    .filter((section) => section !== '')
    .map((section, at) => section.replace(/^## /, `## ${at}. `))
    .concat(verdictSection(guide))
    .join('\n');
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

Get the release from its publisher, not by this name from a package registry, and compare its SHA-256 (\`sha256sum <file>\`) with the checksum that
the publisher states in another place.

The long way does not rely on our software: it needs a shell, GNU coreutils, xxd and OpenSSL 3. Unpack the bundle into an empty folder and change into it.
**Whoever made or changed the bundle could also write this text, and SHA256SUMS:** neither is signed. So read the commands before you run them:

    steps=$(mktemp)
    sed -n '/^\`\`\`sh$/,/^\`\`\`$/p' VERIFY.md | grep -v '^\`\`\`' > "$steps"
    less "$steps"
    sh "$steps" 2>&1 | tee "$steps.said"
    grep -E 'FAILED|MISSING|CHANGED|OTHER|UNKNOWN|UNEXPECTED|^VER' "$steps.said" | awk '!seen[$0]++'

Set first what you know from elsewhere, from a contract, the owner's website or a witness: \`export LOG_KEY='…' ROOT_FINGERPRINT='…'\`
(of several, with a space between; a fingerprint is the SHA-256 of the certificate, with or without colons).
What contradicts something else says \`FAILED\`; what is not here says \`MISSING\`, and nothing is concluded from it. The last line is the verdict:
without it, the commands did not come to their end. The blocks can also be pasted one by one, in order, into one terminal.

*En español:* descomprima el paquete en una carpeta vacía, indique en \`LOG_KEY\` y \`ROOT_FINGERPRINT\` lo que conoce de otra fuente (un contrato, el sitio
del operador, la autoridad), lea los comandos y ejecútelos como arriba. Las últimas líneas son el veredicto (\`VEREDICTO\`); al final se explica,
también en español, qué significa y quién responde de qué.
`;
}

function filesSection({ canonicalHash, evidence }: BundleGuide): string {
  return `## The files · Los archivos

The commands below call these functions:
${shell.block(FUNCTIONS)}
The files, each with its SHA-256, but for \`VERIFY.md\` and \`report.pdf\`, which prove nothing:
${shell.block(shell.areFiles(evidence, SUMS, UNPROVEN))}
The hash of \`manifest.json\`, \`${canonicalHash}\`,
is the **canonical hash**: it is all that the log contains of the message. \`policy.json\` lists the keys and roots that the maker of the bundle
trusts, which is no reason for you to trust them.
`;
}

function contentSection(guide: BundleGuide): string {
  const { mail, submission, envelope, content } = guide.openings;
  const intro = `## The content · El contenido

\`manifest.json\` contains commitments: the SHA-256 of a secret salt and the content's SHA-256. \`openings.json\` gives the salts and the hashes.
`;
  if (content === 'erased') return `${intro}${erasedContent(guide)}`;
  const commands: string[] = [];
  const open = (what: string, label: string, salt: string, hash: string, files: readonly string[] = []) =>
    commands.push(
      shell.step(
        ['manifest.json', ...files],
        shell.opens(what, { file: 'manifest.json', label, salt }, hash),
      ),
    );
  if (mail.raw !== undefined)
    open('message, byte for byte', 'raw', mail.raw.salt, shell.hashOf('message.eml'), ['message.eml']);
  if (submission !== undefined)
    open('request as received', 'submission', submission.salt, shell.hashOf('submission.bin'), [
      'submission.bin',
    ]);
  for (const [what, label, address] of [
    ['envelope sender', 'mail_from', envelope.mail_from],
    ['envelope recipient', 'rcpt_to', envelope.rcpt_to],
  ] as const)
    if (address !== undefined) {
      const shown = address.value.replace(/[^ -~]/g, '?');
      open(`${what} ${shown}`, label, address.salt, shell.textHash(address.value));
    }
  if (mail.raw !== undefined)
    for (const [what, opening] of [
      ['header', mail.header],
      ['body', mail.body],
    ] as const)
      if (opening !== undefined)
        open(`${what} of message.eml, relaxed`, what, opening.salt, shell.relaxedHash(what, 'message.eml'), [
          'message.eml',
        ]);
  if (mail.header !== undefined && mail.body !== undefined)
    commands.push(received(mail.header.salt, mail.body.salt));
  for (const part of mail.parts) commands.push(partCommands(part, mail.raw === undefined));
  const redacted = envelope.mail_from?.value.includes('+redacted@')
    ? 'The envelope sender is sealed as `+redacted`: who knew the whole address could report a bounce of the message.\n'
    : '';
  const closed =
    content === 'disclosed'
      ? '\nThis bundle opens only what follows; the rest of the message stays closed.\n'
      : '';
  return `${intro}${closed}${shell.block(...commands)}
${redacted}The hash of a part is that of its decoded content; of text in UTF-8, with \`\\n\` for each line end and no white space at the end.
The relaxed form, by the functions above, makes a copy comparable that mail systems changed on the way: set \`RECEIVED\` to its path and run the block.
That also looks at the fields in it that are not sealed: \`acuse verify <this bundle>.zip --eml received.eml\`.
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

/** A part's commitment is made over its facts; the content's hash is among them. */
function partCommands(part: PartOpening, alone: boolean): string {
  const { filename, media_type, size, salt, sha256 } = part;
  const facts = jcs({ filename, media_type, sha256, size });
  const entry = partEntry(part.index);
  const isFile = shell.held(`test "${shell.hashOf(entry)}" = ${sha256}`, `${entry} is part ${part.index}`);
  return [
    ...(alone ? [shell.step([entry], isFile)] : []),
    shell.step(
      ['manifest.json'],
      shell.opens(
        `part ${part.index}`,
        { file: 'manifest.json', label: part.index + 1, salt },
        shell.textHash(facts),
      ),
    ),
  ].join('\n');
}

function logSection(guide: BundleGuide): string {
  const { leaf, logKey, secondKeys, log } = guide;
  return `## The log · El registro

The log is a Merkle tree that only grows; a message or an outcome is a leaf of it. A checkpoint is its size and root hash, signed.
These commands go from the canonical hash up the tree (RFC 6962) to the root in \`checkpoint.txt\`, which the log \`${log}\` signed. Its key:

    ${logKey}

**Anybody can make a log of this name, with a key of their own.** So compare this line with the one that the operator publishes (\`/log/key\` of the
operator's service, its website, a contract, a witness of the log). Another line means another operator, whatever the name.
${shell.block(
  shell.isGiven('LOG_KEY', logKey, 'the key of the log'),
  shell.isKey(logKey),
  shell.step([leaf.proofEntry], shell.isLeaf(leaf.proofEntry, leaf.proof.index)),
  shell.step(
    [leaf.entry, leaf.proofEntry, 'checkpoint.txt'],
    shell.inclusion(leaf.entry, leaf.proofEntry, 'checkpoint.txt'),
  ),
  shell.step(
    ['checkpoint.txt', leaf.proofEntry],
    shell.isSigned('checkpoint.txt', 'log', leaf.signature, { note: leaf.proofEntry }),
  ),
)}
${secondKeys.length === 0 ? '' : SECOND_SIGNATURE}${witnessBlock(guide)}`;
}

/** Time-stamps may come from several authorities, each with a root of its own. */
function rootsGiven(guide: BundleGuide): string[] {
  const roots = new Map(stampsOf(guide).map(({ rootFingerprint, chain }) => [rootFingerprint, chain]));
  roots.set(guide.constancia.rootFingerprint, 'the authority');
  return [...roots].map(([root, of]) => shell.isGiven('ROOT_FINGERPRINT', root, `the root of ${of}`));
}

function timeSection(guide: BundleGuide): string {
  const { constancia, messageConstancia, renewals } = guide;
  const next = renewals[0]?.stamp.genTime;
  const renewed = next !== undefined;
  const own =
    messageConstancia === undefined
      ? ''
      : `\nAnother time-stamp covers only the canonical hash of this message:\n${stampBlocks(messageConstancia, 'manifest.json', { renewed })}`;
  return `## The time · El tiempo

\`constancia.tsr\` is a time-stamp (RFC 3161), which NOM-151 calls a constancia. It covers \`checkpoint.txt\` and is only as trustworthy as the root of its authority. These commands trust a
single certificate, the last one of \`${constancia.chain}\`. Its SHA-256 fingerprint:

    ${constancia.rootFingerprint}

**The maker of a bundle can put a root of their own into it, together with this text.** So compare the fingerprint with the root that the
authority itself publishes (for a Mexican provider, also the one that the Secretaría de Economía publishes). What the operator publishes of it is the
operator's word. The policy of the token, \`${constancia.policyOid}\`, must be the one that the authority states. Without a root that you
trust, no time below is a third party's: what is left is what the log's key signed, in this order.
${shell.block(...rootsGiven(guide))}
OpenSSL may say \`Using configuration from\` and warn of a certificate that \`is not a CA cert\`. Neither is a failure. Nor is \`does not hold today\`:
a certificate has ended since, and what the time-stamp proved stays proven.
${stampBlocks(constancia, 'checkpoint.txt', { renewed, ...(renewed && { next }) })}${own}${revocationBlocks(guide)}`;
}

const SECOND_SIGNATURE = `
\`policy.json\` also lists a key of ML-DSA-44 of this log, which quantum computers do not forge. The commands here do not check its signatures:
\`acuse verify\` does, and so does \`check.py\` with the Python package cryptography.
`;

function revocationBlocks(guide: BundleGuide): string {
  const { revocation, constancia } = guide;
  if (revocation.length === 0)
    return '\nNothing in this bundle says whether the authority had revoked a certificate by then: ask the authority.\n';
  const issuers = stampsOf(guide).map((stamp) =>
    shell.step([stamp.chain], shell.collectIssuers({ ...stamp, attime: unixSeconds(stamp.genTime) })),
  );
  const commands = revocation.map((name) =>
    shell.step([name], shell.revocationData(name, unixSeconds(constancia.genTime))),
  );
  return `
What the authority said about its certificates, signed by the issuer of each: no list has the signer's serial number as revoked before it stamped,
and no status answer says so. A later revocation counts too, unless its reason is Unspecified, Affiliation Changed, Superseded or Cessation Of Operation,
or a renewal with another key came before it.
${shell.block(`: > ${shell.ISSUERS}`, ...issuers, shell.step([constancia.chain], `openssl x509 -in ${constancia.chain} -noout -serial`), ...commands)}`;
}

function renewalSection({ renewals }: BundleGuide): string {
  if (renewals.length === 0) return '';
  const blocks = renewals.map(({ sums, list, stamp }, i) => {
    const next = renewals[i + 1]?.stamp.genTime;
    const listed = list === undefined ? [] : [shell.step([sums, list], shell.listed(sums, list))];
    const covered = `$(cut -c 131- ${sums} 2> /dev/null)`;
    const same = shell.held(`sha512sum -c --quiet ${sums}`, `what ${sums} covers`);
    const stamped = {
      renewed: next !== undefined,
      ...(next !== undefined && { next }),
      hash: 'sha512',
    } as const;
    return `${shell.block(`if have ${sums} ${covered}; then\n  ${same}\nfi`, ...listed)}${stampBlocks(stamp, list ?? sums, stamped)}`;
  });
  return `## Renewals · Renovaciones

Before a certificate of the chain ended, everything that the time-stamp rests on was hashed and time-stamped again. Each renewal covers the previous ones.
${blocks.join('')}`;
}

function deliverySection(guide: BundleGuide): string {
  const { deliveries, renewals } = guide;
  if (deliveries.length === 0) return '';
  const sections = deliveries.map(({ kind, source, leaf, stamp }, i) => {
    const stamped =
      stamp === undefined
        ? ''
        : stampBlocks(stamp, outcomeCheckpoint(i), {
            renewed: renewals.length > 0,
            needs: leaf.proofEntry,
          });
    return `\`${leaf.entry}\`, ${kind}, ${SOURCES[source]}:\n${writerOf(deliveries[i]!)}${shell.block(...outcomeCommands(guide, i))}${stamped}`;
  });
  return `## Outcomes · Resultados

Each outcome is a leaf of its own, which names the one before it. What it says is the operator's word: one line below says it, from the files.
\`source\` says where the operator knows it from: \`session\`, a server answered in an SMTP session that the operator opened; \`operator\`, no
server answered and the operator ended it; \`reported_by_mail\`, a mail said so. Anybody who knows the address that it went to can write such a mail.
The link to the receiving server says what ties the host that delivered the mail (\`peer\`) to the server that took the message, or to the recipient's
domain: \`network\`, its address is of the same network; \`dkim\`, \`spf\`, \`helo\`, its domain by a signature, by SPF, by its name; not stated, nothing
does. DKIM and SPF \`not_checked\`: nothing was looked up. In a transcript \`t_ms\` is milliseconds since the session began; it counts more octets than \`message.eml\` has, because the operator adds
header fields to each transmission, such as DKIM-Signature.
${deliveries.some(({ source }) => source === 'recipient_page') ? ACTED : ''}
${sections.join('\n')}`;
}

function countSection(guide: BundleGuide): string {
  const title = '## How many outcomes there were · Cuántos resultados hubo';
  const { count, deliveries, log, logPublicKey, canonicalHash, openings, askKey } = guide;
  const rests = (openings.withheld?.length ?? 0) > 0;
  if (count === null || (count === undefined && rests))
    return `${title}\n${shell.block(shell.fails('outcomes.note cannot be read'))}`;
  if (count === undefined)
    return `${title}

Nothing in this bundle says. **One or more may have been left out, such as a bounce:** what is here is not the whole.
`;
  const { publicKey, signature, keyId, asOf, entries, withheld, end } = count;
  const signer = equalBytes(publicKey, logPublicKey) ? 'log' : publicKey;
  const line = `${log}/m/${canonicalHash}`;
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
${shell.block(
  shell.step(
    ['log-end.note'],
    shell.extractNote('log-end.note', endText),
    shell.isSigned(endText, 'log', end.own, { note: 'log-end.note' }),
    shell.isSigned(endText, signer, end.successor, { note: 'log-end.note' }),
  ),
)}`;
  return `${title}

\`outcomes.note\` is the log's own word, signed on ${new Date(asOf * 1000).toISOString()}: of this message it then knew ${counted === 1 ? '1 outcome' : `${counted} outcomes`}.
The message and its outcomes, in order, are a small tree whose root it signed: one that was left out here, or put in, gives another root.
What happened later is in no file. Who has this one can ask the log (the last part of the address is a hash of \`manifest.json\`, which only its holders
know). It answers with a newer note: keep it outside of this folder, set \`NEWER_NOTE\` to its path, and run the block.

    curl -sSf 'https://${log}/m/${canonicalHash}/${askKey}' -o ../newer.note

${hidden}${shell.block(
  shell.step(
    ['outcomes.note'],
    shell.extractNote('outcomes.note', text),
    shell.extractCosigned(text, asOf),
    shell.isSigned(shell.COSIGNED, signer, signature, {
      note: 'outcomes.note',
      what: 'outcomes.note',
    }),
    shell.isAbout(text, line),
    shell.countOutcomes(files.slice(1), withheld.length, text),
  ),
  shell.step(['outcomes.note', ...files], shell.outcomesRoot(files, withheld, text)),
  shell.newerNote({ publicKey: signer, keyId, entries }, line),
)}
${ended}`;
}

const ACTED = `
\`recipient_page\`: on a page of the operator, somebody entered a code that had been sent to the recipient's address. Somebody who reads this
mailbox acted, says the operator, and not who. It is about receipt, never about agreement.
`;

const SOURCES: Record<DeliverySource, string> = {
  session: 'as a server answered in a session with the operator',
  operator: 'as the operator decided',
  reported_by_mail: 'as a mail reported',
  recipient_page: 'as somebody said who could read mail to this address',
};

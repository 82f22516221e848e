/** The commands of VERIFY.md for one outcome. */
import { type DeliveryKind, KINDS, nameOf } from './delivery-kinds.ts';
import * as shell from './shell.ts';
import type { BundleGuide, DeliveryGuide } from './verify-md-guide.ts';
import { replyCommands } from './verify-md-reply.ts';

export const outcomeCheckpoint = (at: number): string => shell.scratch(`outcome-${at + 1}-checkpoint.txt`);

/** `at`: from 0. The time-stamp has commands of its own. */
export function outcomeCommands({ deliveries }: BundleGuide, at: number): string[] {
  const delivery = deliveries[at]!;
  const { leaf, shown } = delivery;
  const { entry, proofEntry } = leaf;
  const checkpoint = outcomeCheckpoint(at);
  const before = deliveries[at - 1]?.leaf.entry ?? 'manifest.json';
  const commands = [
    shell.step(
      [proofEntry],
      shell.extractCheckpoint(proofEntry, leaf.checkpointText, checkpoint),
      shell.isLeaf(proofEntry, leaf.proof.index),
      shell.isSigned(checkpoint, 'log', leaf.signature, { note: proofEntry }),
    ),
    shell.step([proofEntry, entry], shell.inclusion(entry, proofEntry, checkpoint)),
    shell.step([entry, before], shell.names(entry, 'previous', before)),
    shell.step([entry, 'manifest.json'], shell.names(entry, 'message_canonical_hash', 'manifest.json')),
  ];
  if (delivery.kind === 'unanswered') commands.push(timeRanOut(entry));
  if (shown === undefined) return commands;
  const base = entry.slice(0, -'.json'.length);
  const openings = `${base}.openings.json`;
  const facts = shell.scratch(`facts-${at + 1}.json`);
  commands.push(
    shell.step(
      [entry, openings],
      shell.extractFacts(openings, facts),
      shell.opens(
        `facts of ${entry}`,
        { file: entry, label: 'facts', salt: shown.facts.salt },
        shell.textHashOf(facts),
      ),
      sentence(delivery, entry, facts),
    ),
  );
  for (const [label, file] of [
    ['transcript', `${base}.transcript.json`],
    ['dsn', `${base}.dsn.eml`],
  ] as const) {
    const opening = shown[label];
    if (opening !== null)
      commands.push(
        shell.step(
          [entry, file],
          shell.opens(
            `${file} is the ${label} of ${entry}`,
            { file: entry, label, salt: opening.salt },
            shell.hashOf(file),
          ),
        ),
      );
  }
  if (isReply(delivery)) commands.push(replyCommands(`${base}.dsn.eml`, facts));
  return commands;
}

/** Fails too where the message asked for nothing: no time is stated then. */
const timeRanOut = (entry: string): string =>
  shell.step(
    [entry, 'manifest.json'],
    `check "the time to acknowledge was over: ${entry}" test "$(moment "$(field manifest.json until)")" -le "$(moment "$(field ${entry} occurred_at)")"`,
  );

/** A mail by which the recipient acknowledged, and which is here. */
const isReply = ({ kind, source, shown }: DeliveryGuide) =>
  kind === 'acknowledged' && source === 'reported_by_mail' && shown !== undefined && shown.dsn !== null;

/** Each outcome, its time, its server and its source, out of the files. */
function sentence({ kind, source, shown }: DeliveryGuide, entry: string, facts: string): string {
  const of = (name: string) => `$(field ${facts} ${name})`;
  const title = nameOf(KINDS[kind as DeliveryKind].words.en, source);
  const start = `${title}; $(field ${entry} kind) at $(field ${entry} occurred_at)`;
  const said = {
    session: () => {
      const certificate =
        shown?.transcript === null
          ? 'not recorded'
          : `$(field ${entry.slice(0, -'.json'.length)}.transcript.json '.*"authorized')`;
      return `server ${of('mx')} (${of('ip')}) answered ${of('code')} ${of('enhanced')} ${of('text')}; TLS ${of('version')}, certificate verified: ${certificate}. By the operator's word`;
    },
    operator: () => `no server: the operator ended it. By the operator's word`,
    reported_by_mail: () =>
      kind === 'acknowledged'
        ? `a mail from ${of('mail_from')}, signed by ${of('domain')}. By the operator's word`
        : `a mail from ${of('helo')} ($(field ${facts} 'peer":[{]"helo":"[^"]*","ip')) claims for ${of('final_recipient')} status ${of('enhanced')}: ${of('text')}; DKIM $(field ${facts} 'dkim":[^}]*"result'), SPF $(field ${facts} 'spf":[^}]*"result'), link to the receiving server: ${of('vouched_by')}. By the word of whoever wrote the mail; that it came, by the operator's`,
    recipient_page: () => `on a page, from ${of('ip')}. By the operator's word`,
  }[source];
  return `say "${start}: ${said()}."`;
}

/** The author of a `dsn.eml`. */
export function writerOf({ kind, source, leaf, shown }: DeliveryGuide): string {
  if (!shown?.dsn) return '';
  const file = `\`${leaf.entry.slice(0, -'.json'.length)}.dsn.eml\``;
  if (kind === 'acknowledged')
    return `
${file} is a mail that the operator says came, signed by the recipient's mail domain (DKIM, RFC 6376) under the key in \`acknowledgement\` in the facts.
That the domain had published this key is the operator's word. Who it is from, and to whom, \`acuse verify\` checks.
`;
  return source === 'reported_by_mail'
    ? `
${file} is a mail that the operator received, from somebody else. The return path's token in it is replaced by \`redacted\`; \`sha256\` in the facts
is the hash of the mail as it came, before that, so that \`sha256sum\` of the file gives another.
`
    : `
**The operator wrote ${file} itself**, in the form of a delivery report: it is no receipt of another server${source === 'session' ? ', whose own words are the reply in the transcript' : ''}.
`;
}

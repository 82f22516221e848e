import type { DeliverySource } from '@acuse/evidence/delivery-facts';
import { type DeliveryKind, KINDS } from '@acuse/evidence/delivery-kinds';
import type { MessageFacts } from '@acuse/evidence/message-facts';
import type { Reason, Verdict } from '@acuse/evidence/verdict';
import { COUNTED, remarkText, VERDICT_TITLES } from '@acuse/evidence/verdict-words';
import type { CopyVerdict, Difference } from '@acuse/evidence/verify-eml';
import { createFormalFormat } from '../format/formal.ts';
import type { Completeness, GroupName } from './groups.ts';

export interface Sentence {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly subject: string | undefined;
  readonly time: string;
}

/** A log's signed end; sizes in entries. */
export interface EndedLogSaid {
  readonly log: string;
  readonly time: string;
  readonly kept: number;
  readonly published: number;
  readonly successor: string;
}

export interface ReportWords {
  /** The verdict in one sentence: who sent what to whom, and since when it is as it is. */
  readonly sentence: (message: Sentence) => string;
  readonly groups: Readonly<Record<GroupName, string>>;
  readonly passed: (passed: number) => string;
  readonly failedChecks: (failed: number) => string;
  readonly completeness: Readonly<Record<Exclude<Completeness, 'whole'>, string>>;
  readonly verdicts: Readonly<Record<Verdict, string>>;
  /** A reason or a warning, as a sentence. */
  readonly remark: (remark: Reason) => string;
  /** How many outcomes the operator signed for; time in words. */
  readonly counted: (counted: { count: number; withheld: number; time: string }) => string;
  readonly notCounted: string;
  readonly validMeans: string;
  /** Where the keys are this service's own. */
  readonly operatorSays: string;
  readonly invalidMeans: string;
  readonly unpinned: string;
  /** Where the bundle names nobody but this service. */
  readonly ownKeys: string;
  readonly erased: string;
  readonly logEnded: (end: EndedLogSaid) => string;
  readonly facts: string;
  readonly checks: string;
  readonly dkim: string;
  readonly noBundle: string;
  readonly noBundleMeans: string;
  readonly message: string;
  readonly messageNames: Readonly<Record<Exclude<keyof MessageFacts, 'parts'>, string>>;
  /** Behind an address of which a part was replaced before it was sealed. */
  readonly withheld: string;
  readonly parts: string;
  readonly partWithoutName: string;
  readonly bytes: (count: number) => string;
  /** `iso`: RFC 3339. */
  readonly time: (iso: string) => string;
  readonly proven: string;
  readonly provenTime: (time: string, authority: string) => string;
  readonly provenDevelopment: (time: string) => string;
  readonly provenLog: (log: string, leaf: number, size: number) => string;
  readonly provenWitnesses: (count: number, quorum: number) => string;
  readonly asserted: string;
  readonly assertedTime: (time: string) => string;
  readonly assertedEnvelope: string;
  readonly assertedDelivery: string;
  readonly trustTitle: string;
  readonly pinned: string;
  readonly root: string;
  readonly unproven: string;
  readonly documents: Readonly<Record<'remade' | 'other' | 'uncompared' | 'issued', string>>;
  readonly outcome: (kind: DeliveryKind) => string;
  readonly copy: Readonly<Record<CopyVerdict, (bundleHolds: boolean) => string>>;
  readonly copyMeans: Readonly<Record<CopyVerdict, string>>;
  readonly differences: Readonly<Record<Difference['kind'], (name: string) => string>>;
  readonly delivery: string;
  readonly sources: Readonly<Record<DeliverySource, string>>;
  readonly ownMail: string;
  readonly received: string;
  readonly layers: Readonly<Record<'L0' | 'L1' | 'L2', string>>;
  readonly matches: string;
  readonly differs: string;
  readonly factNames: Readonly<Record<string, string>>;
}

const format = createFormalFormat('en');
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const english: ReportWords = {
  sentence: ({ from, to, subject, time }) =>
    `${subject === undefined ? 'A message' : `The message “${subject}”`}${from === undefined ? '' : ` from ${from}`}${to === undefined ? '' : ` to ${to}`} existed on ${time} and has not changed since.`,
  groups: {
    message: 'Is this the message that was accepted?',
    log: 'Is it in the log?',
    time: 'Is the time-stamp genuine, and does it cover the log?',
    renewal: 'Are its renewals in order?',
    delivery: 'Are the records of its delivery valid?',
    bundle: 'Is the file complete?',
  },
  passed: (passed) => (passed === 1 ? 'Yes, 1 check' : `Yes, ${passed} checks`),
  failedChecks: (failed) => (failed === 1 ? 'No, 1 check fails' : `No, ${failed} checks fail`),
  completeness: { not_shown: 'Not shown', part: 'Not the whole' },
  verdicts: VERDICT_TITLES.en,
  remark: (remark) => sentence(remarkText(remark, 'en')),
  counted: COUNTED.en,
  notCounted: 'How many outcomes there were is not shown.',
  validMeans: 'Every check of this bundle passes, under the keys of the policy that you gave.',
  operatorSays:
    "The operator's own page says so. Without the operator: acuse verify of a release whose checksum you compared.",
  dkim: "Signature of the sender's domain (DKIM)",
  noBundle: 'Not a proof bundle',
  noBundleMeans:
    'This file is not a proof bundle. Nothing was verified, and this says nothing about any evidence.',
  message: 'The message',
  messageNames: {
    from: 'From',
    to: 'To',
    cc: 'Cc',
    reply_to: 'Reply to',
    subject: 'Subject',
    date: 'Date',
    mail_from: 'Envelope sender',
    rcpt_to: 'Envelope recipient',
  },
  withheld: 'A part is withheld: whoever knows the whole address could report a bounce.',
  parts: 'What it contains',
  partWithoutName: 'Text',
  bytes: format.bytes,
  time: format.time,
  proven: 'What third parties prove',
  provenTime: (time, authority) =>
    `The content existed on ${time} and has not changed since: signed by the time-stamping authority ${authority}.`,
  provenDevelopment: (time) =>
    `A development authority stamped the content on ${time}. That proves nothing to third parties.`,
  provenLog: (log, leaf, size) =>
    `It is entry ${leaf} of the log ${log}, which then had ${size === 1 ? '1 entry' : `${size} entries`} and cannot be rewritten unnoticed.`,
  provenWitnesses: (count, quorum) =>
    count === 0 && quorum === 0
      ? 'No witness was asked to cosign the log.'
      : `${count === 1 ? '1 witness' : `${count} witnesses`} of the policy cosigned the log; it asks for ${quorum}.`,
  asserted: 'What the operator says',
  assertedTime: (time) => `That the message was accepted on ${time}.`,
  assertedEnvelope: 'The addresses of the envelope, and the Date in the message.',
  assertedDelivery:
    'What other mail servers answered. That a server accepted a message does not prove that anybody read it.',
  trustTitle: 'What this relies on',
  pinned: 'The log key, the authorities and the witnesses are those of the policy that you gave.',
  root: "Authority's root, SHA-256",
  unproven: 'Not part of the proof',
  documents: {
    remade: 'is the text that this version writes from the evidence. It is not signed.',
    other: 'is not the text that this version writes from the evidence. Do not run its commands.',
    uncompared:
      'was not compared with the evidence and is not signed. Where the two differ, believe this page.',
    issued:
      'is, says the operator, what the authority issued with its time-stamp. It was not read; only the time-stamp counts.',
  },
  outcome: (kind) => KINDS[kind].words.en.title,
  copy: {
    same: () => 'This copy is what was sent',
    parts: () => 'This copy has the parts that the bundle shows',
    differs: () => 'The bundle is valid. This copy is not what was sent',
    not_comparable: (holds) =>
      holds ? 'This copy could not be compared' : 'This copy was not compared: the bundle is not valid',
  },
  copyMeans: {
    same: 'The only differences are what mail servers add on the way, or white space.',
    parts: 'Its sender, its subject and everything else were not compared.',
    differs: 'Do not rely on this copy. What was sent is shown below.',
    not_comparable: 'This bundle contains nothing to compare a copy with.',
  },
  differences: {
    field_added: (name) => `${name} was added to the header`,
    field_changed: (name) => `${name} is different`,
    field_missing: (name) => `${name} is missing`,
    header: () => 'the header is different',
    body: () => 'the body is different',
    part_missing: (name) => `the part ${name} is missing or different`,
    unreadable: () => 'it cannot be read as a message',
  },
  invalidMeans: 'At least one check fails: do not rely on this bundle.',
  unpinned:
    'Trust was taken from the bundle itself: its maker named the log key and the authority. Compare this fingerprint with the root that the authority publishes, or provide your own policy.',
  ownKeys:
    'The log key, the authority and the witnesses are those of this very service. Compare this fingerprint with the root that the authority publishes.',
  erased:
    'The operator erased the content of this message, and with it the salts: the message, its addresses, the request and the replies of servers can no longer be shown. It remains proven that it was sealed, when, and with what outcomes.',
  logEnded: ({ log, time, kept, published, successor }) =>
    `The log ${log} ended on ${time}. It still shows ${kept} of ${published} published entries, and ${successor} goes on. What it sealed before stays valid.`,
  facts: 'Hashes and numbers',
  checks: 'All checks',
  delivery: 'Delivery',
  sources: {
    session: 'A server answered in a session with the operator.',
    operator: 'The operator recorded it; no server answered.',
    reported_by_mail: 'A mail said so; anybody who knew the address could have written it.',
    recipient_page:
      'The operator says so: somebody who reads this mailbox acted, with a code sent there; not who.',
  },
  ownMail:
    'A mail of the recipient says so. Their mail domain signed it, under the key in the evidence; only the operator says that the domain had published this key.',
  received: 'The message that you received',
  layers: { L0: 'Byte for byte', L1: 'Header and body (DKIM relaxed form)', L2: 'Parts and attachments' },
  matches: 'matches',
  differs: 'differs',
  factNames: {},
};

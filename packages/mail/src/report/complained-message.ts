import { addressesIn, addressOfField, sameAddress } from './addresses.ts';
import type { Receipt } from './receipt.ts';

/**
 * Finds the message that a complaint is about, by the part of it that the complaint returns. A provider that
 * sends to one enrolled address does not use our return path, and may leave out much of the message. Pure.
 */
export interface ComplainedMessage {
  /** Ids of ours that the report repeats, the surest first. */
  readonly ids: readonly string[];
  /** The form of our return paths. */
  readonly returnPaths: readonly string[];
  /** The Message-ID without its angle brackets. */
  readonly messageId: string | null;
  /** Recipients with their whole address; one that is blacked out does not count. */
  readonly recipients: readonly string[];
  /** The From of the message, or its domain where the report gives no more. */
  readonly from: string | null;
  readonly fromDomain: string | null;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const EVIDENCE_ID = new RegExp(`(?:^|;)\\s*id=(${UUID})\\s*(?:;|$)`, 'i');
const WHOLE_ID = new RegExp(`^\\s*(${UUID})\\s*$`, 'i');
/** The Message-ID that we give a message without one. */
const OWN_MESSAGE_ID = new RegExp(`^<?(${UUID})@`, 'i');
/** A message repeats its id a few times at most; each is looked up. */
const MAX_NAMED = 8;
/** Words in place of an address: RFC 6590 §2 names none, these are in use. */
const BLACKED_OUT = /redact|removed|hidden|withheld|undisclosed|x{4,}|\*{2,}/i;

export function complainedMessage(complaint: Receipt['about']): ComplainedMessage {
  const { headers, messageId, originalEnvelopeId, originalMailFrom, recipients, reportedDomain } = complaint;
  const all = (name: string) => headers?.all(name) ?? [];
  const found = (pattern: RegExp, values: readonly (string | null)[]) =>
    values.flatMap((value) => pattern.exec(value ?? '')?.[1]?.toLowerCase() ?? []);
  const ids = [
    ...found(EVIDENCE_ID, all('service-evidence')),
    // RFC 9477 §3.2
    ...found(WHOLE_ID, all('cfbl-feedback-id')),
    ...found(WHOLE_ID, [originalEnvelopeId]),
    ...found(OWN_MESSAGE_ID, [messageId]),
  ];
  const returnPaths = [originalMailFrom, ...all('return-path').map(addressOfField)].flatMap((it) => it ?? []);
  const from = addressesIn(headers?.get('from') ?? '')[0]?.address ?? null;
  return {
    ids: [...new Set(ids)].slice(0, MAX_NAMED),
    returnPaths: [...new Set(returnPaths)].slice(0, MAX_NAMED),
    messageId: messageId?.replace(/^<|>$/g, '') ?? null,
    recipients: distinct(recipients.filter((it) => !BLACKED_OUT.test(it))),
    from,
    fromDomain:
      (from === null ? reportedDomain : from.slice(from.lastIndexOf('@') + 1))?.toLowerCase() ?? null,
  };
}

function distinct(addresses: readonly string[]): string[] {
  return addresses.filter((one, at) => addresses.findIndex((other) => sameAddress(one, other)) === at);
}

/**
 * Operators of feedback loops, by the From of their reports; what DKIM signs for its domain is theirs, for a
 * provider binds the From of its users to them. No provider promises its address; what each rests on is said
 * with it. A report from another address still counts where it returns the return path.
 */
const LOOPS: readonly RegExp[] = [
  // Yahoo: its FAQ, in a copy, names it as the envelope's sender and its domain as DKIM's; that From has it
  // too is seen in samples and in the programs that read them.
  // https://help.yahoo.com/kb/postmaster/yahoo-complaint-feedback-loop-service-faq-sln26007.html
  /^feedback@arf\.mail\.yahoo\.com$/i,
  // Microsoft: a copy of 2009 of its FAQ of the Junk Mail Reporting Partner Program has it, and programs of
  // today expect it still.
  /^staff@hotmail\.com$/i,
];
/** Mailboxes of a provider that its users cannot have. RFC 2142 §4, §5 */
const ROLE = /^(?:abuse|postmaster|mailer-daemon|fbl|feedback|feedbackloop|complaints?)@/i;

/**
 * True if a report that names a message by what others know may be believed: DKIM of the domain in its From,
 * which is a feedback loop, or a role of the domain that had the message. `organisation`: the registered
 * domain.
 */
export function isFromLoop(
  from: string,
  signedBy: readonly string[],
  expected: readonly string[],
  organisation: (name: string) => string | null,
): boolean {
  const own = organisation(from.slice(from.lastIndexOf('@') + 1));
  if (own === null || !signedBy.some((name) => organisation(name) === own)) return false;
  if (LOOPS.some((loop) => loop.test(from))) return true;
  return ROLE.test(from) && expected.some((name) => organisation(name) === own);
}

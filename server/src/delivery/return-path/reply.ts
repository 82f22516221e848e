import { EvidenceError } from '@acuse/evidence/errors';
import type { DkimFact } from '@acuse/evidence/manifest';
import { assertReply, isAligned, readReplyHeader, SIGNED_FIELDS } from '@acuse/evidence/verify-reply';
import { checkDkim, heldSignatures } from '@acuse/mail/authentication/dkim-check';
import { organisation } from '@acuse/mail/authentication/vouch';
import { listSign } from '@acuse/mail/report/auto-reply';
import { parseMime, walk } from '@acuse/mail/report/lenient-mime';
import { type AskedRow, findAskedOf } from '../../messages/acknowledgement-store.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { SmtpAnswer } from '../../platform/smtp/smtp-types.ts';
import { decide } from '../acknowledgement/act.ts';
import { NO_FACTS } from '../record/outcome-leaf.ts';
import { MAX_KEPT_BYTES } from '../record/reports.ts';
import { readerOf } from './large-mail.ts';
import { type Claims, type MailToReturnPath, readMailFacts } from './mail-facts.ts';
import type { ReturnPathDeps } from './return-path.ts';
import { findReturned } from './return-path-store.ts';

/**
 * The recipient's own mail to the address of a message. It acknowledges if everybody can check that it is
 * theirs: From is the recipient, and the mail's domain signed it under a key that is kept with it.
 */
export type ReplyOutcome =
  | { readonly kind: 'acknowledged' }
  /** Taken, without an effect: a machine wrote it, or it is decided. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'not_yet' }
  /** The sender gets a refusal, because a person expects an effect. */
  | { readonly kind: 'refused'; readonly why: string; readonly answer: SmtpAnswer };

const HEADER_BYTES = 65_536;
/** Longest description of a signature's fault. */
const MAX_WHY_CHARS = 300;

const NOTHING_CLAIMED: Claims = {
  feedback_type: null,
  final_recipient: null,
  original_recipient: null,
  remote_mta: null,
  reply: null,
};

function refused(code: number, text: string, why = text): ReplyOutcome {
  return { kind: 'refused', why, answer: { code, text } };
}

/** Handles one mail. Hostile content is at worst refused. */
export async function takeReply(
  deps: ReturnPathDeps,
  messageId: string,
  mail: MailToReturnPath,
): Promise<ReplyOutcome> {
  const sign = await writtenByMachine(deps, mail);
  if (sign !== null) return { kind: 'ignored', why: sign };
  const asked = await findAskedOf(deps.db, messageId);
  if (asked === null || asked.isErased) return refused(550, '5.1.1 No such address here');
  if (asked.status !== 'requested') return { kind: 'ignored', why: `it is decided: ${asked.status}` };
  if (asked.sentAt === null) return { kind: 'not_yet' };
  const now = deps.clock.now();
  if (asked.until <= now)
    return refused(550, `5.7.1 The time to acknowledge this message ended on ${asked.until.toISOString()}`);
  if (mail.raw.length > MAX_KEPT_BYTES)
    return refused(552, `5.3.4 At most ${MAX_KEPT_BYTES / 1_024} KiB are taken here: send a short mail`);
  const other = saysSomethingElse(mail);
  if (other !== null) return refused(550, `5.7.1 ${other} acknowledges nothing: write a mail of your own`);
  const wrong = headerFault(mail, asked);
  if (wrong !== null) return refused(550, `5.7.1 ${wrong}`);
  const key = await findKey(deps, mail, now);
  if ('answer' in key) return key;
  return acknowledge(deps, asked, mail, key);
}

/** Null: a person may have written it. RFC 3834 §5 */
async function writtenByMachine(deps: ReturnPathDeps, mail: MailToReturnPath): Promise<string | null> {
  if (mail.reversePath === '') return 'its reverse-path is null, as that of a report';
  const returned = await readerOf(deps.threads ?? null, mail).read();
  if (returned.kind === 'auto-reply') return `an automatic answer (${returned.sign})`;
  if (returned.kind !== 'unrecognized' && returned.kind !== 'report') return `a ${returned.kind}`;
  const { headers } = parseMime(mail.raw.subarray(0, HEADER_BYTES));
  const list = listSign(headers);
  return list === null ? null : `it came through a mailing list (${list})`;
}

const CALENDAR = new Set(['text/calendar', 'application/ics']);
const UNSUBSCRIBED = /^(?:unsubscribe|baja)$/i;

/**
 * Mail programs write these when a button is pressed, to any address that a mail gave them: the person meant
 * an invitation or a list.
 */
function saysSomethingElse({ raw }: MailToReturnPath): string | null {
  const mail = parseMime(raw);
  if ([...walk(mail)].some(({ type }) => CALENDAR.has(type))) return 'An answer to an invitation';
  return UNSUBSCRIBED.test(mail.headers.get('subject')?.trim() ?? '') ? 'An unsubscription' : null;
}

/** The fault for which verifiers refuse the header, before they check a signature; null: none. */
function headerFault({ raw, forwardPath }: MailToReturnPath, asked: AskedRow): string | null {
  try {
    const { from, to } = readReplyHeader(raw);
    if (from !== asked.recipientAddress.toLowerCase())
      return `Write from the address that got the message: From is ${from}`;
    return to === forwardPath.toLowerCase() ? null : `Write to the address of the message alone: To is ${to}`;
  } catch (error) {
    if (error instanceof EvidenceError) return error.detail;
    throw error;
  }
}

/** The key under which the domain of From signed the mail, as DNS has it now. */
async function findKey(
  { replyKeys, resolver: others }: ReturnPathDeps,
  { raw }: MailToReturnPath,
  now: Date,
): Promise<DkimFact | Extract<ReplyOutcome, { kind: 'refused' }>> {
  const refuse = (code: number, text: string, why: string) =>
    ({ kind: 'refused', why, answer: { code, text } }) as const;
  const resolver = replyKeys ?? others;
  if (resolver === null)
    return refuse(
      550,
      '5.7.20 A sandbox looks up no DKIM keys: use the page of the link',
      'no look-ups here',
    );
  const { from } = readReplyHeader(raw);
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const home = organisation(domain);
  // By the list of public suffixes too, which verifiers do not have.
  const speaks = (signer: string) =>
    home !== null && organisation(signer) === home && isAligned(signer, domain);
  const checked = await checkDkim(resolver, raw, now, {
    held: (message, keys) => heldSignatures(message, keys, SIGNED_FIELDS),
    speaks,
  });
  const [key] = checked.keys;
  if (key !== undefined) return key;
  const why = checked.faults.join('; ').slice(0, MAX_WHY_CHARS);
  if (checked.result === 'temperror')
    return refuse(451, '4.4.3 The DKIM key could not be looked up, try again later', why);
  return refuse(
    550,
    `5.7.22 ${domain} did not sign this mail (DKIM) in a way that can be proven: use the link in the message`,
    why,
  );
}

async function acknowledge(
  deps: ReturnPathDeps,
  asked: AskedRow,
  mail: MailToReturnPath,
  dkim: DkimFact,
): Promise<ReplyOutcome> {
  const { db, clock, webhooks = null } = deps;
  const resolver = deps.replyKeys ?? deps.resolver;
  const { messageId, recipientAddress: recipient } = asked;
  const bytes = mail.raw;
  // The check that every verifier repeats.
  await assertReply({ bytes, messageId, recipient, dkim }, sha256);
  const message = await findReturned(db, messageId);
  if (message === null) return refused(550, '5.1.1 No such address here');
  const at = clock.now();
  const reader = readerOf(deps.threads ?? null, mail);
  const read = { db, resolver, now: at, held: reader.heldSignatures };
  const reportedByMail = await readMailFacts(read, message, mail, NOTHING_CLAIMED);
  const facts = { ...NO_FACTS, acknowledgement: { dkim }, reported_by_mail: reportedByMail };
  const decision = { ...asked, kind: 'acknowledged', source: 'reported_by_mail', at, facts } as const;
  const decided = await decide({ db, webhooks }, { ...decision, mail: bytes });
  if (decided === 'no_leaf')
    return refused(
      451,
      '4.3.0 It cannot be recorded now, try again later',
      "the message's own leaf is missing",
    );
  return decided === 'decided' ? { kind: 'acknowledged' } : { kind: 'ignored', why: decided };
}

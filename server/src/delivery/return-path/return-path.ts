import type { MailReportFacts } from '@acuse/evidence/delivery-facts';
import type { HeldSignatures } from '@acuse/mail/authentication/dkim-check';
import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import type { Classification } from '@acuse/mail/reply/classify';
import { sameAddress } from '@acuse/mail/report/addresses';
import { type Complaint, isObjection } from '@acuse/mail/report/arf';
import { classifyReport, isDefinite } from '@acuse/mail/report/classify-report';
import type { Receipt } from '@acuse/mail/report/receipt';
import type { MailResolver } from '@acuse/mail/routing/resolver';
import { recordSuppression } from '../../accounts/suppressions/operations.ts';
import { isAsked } from '../../messages/acknowledgement-store.ts';
import { endSent } from '../../messages/state-store.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { WebhookHandover } from '../../webhooks/handover.ts';
import { bouncedEvent, complainedEvent } from '../record/events.ts';
import type { LastReply } from '../record/outcome.ts';
import { insertReceipt, insertReports, type NewReport } from '../record/record-store.ts';
import { isKept, lateBounceReport, MAX_KEPT_BYTES } from '../record/reports.ts';
import { writeOutcome } from '../record/write-outcome.ts';
import { readerOf } from './large-mail.ts';
import { lateLeaf, untilChainStands } from './late-outcome.ts';
import {
  type Claims,
  claimsOf,
  complaintClaims,
  keptBytes,
  type MailToReturnPath,
  readMailFacts,
  receiptClaims,
  shownBy,
} from './mail-facts.ts';
import { type Subject, subjectOf } from './report-subject.ts';
import {
  findReturned,
  holdLateBounced,
  holdUnerased,
  loadBeginning,
  type ReturnedMessageRow,
} from './return-path-store.ts';

/**
 * Applies mail to a return path: a late bounce ends the message, a complaint also suppresses its recipient;
 * other reports are kept without effect. All are recorded as reported by mail, with the delivering peer.
 * Nothing is ever sent.
 */
export type ReturnOutcome =
  | 'bounced'
  | 'complained'
  | 'kept'
  /** A repeat, or nothing that counts: an automatic reply, a delay, unreadable text, or an erased message. */
  | 'ignored'
  /** Not recorded as sent yet: the peer should retry. */
  | 'not_yet'
  | 'unknown_message';

export interface ReturnPathDeps extends DbAndClock {
  readonly hostname: string;
  readonly resolver: MailResolver | null;
  /** For DKIM of mails that acknowledge; absent: as `resolver`. */
  readonly replyKeys?: MailResolver;
  /** For large mail; absent: read here. */
  readonly threads?: Threads;
  readonly webhooks?: WebhookHandover | null;
}

type ReadingDeps = ReturnPathDeps & { readonly held: HeldSignatures };

export function applyReturnedMail(
  deps: ReturnPathDeps,
  messageId: string,
  mail: MailToReturnPath,
): Promise<ReturnOutcome> {
  return untilChainStands(() => apply(deps, messageId, mail));
}

async function apply(
  given: ReturnPathDeps,
  messageId: string,
  mail: MailToReturnPath,
): Promise<ReturnOutcome> {
  const reader = readerOf(given.threads ?? null, mail);
  const deps = { ...given, held: reader.heldSignatures };
  const returned = await reader.read();
  if (returned.kind === 'auto-reply' || returned.kind === 'unrecognized') return 'ignored';
  // Neither declared a report nor from <>: a letter, whatever it quotes. RFC 3464 §2
  if (returned.kind === 'report' && !returned.report.declared && mail.reversePath !== '') return 'ignored';
  const message = await findReturned(deps.db, messageId);
  if (message === null) return 'unknown_message';
  // Storing it would restore erased data.
  if (message.erased) return 'ignored';
  // Before any look-up: the peer retries.
  if (message.status === 'queued' || message.status === 'deferred') return 'not_yet';
  // Ends nothing, and so is kept whatever ended the message since.
  if (returned.kind === 'receipt')
    return message.status === 'cancelled' ? 'ignored' : takeReceipt(deps, message, mail, returned.receipt);
  // A final message changes only by the first complaint after a bounce.
  const isOpen = message.status === 'sent' || (message.status === 'bounced' && returned.kind === 'complaint');
  if (!isOpen) return 'ignored';
  if (returned.kind === 'complaint') {
    if (!isObjection(returned.complaint)) return 'ignored';
    return complain(deps, message, mail, returned.complaint);
  }
  const subject = subjectOf(returned.report, message);
  const verdict = classifyReport(subject.recipient);
  if (verdict.outcome === 'deferred') return 'ignored';
  const report = await reportOf(deps, message, mail, claimsOf(mail, subject.recipient, verdict.diagnostic));
  // A failure without details may mean anything.
  const says = verdict.outcome === 'sent' || isDefinite(subject.recipient);
  if (subject.names === 'another' || !says) return keep(deps, { ...report, action: 'other' }, mail);
  if (verdict.outcome === 'sent') {
    const { action } = subject.recipient;
    return action === 'delivered' ? keep(deps, { ...report, action }, mail) : 'ignored';
  }
  const facts = report.reportedByMail;
  // A report counts for more from a host that must know.
  const { recipient } = subject;
  const known = facts.vouched_by === null ? verdict : classifyReport({ ...recipient, byOwnHost: true });
  return bounce(deps, message, { mail, subject, verdict: known, facts });
}

/** Its action says how it counts. */
type MailReport = Omit<NewReport, 'action'> & { reportedByMail: MailReportFacts };

async function reportOf(
  { db, clock, resolver, held }: ReadingDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  claims: Claims,
): Promise<MailReport> {
  const createdAt = clock.now();
  return {
    tenantId: message.tenant_id,
    messageId: message.message_id,
    report: mail.raw.length <= MAX_KEPT_BYTES ? keptBytes(mail) : new Uint8Array(0),
    createdAt,
    reportedByMail: await readMailFacts({ db, resolver, now: createdAt, held }, message, mail, claims),
  };
}

interface LateBounce {
  readonly mail: MailToReturnPath;
  readonly subject: Subject;
  readonly verdict: Classification;
  readonly facts: MailReportFacts;
}

async function bounce(
  deps: ReturnPathDeps,
  message: ReturnedMessageRow,
  { mail, subject, verdict, facts }: LateBounce,
): Promise<ReturnOutcome> {
  const at = deps.clock.now();
  const { tenant_id: tenantId, message_id: messageId } = message;
  const { recipient } = subject;
  const reply: LastReply = {
    code: recipient.replyCode === 0 ? null : recipient.replyCode,
    enhanced: verdict.enhancedStatus,
    text: shownBy(mail)(verdict.diagnostic, MAX_TEXT_CHARS),
    // We spoke to no server; what the report claims is kept separately.
    mx: null,
  };
  const why = { bounceType: verdict.bounceType ?? 'soft', reason: verdict.reason ?? 'unspecified' } as const;
  const report: NewReport = {
    tenantId,
    messageId,
    action: 'failed',
    report: isKept(recipient, mail.raw) ? keptBytes(mail) : await ownReport(deps, message, mail, verdict, at),
    createdAt: at,
    reportedByMail: facts,
  };
  const leaf = await lateLeaf(deps.db, message, {
    kind: 'bounced',
    occurredAt: at,
    reportedByMail: facts,
    dsn: report.report,
  });
  const suppressionKey = suppresses(verdict, subject, facts)
    ? compareKey(parseAddress(message.recipient_address))
    : null;
  return deps.db.transact(async (tx) => {
    const ended = await endSent(tx, {
      tenantId,
      messageId,
      status: 'bounced',
      at,
      lastReply: reply,
      reportedByMail: facts,
      bounceType: why.bounceType,
      bounceReason: why.reason,
    });
    if (!ended) return whyNot(tx, messageId);
    const reason = reply.text.slice(0, MAX_REASON_CHARS);
    const entry = { reason, source: 'bounce', messageId, at } as const;
    const data = bouncedEvent(message.header_to, reply, why, true);
    const traces = {
      reports: [report],
      leaves: leaf === null ? [] : [leaf],
      events: [{ tenantId, eventId: newId(), messageId, type: 'email.bounced', occurredAt: at, data }],
      suppressions: suppressionKey === null ? [] : [{ tenantId, entry: { ...entry, suppressionKey } }],
      entries: [{ tenantId, state: 'bounced', at }],
    } as const;
    await writeOutcome(tx, traces, deps.webhooks);
    return 'bounced';
  });
}

/**
 * Only the refused recipient: a forward's failure says nothing about our address. And only by a report tied
 * to the servers that had the message. docs/decisions/0015
 */
function suppresses(verdict: Classification, subject: Subject, facts: MailReportFacts): boolean {
  return verdict.suppress && subject.names === 'final' && facts.vouched_by !== null;
}

async function ownReport(
  { db, hostname }: ReturnPathDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  verdict: Classification,
  at: Date,
): Promise<Uint8Array> {
  return lateBounceReport({
    messageId: message.message_id,
    senderAddress: message.sender_address,
    recipientAddress: message.recipient_address,
    acceptedAt: message.created_at,
    at,
    hostname,
    header: await loadBeginning(db, message, MAX_HEADER_BYTES),
    verdict: { ...verdict, diagnostic: shownBy(mail)(verdict.diagnostic, MAX_TEXT_CHARS) },
  });
}

/** About our only recipient, whatever address it shows. Counts once. */
async function complain(
  deps: ReadingDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  complaint: Complaint,
): Promise<ReturnOutcome> {
  const { tenant_id: tenantId, message_id: messageId } = message;
  const kept = await reportOf(deps, message, mail, complaintClaims(mail, complaint));
  const { createdAt: at, reportedByMail } = kept;
  const type = reportedByMail.claims.feedback_type ?? 'abuse';
  const suppressionKey = compareKey(parseAddress(message.recipient_address));
  const reason = `complaint (${type}) about message ${messageId}`;
  const entry = { suppressionKey, reason, source: 'complaint', messageId, at } as const;
  // A report that quotes a large message is neither kept nor committed to.
  const dsn = kept.report.length === 0 ? null : kept.report;
  const leaf = await lateLeaf(deps.db, message, { kind: 'complained', occurredAt: at, reportedByMail, dsn });
  return deps.db.transact(async (tx) => {
    const known = { tenantId, messageId, at, lastReply: null, reportedByMail };
    const end = { ...known, status: 'complained', bounceType: null, bounceReason: null } as const;
    const reports = [{ ...kept, action: 'complained' } as const];
    if (!(await endSent(tx, end))) {
      const why = await whyNot(tx, messageId);
      // A complaint after a late bounce still counts for the recipient.
      const counts = why === 'ignored' && (await holdLateBounced(tx, tenantId, messageId));
      if (counts && (await insertReports(tx, reports)) === 1) await recordSuppression(tx, tenantId, entry);
      return why;
    }
    const data = complainedEvent(message.header_to, type);
    const traces = {
      reports,
      leaves: leaf === null ? [] : [leaf],
      events: [{ tenantId, eventId: newId(), messageId, type: 'email.complained', occurredAt: at, data }],
      suppressions: [{ tenantId, entry }],
      entries: [{ tenantId, state: 'complained', at }],
    } as const;
    await writeOutcome(tx, traces, deps.webhooks);
    return 'complained';
  });
}

/** A receipt that names another recipient belongs to a forwarded copy, or is made up. */
async function takeReceipt(
  deps: ReadingDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  receipt: Receipt,
): Promise<ReturnOutcome> {
  const report = await reportOf(deps, message, mail, receiptClaims(mail, receipt));
  const isOurs = receipt.about.recipients.some((one) => sameAddress(one, message.recipient_address));
  const kept: NewReport = { ...report, action: isOurs ? 'receipt' : 'other' };
  if (!isOurs) return keep(deps, kept, mail);
  const isDisplayed = receipt.disposition === 'displayed' && !receipt.isError;
  if (isDisplayed && (await isAsked(deps.db, message))) return display(deps, message, mail, kept);
  return keep(deps, kept, mail, (tx) => insertReceipt(tx, kept, isDisplayed));
}

/**
 * A message that asked to be acknowledged: what the program states is an outcome, the weakest there is. It
 * ends nothing, so that the recipient's own act still counts.
 */
async function display(
  { db, webhooks }: ReturnPathDeps,
  message: ReturnedMessageRow,
  mail: MailToReturnPath,
  report: NewReport,
): Promise<ReturnOutcome> {
  if (mail.raw.length > MAX_KEPT_BYTES) return 'ignored';
  const { reportedByMail, report: dsn, createdAt: occurredAt } = report;
  const leaf = await lateLeaf(db, message, { kind: 'displayed', occurredAt, reportedByMail, dsn });
  return db.transact(async (tx) => {
    const held = await holdUnerased(tx, report.tenantId, report.messageId);
    if (!held || (await insertReceipt(tx, report, true)) !== 1) return 'ignored';
    const traces = { reports: [], events: [], suppressions: [], entries: [] };
    await writeOutcome(tx, { ...traces, leaves: leaf === null ? [] : [leaf] }, webhooks);
    return 'kept';
  });
}

/** Kept among the message's reports, one per kind, without proof. */
async function keep(
  { db }: ReturnPathDeps,
  report: NewReport,
  mail: MailToReturnPath,
  insert: (tx: Tx) => Promise<number> = (tx) => insertReports(tx, [report]),
): Promise<ReturnOutcome> {
  if (mail.raw.length > MAX_KEPT_BYTES) return 'ignored';
  const added = await db.transact(async (tx) =>
    (await holdUnerased(tx, report.tenantId, report.messageId)) ? insert(tx) : 0,
  );
  return added === 1 ? 'kept' : 'ignored';
}

async function whyNot(tx: Tx, messageId: string): Promise<'not_yet' | 'ignored'> {
  const now = await findReturned(tx, messageId);
  return now?.status === 'queued' || now?.status === 'deferred' ? 'not_yet' : 'ignored';
}

const MAX_HEADER_BYTES = 65_536;
const MAX_TEXT_CHARS = 2_000;
const MAX_REASON_CHARS = 500;

import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import type { Classification } from '@acuse/mail/reply/classify';
import { sameAddress } from '@acuse/mail/report/addresses';
import { isObjection } from '@acuse/mail/report/arf';
import { classifyReport } from '@acuse/mail/report/classify-report';
import type { DeliveryReport, ReportedRecipient } from '@acuse/mail/report/read-dsn';
import { readReturnedMail } from '@acuse/mail/report/read-report';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { recordSuppression } from '../../suppressions/operations.ts';
import { appendEvents } from '../../webhooks/append.ts';
import { bouncedEvent, complainedEvent } from '../events.ts';
import { insertOutcomeLeaves } from '../leaf-store.ts';
import type { LastReply } from '../outcome.ts';
import { NO_FACTS } from '../outcome-leaf.ts';
import { countEntries, insertReports, type NewReport } from '../record-store.ts';
import { storable } from '../text.ts';
import { lateLeaf, untilChainStands } from './late-outcome.ts';
import { isKept, lateBounceReport, MAX_KEPT_BYTES } from './reports.ts';
import {
  endSent,
  findReturned,
  holdUnerased,
  loadBeginning,
  type ReturnedMessageRow,
} from './return-path-store.ts';

/**
 * What mail to the return path does to the message that its address names: a late bounce ends it, a complaint ends it and
 * suppresses its recipient, news of success is kept as evidence. Everything else changes nothing. Nothing is ever sent.
 */
export type ReturnOutcome =
  | 'bounced'
  | 'complained'
  | 'kept'
  /** Said before, or nothing that counts: an automatic answer, a delay, words that nobody can read, or of a message that was erased. */
  | 'ignored'
  /** The message is not on record as sent yet; whoever reports shall try again. */
  | 'not_yet'
  | 'unknown_message';

export interface ReturnPathDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly hostname: string;
}

/** Applies one returned mail; `bytes` as received. Hostile content is at worst ignored. */
export function applyReturnedMail(
  deps: ReturnPathDeps,
  messageId: string,
  bytes: Uint8Array,
): Promise<ReturnOutcome> {
  return untilChainStands(() => apply(deps, messageId, bytes));
}

async function apply(deps: ReturnPathDeps, messageId: string, bytes: Uint8Array): Promise<ReturnOutcome> {
  const returned = readReturnedMail(bytes);
  if (returned.kind === 'auto-reply' || returned.kind === 'unrecognized') return 'ignored';
  const message = await findReturned(deps.db, messageId);
  if (message === null) return 'unknown_message';
  // What a report says of it would be stored again, and whom it is about is known no more.
  if (message.erased) return 'ignored';
  if (returned.kind === 'complaint') {
    if (!isObjection(returned.complaint)) return 'ignored';
    return complain(deps, message, returned.complaint.feedbackType, bytes);
  }
  const { recipient, ours } = recipientOf(returned.report, message);
  const verdict = classifyReport(recipient);
  switch (verdict.outcome) {
    case 'deferred':
      return 'ignored';
    case 'sent':
      return keepSuccess(deps, message, recipient, bytes);
    case 'bounced':
      return bounce(deps, message, recipient, ours, verdict, bytes);
  }
}

/** The recipient that the report is about: ours where it is named, else whoever failed, whom we never wrote to (a forward). */
function recipientOf(
  report: DeliveryReport,
  message: ReturnedMessageRow,
): { recipient: ReportedRecipient; ours: boolean } {
  const ours = report.recipients.find(
    (one) =>
      isSame(one.finalRecipient, message.recipient_address) ||
      (one.originalRecipient !== null && isSame(one.originalRecipient, message.recipient_address)),
  );
  if (ours !== undefined)
    return { recipient: ours, ours: isSame(ours.finalRecipient, message.recipient_address) };
  const failed = report.recipients.find((one) => one.action === 'failed') ?? report.recipients[0]!;
  return { recipient: failed, ours: false };
}

function isSame(reported: string, own: string): boolean {
  if (sameAddress(reported, own)) return true;
  try {
    return compareKey(parseAddress(reported)) === compareKey(parseAddress(own));
  } catch {
    // What a report names need not be an address.
    return false;
  }
}

async function bounce(
  deps: ReturnPathDeps,
  message: ReturnedMessageRow,
  recipient: ReportedRecipient,
  ours: boolean,
  verdict: Classification,
  bytes: Uint8Array,
): Promise<ReturnOutcome> {
  const at = deps.clock.now();
  const { tenant_id: tenantId, message_id: messageId } = message;
  const reply: LastReply = {
    code: recipient.replyCode === 0 ? null : recipient.replyCode,
    enhanced: verdict.enhancedStatus,
    text: storable(verdict.diagnostic, MAX_TEXT_CHARS),
    mx: recipient.remoteMta === null ? null : storable(recipient.remoteMta, MAX_NAME_CHARS),
  };
  const bounceType = verdict.bounceType ?? 'soft';
  const report: NewReport = {
    tenantId,
    messageId,
    action: 'failed',
    report: isKept(recipient, bytes) ? bytes : await ownReport(deps, message, recipient, verdict, at),
    createdAt: at,
  };
  const { code, enhanced, text, mx } = reply;
  const facts = { ...NO_FACTS, mx, reply: { code, enhanced, text } };
  const leaf = await lateLeaf(deps.db, message, {
    kind: 'bounced',
    occurredAt: at,
    facts,
    dsn: report.report,
  });
  // Never another recipient than the one refused: what a forward does to mail says nothing about the address we know.
  const suppressionKey =
    verdict.suppress && ours ? compareKey(parseAddress(message.recipient_address)) : null;
  return deps.db.transact(async (tx) => {
    const ended = await endSent(tx, { tenantId, messageId, status: 'bounced', at, lastReply: reply });
    if (!ended) return whyNot(tx, messageId);
    const data = bouncedEvent(message.header_to, reply, bounceType, true);
    await Promise.all([
      insertReports(tx, [report]),
      leaf === null ? undefined : insertOutcomeLeaves(tx, [leaf]),
      appendEvents(tx, [
        { tenantId, eventId: newId(), messageId, type: 'email.bounced', occurredAt: at, data },
      ]),
      suppressionKey === null
        ? undefined
        : recordSuppression(tx, tenantId, {
            suppressionKey,
            reason: reply.text.slice(0, MAX_REASON_CHARS),
            source: 'bounce',
            messageId,
            at,
          }),
      countEntries(tx, [{ tenantId, state: 'bounced', at }]),
    ]);
    return 'bounced';
  });
}

async function ownReport(
  { db, hostname }: ReturnPathDeps,
  message: ReturnedMessageRow,
  recipient: ReportedRecipient,
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
    recipient,
    verdict,
  });
}

/** A complaint is about our one recipient, whatever address a forward or a redacted report shows. */
async function complain(
  deps: ReturnPathDeps,
  message: ReturnedMessageRow,
  feedbackType: string,
  bytes: Uint8Array,
): Promise<ReturnOutcome> {
  const at = deps.clock.now();
  const { tenant_id: tenantId, message_id: messageId } = message;
  const type = storable(feedbackType, MAX_NAME_CHARS);
  const suppressionKey = compareKey(parseAddress(message.recipient_address));
  const reason = `complaint (${type}) about message ${messageId}`;
  // One that quotes a whole large message is not kept, and then not committed to either.
  const kept = bytes.length <= MAX_KEPT_BYTES ? bytes : null;
  const leaf = await lateLeaf(deps.db, message, {
    kind: 'complained',
    occurredAt: at,
    facts: NO_FACTS,
    dsn: kept,
  });
  return deps.db.transact(async (tx) => {
    const ended = await endSent(tx, { tenantId, messageId, status: 'complained', at, lastReply: null });
    if (!ended) {
      const why = await whyNot(tx, messageId);
      if (why === 'not_yet') return why;
    }
    await recordSuppression(tx, tenantId, { suppressionKey, reason, source: 'complaint', messageId, at });
    if (!ended) return 'ignored';
    const data = complainedEvent(message.header_to, type);
    await Promise.all([
      kept === null
        ? 0
        : insertReports(tx, [{ tenantId, messageId, action: 'complained', report: kept, createdAt: at }]),
      leaf === null ? undefined : insertOutcomeLeaves(tx, [leaf]),
      appendEvents(tx, [
        { tenantId, eventId: newId(), messageId, type: 'email.complained', occurredAt: at, data },
      ]),
      countEntries(tx, [{ tenantId, state: 'complained', at }]),
    ]);
    return 'complained';
  });
}

/** A server's word that it delivered or passed the message on; no state of ours, but evidence. */
async function keepSuccess(
  deps: ReturnPathDeps,
  message: ReturnedMessageRow,
  recipient: ReportedRecipient,
  bytes: Uint8Array,
): Promise<ReturnOutcome> {
  if (recipient.action !== 'delivered' || bytes.length > MAX_KEPT_BYTES) return 'ignored';
  if (message.status === 'queued' || message.status === 'deferred') return 'not_yet';
  const report: NewReport = {
    tenantId: message.tenant_id,
    messageId: message.message_id,
    action: 'delivered',
    report: bytes,
    createdAt: deps.clock.now(),
  };
  const added = await deps.db.transact(async (tx) =>
    (await holdUnerased(tx, report.tenantId, report.messageId)) ? insertReports(tx, [report]) : 0,
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
const MAX_NAME_CHARS = 255;

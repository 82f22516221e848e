import type { AuditSource } from '../../accounts/audit/append.ts';
import { apiError } from '../../errors.ts';
import { type PresentedMessage, type PromiseOf, presentMessage } from '../../messages/present.ts';
import { findMessage } from '../../messages/read-store.ts';
import { takeOffSchedule } from '../../messages/schedule-store.ts';
import { setNextAttempts } from '../../messages/state-store.ts';
import type { DbAndClock, Tx } from '../../platform/database/db.ts';
import { requireById } from '../../platform/http/own-rows.ts';
import { isId } from '../../platform/ids.ts';
import { claimUnleased } from '../claim/claim-store.ts';
import { type ClaimedMessage, toClaimed } from '../claim/claimed-message.ts';
import { type CancelledBy, cancellation } from '../record/outcome.ts';
import { type RecordDeps, recordResults, recordUnqueued } from '../record/record.ts';
import { type Attempted, untried } from '../record/result.ts';
import { appendOperatorEntries, type ByOperator } from './operator-entries.ts';
import { findQueued } from './queue-store.ts';
import { findPlace, findScheduled, makeDue, type Place } from './retry-cancel-store.ts';
import { readUnknownAsClaimed, takeUnknown } from './unknown-outcomes-store.ts';

export interface ByHandDeps extends DbAndClock {
  readonly hostname: string;
  readonly promiseOf: PromiseOf;
}

export type CancelDeps = Omit<ByHandDeps, 'promiseOf'>;

/**
 * Makes a deferred message due. `operator`: acts for the account. Throws not_found; conflict with the reason.
 */
export async function retryMessage(
  deps: ByHandDeps,
  tenantId: string,
  messageId: string,
  operator?: AuditSource,
): Promise<PresentedMessage> {
  const { db, clock } = deps;
  const now = clock.now();
  if (!isId(messageId)) throw await refusal(deps, tenantId, messageId, whyNotRetried);
  const moved = await db.transact(async (tx) => {
    const dueAt = await makeDue(tx, tenantId, messageId, now);
    if (dueAt === null) return false;
    await setNextAttempts(tx, [{ tenant_id: tenantId, message_id: messageId }], dueAt);
    if (operator !== undefined)
      await appendOperatorEntries(tx, { source: operator, at: now }, 'retry', [{ tenantId, messageId }]);
    return true;
  });
  if (!moved) throw await refusal(deps, tenantId, messageId, whyNotRetried);
  return present(deps, tenantId, messageId);
}

/**
 * Cancels an unleased message (docs/decisions/0012). It is claimed first, so that no worker can send it.
 * Throws not_found; conflict with the reason.
 */
export async function cancelMessage(
  deps: ByHandDeps,
  tenantId: string,
  messageId: string,
): Promise<PresentedMessage> {
  await cancel(deps, tenantId, messageId);
  return present(deps, tenantId, messageId);
}

/** As cancelMessage, for the operator and any account. Throws not_found, conflict. */
export async function cancelQueued(
  deps: CancelDeps,
  messageId: string,
  operator: AuditSource,
): Promise<void> {
  const message = isId(messageId) ? await findQueued(deps.db, messageId, null) : null;
  if (message === null) throw apiError('not_found', `No message has the id ${messageId}.`);
  await cancel(deps, message.tenant_id, messageId, operator);
}

/** `operator` undefined: the sender cancels. */
async function cancel(
  deps: CancelDeps,
  tenantId: string,
  messageId: string,
  operator?: AuditSource,
): Promise<void> {
  if (isId(messageId)) {
    const by = operator === undefined ? 'sender' : 'operator';
    const now = deps.clock.now();
    const recording = recordingFor(deps, operator === undefined ? null : { source: operator, at: now });
    const scheduled = await findScheduled(deps.db, tenantId, messageId);
    if (scheduled !== null) {
      const result = cancelled(toClaimed(scheduled), now, by);
      const take = (tx: Tx) => takeOffSchedule(tx, tenantId, messageId);
      // False: it has just fallen due.
      if (await recordUnqueued(recording, result, take)) return;
    }
    const row = await claimUnleased(deps.db, tenantId, messageId);
    if (row !== null) {
      const result = cancelled(toClaimed(row), now, by);
      if ((await recordResults(recording, [result])).get(messageId) === 'recorded') return;
    }
    if (operator !== undefined && (await cancelUnknown(deps, recording, tenantId, messageId))) return;
  }
  throw await refusal(deps, tenantId, messageId, whyNotCancelled);
}

/** Held after a restore: only the operator may cancel, because it may have been sent. */
async function cancelUnknown(
  { db, clock }: CancelDeps,
  recording: RecordDeps,
  tenantId: string,
  messageId: string,
): Promise<boolean> {
  const [row] = await readUnknownAsClaimed(db, { tenantId, messageId, destination: null }, null, 1);
  if (row === undefined) return false;
  const result = cancelled(toClaimed(row), clock.now(), 'operator');
  return recordUnqueued(recording, result, (tx) => takeUnknown(tx, tenantId, messageId));
}

/** Records the end, with an entry in the account's audit log. */
export function recordingFor(
  { db, hostname }: CancelDeps,
  operator: ByOperator | null,
  done: 'cancel' | 'bounce' = 'cancel',
): RecordDeps {
  if (operator === null) return { db, hostname };
  return {
    ...{ db, hostname },
    also: (tx, written) =>
      appendOperatorEntries(
        tx,
        operator,
        done,
        written.map(({ item }) => item),
      ),
  };
}

export function cancelled(item: ClaimedMessage, now: Date, by: CancelledBy): Attempted {
  return untried(item, now, { fact: { kind: 'cancelled', by }, decision: cancellation(by) });
}

async function present(
  { db, promiseOf }: ByHandDeps,
  tenantId: string,
  messageId: string,
): Promise<PresentedMessage> {
  return presentMessage(await requireById(db, tenantId, messageId, findMessage), promiseOf);
}

/** Read after the refusal: it may be newer than the cause, but it is true. */
async function refusal(
  { db }: Pick<ByHandDeps, 'db'>,
  tenantId: string,
  messageId: string,
  whyNot: (place: Place) => string,
): Promise<Error> {
  const place = isId(messageId) ? await db.transact((tx) => findPlace(tx, tenantId, messageId)) : null;
  return place === null ? apiError('not_found') : apiError('conflict', whyNot(place));
}

const BEING_TRIED = 'The message is being handed over right now: try again when this attempt has ended.';

const UNKNOWN =
  'Nobody knows whether the message was sent before the database was restored: the operator decides what happens to it.';

function whyNotRetried(place: Place): string {
  if (place.unknown) return UNKNOWN;
  if (place.status === 'scheduled')
    return 'The message is scheduled: to send it now, PATCH it with {"send_at": null}.';
  if (place.status !== 'deferred' && place.status !== 'queued')
    return `The message is ${place.status}: there is nothing to retry.`;
  if (place.leased) return BEING_TRIED;
  if (place.paused) return 'The operator has paused this mail: it continues when the operator resumes it.';
  if (place.status === 'queued') return 'The message has not been tried yet and is already due.';
  return 'The state of the message has just changed: try again.';
}

function whyNotCancelled(place: Place): string {
  if (place.unknown) return UNKNOWN;
  if (place.status === 'sent' || place.status === 'complained')
    return `The message is ${place.status}: the recipient's server has it.`;
  if (place.status === 'bounced' || place.status === 'cancelled')
    return `The message is already ${place.status}: there is nothing to cancel.`;
  if (place.leased) return BEING_TRIED;
  return 'The state of the message has just changed: try again.';
}

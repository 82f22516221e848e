import { apiError } from '../errors.ts';
import { plainArray } from '../platform/database/array-text.ts';
import type { Db, DbAndClock, Tx } from '../platform/database/db.ts';
import { createReach, type Reach } from '../platform/database/reach.ts';
import { every } from '../platform/every.ts';
import { requireById } from '../platform/http/own-rows.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/logger.ts';
import { appendEvents } from '../webhooks/append.ts';
import type { WebhookHandover } from '../webhooks/handover.ts';
import { inBoth, STEPS } from '../wording.ts';
import { queuedEvent } from './commit.ts';
import { DELIVERY_LIFETIME_MS } from './prepare.ts';
import type { Enqueue } from './prepared.ts';
import { type PresentedMessage, type PromiseOf, presentMessage } from './present.ts';
import { findMessage, type MessageRow } from './read-store.ts';
import {
  allTenantsOfNodes,
  type FallenDue,
  moveScheduled,
  takeDue,
  takeNow,
  tenantsWithDueSchedule,
} from './schedule-store.ts';
import { scheduleOf } from './send-at.ts';

/**
 * Scheduled messages (docs/decisions/0020). One transaction queues a due message and appends `email.queued`.
 */
interface ScheduleDeps extends DbAndClock {
  readonly enqueue: Enqueue;
  readonly webhooks?: WebhookHandover | null;
}

/** Per transaction and account. */
const TURN_MESSAGES = 500;
const TURN_TENANTS = 200;
/** Longest delay (ms). */
const LOOK_EVERY_MS = 1_000;

interface SchedulerDeps extends ScheduleDeps {
  readonly log: Log;
  onQueued(): void;
}

/** Any number of processes may run it. */
export function createScheduler(deps: SchedulerDeps): { start(): void; stop(): Promise<void> } {
  const { log } = deps;
  const reach = createReach(deps);
  let stopping = false;
  const looks = every(LOOK_EVERY_MS, () => queueDue({ ...deps, reach }, () => !stopping), {
    onError: (error) => log.error({ err: error }, 'due messages could not be queued; trying again'),
  });
  return {
    start: looks.start,
    async stop() {
      stopping = true;
      await looks.stop();
    },
  };
}

const EVERYWHERE: Reach = { look: (look) => look(null, null) };

/** Accounts take turns. */
export async function queueDue(
  deps: ScheduleDeps & Partial<Pick<SchedulerDeps, 'log' | 'onQueued'>> & { readonly reach?: Reach },
  mayGoOn: () => boolean = () => true,
): Promise<number> {
  const { db, clock, log, onQueued } = deps;
  const failed = new Set<string>();
  for (let total = 0; ; ) {
    const now = clock.now();
    const due = await (deps.reach ?? EVERYWHERE).look(async (among) =>
      among === null
        ? tenantsWithDueSchedule(db, now, TURN_TENANTS, await db.distributed())
        : allTenantsOfNodes(db, now, TURN_TENANTS, among),
    );
    const turns = due.filter((tenantId) => !failed.has(tenantId));
    let queued = 0;
    for (const tenantId of turns) {
      if (!mayGoOn()) break;
      try {
        queued += await db.transact((tx) => queueTurn(tx, deps, tenantId));
      } catch (error) {
        // Retried by the next scan.
        failed.add(tenantId);
        log?.error({ err: error, tenantId }, 'due messages of an account could not be queued; trying again');
      }
    }
    total += queued;
    if (queued > 0) onQueued?.();
    if (queued === 0) return total;
  }
}

async function queueTurn(tx: Tx, deps: ScheduleDeps, tenantId: string): Promise<number> {
  const now = deps.clock.now();
  const due = await takeDue(tx, tenantId, now, TURN_MESSAGES);
  if (due.length > 0) await putInLine(tx, deps, tenantId, due, now);
  return due.length;
}

async function putInLine(
  tx: Tx,
  { enqueue, webhooks }: ScheduleDeps,
  tenantId: string,
  due: readonly FallenDue[],
  now: Date,
): Promise<void> {
  const columns = {
    tenants: plainArray(due.map(() => tenantId)),
    messages: plainArray(due.map((message) => message.message_id)),
    created: plainArray(due.map(() => now.toISOString())),
  };
  const waits = due.map((message) => ({
    destination: message.recipient_address.slice(message.recipient_address.lastIndexOf('@') + 1),
    expiresAt: new Date(message.send_at.getTime() + DELIVERY_LIFETIME_MS),
  }));
  enqueue(tx, columns, waits);
  await appendEvents(
    tx,
    due.map(({ message_id: messageId, header_from: headerFrom, header_to: recipient, ...message }) =>
      queuedEvent(
        { tenantId, messageId, headerFrom, recipient, ...message },
        { eventId: newId(now.getTime()), queuedAt: now },
      ),
    ),
    webhooks,
  );
}

export interface MoveDeps extends ScheduleDeps {
  readonly promiseOf: PromiseOf;
}

/** Null or past: queued at once. Throws not_found, send_at_out_of_range; conflict if not scheduled. */
export async function moveMessage(
  deps: MoveDeps,
  tenantId: string,
  messageId: string,
  sendAt: Date | null,
): Promise<PresentedMessage> {
  const { db, clock, promiseOf } = deps;
  const message = await requireMessage(db, tenantId, messageId);
  if (message.status !== 'scheduled') throw notScheduled(message);
  const now = clock.now();
  const moved = sendAt === null ? null : scheduleOf(sendAt, now, message.created_at);
  const done = await db.transact(async (tx) => {
    if (moved !== null) return moveScheduled(tx, tenantId, messageId, moved);
    const taken = await takeNow(tx, tenantId, messageId, now);
    if (taken !== null) await putInLine(tx, deps, tenantId, [taken], now);
    return taken !== null;
  });
  const after = await requireMessage(db, tenantId, messageId);
  if (!done) throw notScheduled(after);
  return presentMessage(after, promiseOf);
}

function requireMessage(db: Db, tenantId: string, messageId: string) {
  return requireById(db, tenantId, messageId, findMessage);
}

function notScheduled({ message_id: id, status }: MessageRow): Error {
  const fix =
    status === 'queued' || status === 'deferred'
      ? inBoth` Its delivery has begun: ${STEPS.cancelMessage(id)} may still stop it.`
      : '';
  return apiError('conflict', inBoth`The message is ${status}: only a scheduled message can be moved.${fix}`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { type KeptMessage, listKept, listMails } from './chaos-store.ts';
import { FAULTS, type Fault, type FaultName, type World } from './faults.ts';
import { type Load, startLoad, type Taken } from './load.ts';

/**
 * `acuse chaos`: breaks a set-up in one way after the other while clients send, and counts the outcome.
 * Every fault ends by itself, and is undone when this process ends (guard.ts).
 */
interface ChaosOptions {
  readonly faults: readonly FaultName[];
  readonly ms: number;
  readonly key: string;
  readonly tenantId: string;
  /** Begins every idempotency key of the run. */
  readonly run: string;
}

export type Row =
  | ({ readonly fault: FaultName } & Taken)
  | { readonly fault: FaultName; readonly refused: string };

export interface Outcome {
  readonly rows: readonly Row[];
  readonly accepted: number;
  /** Never answered 2xx within the run. */
  readonly unanswered: number;
  /** Answered 2xx, but not in the database, or never sent. */
  readonly lost: readonly string[];
  /** One key, several messages. */
  readonly twice: readonly string[];
  /** One message that the receiving server has more than once, without having deferred it. */
  readonly sentAgain: readonly string[];
}

/**
 * A server that had taken a message when the service was killed gets it again: its answer was recorded
 * nowhere. RFC 5321 §4.5.3.2.6
 */
export function isHeld({ rows, lost, twice, sentAgain }: Outcome): boolean {
  const wasKilled = rows.some((row) => row.fault === 'kill' && !('refused' in row));
  return lost.length === 0 && twice.length === 0 && (wasKilled || sentAgain.length === 0);
}

/** Before and after each fault (ms). */
const CALM_MS = 3_000;
const ACCEPTED_WITHIN_MS = 60_000;
const SENT_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 500;
const MAILS_PAGE = 500;

export async function breakOneByOne(
  world: World,
  options: ChaosOptions,
  onRow: (row: Row) => void,
  stop: AbortSignal,
): Promise<{ rows: Row[]; load: Load }> {
  const rows: Row[] = [];
  const { service } = world;
  const load = startLoad({ url: () => service.url, key: options.key, run: options.run });
  for (const name of options.faults) {
    if (stop.aborted) break;
    const fault: Fault = FAULTS[name];
    const refused = fault.why(world);
    if (refused === null) {
      await calm(stop);
      load.take();
      await fault.run(world, options.ms, stop);
      await calm(stop);
    }
    const row = refused === null ? { fault: name, ...load.take() } : { fault: name, refused };
    rows.push(row);
    onRow(row);
  }
  await load.stop(ACCEPTED_WITHIN_MS);
  return { rows, load };
}

const calm = (signal: AbortSignal) => sleep(CALM_MS, undefined, { signal }).catch(() => {});

/** Waits until all is sent. */
export async function count(
  db: Db,
  { tenantId, run }: ChaosOptions,
  { rows, load }: { readonly rows: readonly Row[]; readonly load: Load },
): Promise<Outcome> {
  const mails = new Map<string, number>();
  let after = FIRST_ID;
  for (const untilMs = performance.now() + SENT_WITHIN_MS; ; ) {
    for (let page = MAILS_PAGE; page === MAILS_PAGE; ) {
      const found = await listMails(db, after, MAILS_PAGE);
      page = found.length;
      after = found.at(-1)?.mail_id ?? after;
      for (const { reverse_path } of found) mails.set(reverse_path, (mails.get(reverse_path) ?? 0) + 1);
    }
    const kept = await listKept(db, tenantId, run);
    if (kept.every(({ status }) => status === 'sent') || performance.now() > untilMs)
      return judge(rows, load, kept, mails);
    await sleep(LOOK_EVERY_MS);
  }
}

export function judge(
  rows: readonly Row[],
  { accepted, open }: Pick<Load, 'accepted' | 'open'>,
  kept: readonly KeptMessage[],
  mails: ReadonlyMap<string, number>,
): Outcome {
  const found = new Map<string, KeptMessage[]>();
  for (const message of kept)
    found.set(message.idempotency_key, [...(found.get(message.idempotency_key) ?? []), message]);
  const lost = [...accepted].filter((key) => !found.get(key)?.some(({ status }) => status === 'sent'));
  const sentAgain = kept
    .filter(({ reverse_path, was_deferred }) => !was_deferred && (mails.get(reverse_path) ?? 0) > 1)
    .map(({ idempotency_key }) => idempotency_key);
  return {
    rows,
    accepted: accepted.size,
    unanswered: open.size,
    lost,
    twice: [...found].filter(([, messages]) => messages.length > 1).map(([key]) => key),
    sentAgain,
  };
}

import { createThread } from '../../platform/threads/one-thread.ts';
import { findProgram } from '../../platform/threads/program.ts';
import { createBudget, type Limits } from './budget.ts';
import { ATTACKS, type Door, type Means } from './doors.ts';
import { ask } from './fresh-request.ts';
import { knownClientJob, type Mail, type Seen } from './known-client.ts';
import type { Tally } from './tally.ts';

export interface Row {
  readonly door: Door;
  /** Measurements of a known client before, during and after; null: the door could not be attacked. */
  readonly seen: { readonly before: Seen; readonly during: Seen; readonly after: Seen } | null;
  readonly got: Tally;
}

/** Time watched before and after an attack, as a share of its own. */
const AROUND = 0.3;
const HEAP_MIB = 128;

/**
 * Attacks one door after the other, and watches how the service answers a client with a valid key and the
 * health check meanwhile. Ends by itself. Null: the key is not valid there.
 */
export async function attack(
  means: Means & { readonly mail: Mail | null },
  doors: readonly Door[],
  limits: Limits,
  stop: AbortSignal,
): Promise<Row[] | null> {
  const { url } = means.target;
  // A text that no header can carry is not a key.
  if (!/^[\x21-\x7e]+$/.test(means.key)) return null;
  const known = await ask(url, { path: '/v1/account', headers: { authorization: `Bearer ${means.key}` } });
  if (known.status !== 200) return null;
  const budgetFor = createBudget(limits, stop);
  const thread = createThread({ program: () => findProgram('acuse-thread'), heapMib: HEAP_MIB });
  const watched = (ms: number) =>
    thread.run(knownClientJob, { url: url.href, key: means.key, mail: means.mail, ms }, []);
  const end = () => void thread.end();
  stop.addEventListener('abort', end, { once: true });
  const rows: Row[] = [];
  try {
    for (const door of doors) {
      if (stop.aborted) break;
      rows.push(await attackOne(door));
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener('abort', end);
    await thread.end();
  }
  return rows;

  async function attackOne(door: Door): Promise<Row> {
    const ms = limits.seconds * 1_000;
    const before = await watched(ms * AROUND);
    const attacking = ATTACKS[door](means, budgetFor(ms));
    if (attacking === null) return { door, seen: null, got: {} };
    const [got, during] = await Promise.all([attacking, watched(ms)]);
    return { door, seen: { before, during, after: await watched(ms * AROUND) }, got };
  }
}

/** The worst that a known client may see: docs/threats.md. */
const P99_MAX_MS = 1_000;
const HEALTH_MAX_MS = 100;

/** In words; none: the door held. */
export function shortcomings({ seen }: Row): string[] {
  if (seen === null) return [];
  const { during } = seen;
  return [
    ...(during.answered < during.asked
      ? [`${during.asked - during.answered} requests of a known client failed`]
      : []),
    ...(during.p99Ms > P99_MAX_MS ? [`its p99 was over ${P99_MAX_MS} ms`] : []),
    ...(during.health.answered < during.health.asked ? ['health checks failed'] : []),
    ...(during.health.p99Ms > HEALTH_MAX_MS ? [`the p99 of health checks was over ${HEALTH_MAX_MS} ms`] : []),
  ];
}

import { hasMore, type QueueGroup, sumQueue } from '../../delivery/operate/queue-store.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Due mail is taken within seconds: longer means no or too few processes. */
const DUE_MAX_MS = 10 * 60_000;

export const queue: Group = async ({ db, clock }) => {
  if (db === null) return [];
  const now = clock.now();
  return [judgeQueue(await sumQueue(db, { tenantId: null, destination: null }, now), now)];
};

export function judgeQueue(sum: QueueGroup | null, now: Date): Finding {
  const place = ['queue', 'delivery'] as const;
  if (sum === null) return ok(...place, 'Nothing waits.');
  const { due, held, waiting, next_at } = sum;
  const more = hasMore(sum) ? ' There may be more.' : '';
  const counts = `${due} due, ${held} in delivery, ${waiting} waiting for their next attempt.${more}`;
  const lateMs = due === 0 ? 0 : now.getTime() - next_at.getTime();
  if (lateMs <= DUE_MAX_MS) return ok(...place, counts);
  const late = `${counts} The first has been due for ${Math.round(lateMs / 60_000)} min.`;
  const fix =
    held === 0
      ? 'start a process with the role delivery; acuse queue list shows what is paused'
      : 'acuse queue list shows what is waiting, and for which destination; more processes with the role delivery send more';
  return fault(held === 0 ? 'problem' : 'warning', place, late, fix);
}

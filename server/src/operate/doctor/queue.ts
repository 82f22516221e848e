import { knownSources } from '../../delivery/next-hop/source-pools.ts';
import { presentCap, type ShownCap, showCaps } from '../../delivery/operate/caps.ts';
import { hasMore, type QueueGroup, sumQueue } from '../../delivery/operate/queue-store.ts';
import { scopeText } from '../../delivery/operate/why-waiting.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Due mail is taken within seconds: longer means no or too few processes. */
const DUE_MAX_MS = 10 * 60_000;

export const queue: Group = async ({ db, clock, config }) => {
  if (db === null) return [];
  const now = clock.now();
  const waits = judgeQueue(await sumQueue(db, { tenantId: null, destination: null }, now), now);
  const caps = (await showCaps({ db, clock })).map((shown) => judgeCap(shown, knownSources(config), now));
  return [waits, ...caps];
};

function judgeCap(shown: ShownCap, known: ReturnType<typeof knownSources>, now: Date): Finding {
  const { cap, counts } = shown;
  const place = ['queue.cap', scopeText(cap)] as const;
  const back = `acuse queue uncap ${cap.cap_id}`;
  if (cap.source_pool !== null && !known.pools.has(cap.source_pool))
    return fault(
      'warning',
      place,
      `ACUSE_SOURCE_POOLS has no pool ${cap.source_pool}: it caps nothing.`,
      back,
    );
  if (cap.source !== null && !known.names.has(cap.source))
    return fault('warning', place, `No address here has the EHLO name ${cap.source}: it caps nothing.`, back);
  const states = presentCap(shown, now).counts.map(({ state }) => state);
  const stopped = states.filter((state) => state === 'stopped').length;
  if (stopped > 0)
    return fault(
      'warning',
      place,
      `Stopped for today at ${stopped} of ${counts.length} receivers: they turned too much away.`,
      'acuse queue caps shows where, acuse queue show --destination <domain> what they said',
    );
  if (cap.warms_up && counts.length > 0 && states.every((state) => state === 'over'))
    return fault('advice', place, 'The warm-up is over at every receiver that had mail.', back);
  const full = states.filter((state) => state === 'full').length;
  return ok(...place, full === 0 ? 'Has room.' : `Used up for now in ${full} of ${counts.length} counts.`);
}

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

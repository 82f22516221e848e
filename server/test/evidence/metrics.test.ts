import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSealingMetrics } from '../../src/evidence/metrics.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type AgingTsa, DAY_MS, PastClock, startAgingTsa } from './aging.ts';
import { openSealingWorld, renewAll, sealAll } from './seal-all.ts';
import { addMessages, quietLog, type World } from './support.ts';

/** The first signer lasts so long; its successor twice that. */
const SIGNER_DAYS = 100;

let clock: PastClock;
let world: World;
let tsa: AgingTsa;
let tenantId: string;

beforeAll(async () => {
  clock = new PastClock(400);
  ({ world, tsa, tenantId } = await openSealingWorld(startAgingTsa(clock, SIGNER_DAYS), clock));
});
afterAll(() => world.close());

/** The content of a scrape of a new process; what it says in seconds, in days. */
async function scrape() {
  const metrics = createMetrics({ log: quietLog, process: false });
  addSealingMetrics(metrics, { development: false, ...world, logId: world.log.logId });
  const text = await metrics.text();
  const value = (name: string, label = '') => {
    const line = text.split('\n').find((each) => each.startsWith(`${name}${label} `));
    return line === undefined
      ? undefined
      : Number(line.slice(line.lastIndexOf(' ')).replace('+Inf', 'Infinity'));
  };
  const days = (name: string, label?: string) => Math.round((value(name, label)! * 1_000) / DAY_MS);
  const authority = `{authority="${tsa.policy.name}"}`;
  return {
    failures: value('acuse_authority_failures', authority),
    chainEnds: days('acuse_authority_chain_ends_seconds', authority),
    firstEnd: days('acuse_constancia_first_end_seconds'),
  };
}

it('the ends of certificates are watched: of what an authority seals with, and of what constancias rest on', async () => {
  expect(await scrape()).toEqual({
    failures: undefined,
    chainEnds: Number.NaN,
    firstEnd: Number.POSITIVE_INFINITY,
  });

  await addMessages(world.db, world.log, tenantId, 1, clock.now());
  await sealAll(world, tsa);
  expect(await scrape()).toEqual({ failures: 0, chainEnds: 100, firstEnd: 100 });

  clock.forward(60);
  expect(await scrape()).toEqual({ failures: 0, chainEnds: 40, firstEnd: 40 });

  tsa.behave((answer) => answer.writeHead(503).end());
  await renewAll(world, tsa);
  expect(await scrape()).toEqual({ failures: 1, chainEnds: 40, firstEnd: 40 });

  tsa.renewSigner(2 * SIGNER_DAYS);
  tsa.behave((answer, respondTo, request) => answer.end(respondTo(request)));
  clock.forward(1);
  expect(await renewAll(world, tsa)).toMatchObject({ renewed: 1 });
  expect(await scrape()).toEqual({ failures: 0, chainEnds: 199, firstEnd: 199 });

  // Nobody renewed: too late.
  clock.forward(300);
  expect(await scrape()).toEqual({ failures: 0, chainEnds: -101, firstEnd: -101 });
});

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTenantScans } from '../../src/delivery/claim/claim-turns.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { createBacklog } from '../../src/platform/queue/backlog.ts';
import { type Harness, log, openHarness } from './harness.ts';

/** One look serves many claims: as long as those whom it found have more, and not for long. */

let h: Harness;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** Scans for which only so much time passes as the test says. */
function scansOf() {
  let made = 0;
  let ms = 0;
  const db: Db = {
    ...h.db,
    observe(work) {
      made++;
      return h.db.observe(work);
    },
  };
  const clock = { now: () => new Date(), monotonicMs: () => ms };
  const backlog = createBacklog();
  const scans = createTenantScans({ db, clock, log, backlog, wake() {} });
  return {
    scans,
    backlog,
    due: async () => [...(await scans.due())].sort(),
    drained: (tenantId: string) => scans.drained(tenantId, backlog.moment()),
    pass(more: number) {
      ms += more;
    },
    made: () => made,
  };
}

const due = () => ({ createdAt: new Date(Date.now() - 1_000) });

test('whoever has more keeps their turn without another look, until it was all claimed', async () => {
  const [one, other] = [await h.tenant(), await h.tenant()];
  for (const tenantId of [one, other]) await h.queue(tenantId, due());
  const scans = scansOf();
  expect(await scans.due()).toEqual([one, other].sort());
  expect(await scans.due()).toEqual([one, other].sort());
  scans.drained(one);
  expect(await scans.due()).toEqual([other]);
  expect(scans.made()).toBe(1);
  scans.drained(other);
  scans.pass(20);
  expect(await scans.due()).toEqual([one, other].sort());
  expect(scans.made()).toBe(2);
});

test('looks are 20 ms apart, and 100 ms where the last found nothing and nothing is expected', async () => {
  const scans = scansOf();
  const madeAfter = async (ms: number) => {
    scans.pass(ms);
    expect(await scans.due()).toEqual([]);
    return scans.made();
  };
  expect(await madeAfter(0)).toBe(1);
  expect(await madeAfter(99)).toBe(1);
  expect(await madeAfter(1)).toBe(2);
  scans.scans.expect();
  expect(await madeAfter(19)).toBe(2);
  expect(await madeAfter(1)).toBe(3);
});

test('somebody who comes new is found after 100 ms at most, although another has more', async () => {
  const flooding = await h.tenant();
  await h.queue(flooding, due());
  const scans = scansOf();
  expect(await scans.due()).toEqual([flooding]);
  const late = await h.tenant();
  await h.queue(late, due());
  scans.pass(99);
  expect(await scans.due()).toEqual([flooding]);
  scans.pass(1);
  expect(await scans.due()).toEqual([flooding, late].sort());
  expect(scans.made()).toBe(2);
});

test('whose mail is put in line by this process has a turn at once, and is in line', async () => {
  const flooding = await h.tenant();
  await h.queue(flooding, due());
  const { scans, backlog, ...rest } = scansOf();
  expect(await rest.due()).toEqual([flooding]);
  const own = await h.tenant();
  expect(backlog.has(own)).toBe(false);
  const seen = backlog.put(new Set([own]));
  expect(backlog.has(own)).toBe(true);
  // A claim that began before the commit says nothing.
  const early = backlog.moment();
  seen(true);
  scans.add(own);
  scans.drained(own, early);
  expect(backlog.has(own)).toBe(true);
  scans.add(own);
  expect(await rest.due()).toEqual([flooding, own].sort());
  expect(rest.made()).toBe(1);
  rest.drained(own);
  expect(backlog.has(own)).toBe(false);
  expect(await rest.due()).toEqual([flooding]);
});

test('what is put in line while a look is under way is not forgotten by it', async () => {
  const { scans, due: dueNow, made } = scansOf();
  const under = scans.due();
  const own = await h.tenant();
  scans.add(own);
  expect(await under).toEqual([]);
  expect(await dueNow()).toEqual([own]);
  expect(made()).toBe(1);
});

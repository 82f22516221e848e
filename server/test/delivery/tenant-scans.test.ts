import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTenantScans, type TenantScans } from '../../src/delivery/claim/tenant-scans.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { type Harness, log, NO_PAUSES, openHarness } from './harness.ts';

/** One look serves many claims: as long as those whom it found have more, and not for long. */

let h: Harness;

beforeAll(async () => {
  h = await openHarness();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** TenantScans of an idle worker, for which only so much time passes as the test says. */
function looksOf(): { looks: TenantScans; pass(ms: number): void; made(): number } {
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
  return {
    looks: createTenantScans({ db, clock, log, pauses: NO_PAUSES, isIdle: () => true }),
    pass(more) {
      ms += more;
    },
    made: () => made,
  };
}

const due = () => ({ createdAt: new Date(Date.now() - 1_000) });

test('whoever has more keeps their turn without another look, until it was all claimed', async () => {
  const [one, other] = [await h.tenant(), await h.tenant()];
  for (const tenantId of [one, other]) await h.queue(tenantId, due());
  const { looks, made } = looksOf();
  expect((await looks.tenants()).sort()).toEqual([one, other].sort());
  expect((await looks.tenants()).sort()).toEqual([one, other].sort());
  looks.drained(one);
  expect(await looks.tenants()).toEqual([other]);
  expect(made()).toBe(1);
  looks.drained(other);
  expect((await looks.tenants()).sort()).toEqual([one, other].sort());
  expect(made()).toBe(2);
});

test('somebody who comes new is found after 100 ms at most, although another has more', async () => {
  const flooding = await h.tenant();
  await h.queue(flooding, due());
  const { looks, pass, made } = looksOf();
  expect(await looks.tenants()).toEqual([flooding]);
  const late = await h.tenant();
  await h.queue(late, due());
  pass(99);
  expect(await looks.tenants()).toEqual([flooding]);
  pass(1);
  expect((await looks.tenants()).sort()).toEqual([flooding, late].sort());
  expect(made()).toBe(2);
});

test('whose mail is put in line by this process has a turn at once, and is in line', async () => {
  const flooding = await h.tenant();
  await h.queue(flooding, due());
  const { looks, made } = looksOf();
  expect(await looks.tenants()).toEqual([flooding]);
  const own = await h.tenant();
  expect(looks.isInLine(own)).toBe(false);
  looks.noteWaits(own);
  expect((await looks.tenants()).sort()).toEqual([flooding, own].sort());
  expect(looks.isInLine(own)).toBe(true);
  expect(made()).toBe(1);
  looks.drained(own);
  expect(looks.isInLine(own)).toBe(false);
  expect(await looks.tenants()).toEqual([flooding]);
});

test('what is put in line while a look is under way is not forgotten by it', async () => {
  const { looks, made } = looksOf();
  const under = looks.tenants();
  const own = await h.tenant();
  looks.noteWaits(own);
  expect(await under).toEqual([]);
  expect(await looks.tenants()).toEqual([own]);
  expect(made()).toBe(1);
});

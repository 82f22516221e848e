import { verifyEntries } from '@acuse/evidence/verify';
import { eventually, PATIENCE_MS } from '@acuse/testkit/eventually';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEvidence } from '../../src/evidence/bundle/evidence.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { isWorthwhile, type RenewalRound } from '../../src/evidence/renewal/renew.ts';
import { createRenewals } from '../../src/evidence/renewal/renewals.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { type AgingTsa, DAY_MS, firstFailure, PastClock, sayings, startAgingTsa } from './aging.ts';
import { openSealingWorld, renewAll, sealAll } from './seal-all.ts';
import {
  addMessages,
  addTenant,
  authoritiesOf,
  quietLog,
  sealerOf,
  secrets,
  type TestMessage,
  type World,
} from './support.ts';

/** The first signer lasts a hundred days; constancias are renewed ninety days before a certificate ends. */
let clock: PastClock;
let world: World;
let tsa: AgingTsa;
let tenantId: string;
let message: TestMessage;

beforeEach(async () => {
  clock = new PastClock(400);
  ({ world, tsa, tenantId } = await openSealingWorld(startAgingTsa(clock, 100), clock));
  message = (await addMessages(world.db, world.log, tenantId, 1, clock.now()))[0]!;
  await sealAll(world, tsa);
});
afterEach(() => world.close());

const renew = (by: AgingTsa | Sealer = tsa): Promise<RenewalRound> => renewAll(world, by);

const bundleOf = async (of: TestMessage = message, tenant = tenantId) =>
  (await readProofBundle(world, tenant, of.messageId)).bundle;

const rows = () =>
  world.db.query<{ tree_size: number; ordinal: number; sums: string; renewal_stamp_id: string }>(
    'select * from renewals order by tree_size, ordinal',
  );

/** One more batch of one message, of a tenant. */
async function anotherBatch(tenant = tenantId): Promise<TestMessage> {
  const [made] = await addMessages(world.db, world.log, tenant, 1, clock.now());
  await sealAll(world, tsa);
  return made!;
}

describe('a constancia', () => {
  it('is left alone while its chain lasts', async () => {
    const before = tsa.requests();
    clock.forward(9);
    expect(await renew()).toMatchObject({ renewed: 0, postponed: 0 });
    expect(tsa.requests()).toBe(before);
  });

  it('is renewed before its chain ends, and verifies long after it has', async () => {
    clock.forward(50);
    tsa.renewSigner(600);
    expect(await renew()).toMatchObject({ renewed: 1, postponed: 0, reasons: [] });
    expect(await renew()).toMatchObject({ renewed: 0 });
    // To this day: its own signer's certificate ended 300 days ago.
    clock.forward(350);
    const bundle = await bundleOf();
    const { valid, facts, checks } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect(valid).toBe(true);
    expect(checks.map(({ name }) => name)).toContain('renewal.01');
    expect(Date.parse(facts.sealed_at!)).toBeLessThan(Date.now() - 399 * DAY_MS);
    expect((await fsck(world)).problems).toEqual([]);
    expect(firstFailure(bundle)).toBeNull();
    const today = await verifyEntries(bundle, { sha256, now: new Date(), at: new Date() });
    const evidence = await readEvidence(world, tenantId, message.messageId);
    const { renewed_at: gen_time, covered_until } = today.facts;
    expect(evidence).toMatchObject({ covered_until, renewals: [{ kind: 'renewal', gen_time }] });
    expect([today.valid, today.facts.renewed_at, today.facts.covered_until]).toEqual([
      true,
      expect.any(String),
      expect.any(String),
    ]);
  });

  it('that was not renewed is not believed today, by nobody', async () => {
    clock.forward(400);
    const bundle = await bundleOf();
    // The earlier proof stays, which VERIFY.md says beside it.
    expect(firstFailure(bundle)).toBeNull();
    expect(sayings(bundle)).toMatch(/^does not hold today$/m);
    expect(sayings(bundle)).toContain('certificate has expired');
    const { checks, valid } = await verifyEntries(bundle, { sha256, now: new Date(), at: new Date() });
    expect(valid).toBe(false);
    expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toContain('timestamp.validity_at');
    // Unasked, it still says what was true when it was made, and until when it was covered.
    const then = await verifyEntries(bundle, { sha256, now: new Date() });
    expect([then.valid, Date.parse(then.facts.covered_until!) < Date.now()]).toEqual([true, true]);
  });

  it('is renewed again and again, each renewal covering all before', async () => {
    for (let i = 0; i < 3; i++) {
      clock.forward(50);
      tsa.renewSigner(100);
      expect(await renew()).toMatchObject({ renewed: 1 });
    }
    expect((await rows()).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3]);
    const { valid, checks } = await verifyEntries(await bundleOf(), { sha256, now: new Date() });
    expect([valid, checks.map(({ name }) => name)]).toEqual([true, expect.arrayContaining(['renewal.03'])]);
    expect((await fsck(world)).problems).toEqual([]);
  });

  it('cannot be renewed once its chain has ended', async () => {
    clock.forward(101);
    tsa.renewSigner(600);
    const round = await renew();
    expect(round).toMatchObject({ renewed: 0, postponed: 1 });
    expect(round.reasons[0]).toMatch(/batch 1: .*validity_at/);
    expect(await rows()).toEqual([]);
  });

  it('that does not hold is not renewed, and stops no other', async () => {
    await anotherBatch();
    await world.db.execute(
      'update certificates set token = substring(token from 1 for length(token) - 1) where tree_size = 1',
    );
    clock.forward(50);
    tsa.renewSigner(600);
    expect(await renew()).toMatchObject({
      renewed: 1,
      postponed: 1,
      reasons: [expect.stringMatching(/batch 1: /)],
    });
    expect((await rows()).map(({ tree_size }) => tree_size)).toEqual([2]);
  });

  it('whose end was not worked out yet is looked at', async () => {
    await world.db.execute("update certificates set covered_until = '-infinity'");
    expect(await renew()).toMatchObject({ renewed: 0, notDue: 1 });
    const [row] = await world.db.query<{ covered_until: Date }>('select covered_until from certificates');
    expect(row!.covered_until.getTime()).toBeGreaterThan(clock.now().getTime() + 99 * DAY_MS);
  });
});

describe('many batches', () => {
  it('are renewed by one time-stamp, each with its own proof, for a price that their tenants share', async () => {
    const other = await addTenant(world.db);
    const second = await anotherBatch();
    const third = await anotherBatch(other);
    clock.forward(50);
    tsa.renewSigner(600);
    const before = tsa.requests();
    expect(await renew(sealerOf(tsa, { priceMicros: 100 }))).toMatchObject({ renewed: 3 });
    expect(tsa.requests()).toBe(before + 1);
    expect(new Set((await rows()).map((row) => row.renewal_stamp_id)).size).toBe(1);
    clock.forward(350);
    for (const [each, tenant] of [
      [message, tenantId],
      [second, tenantId],
      [third, other],
    ] as const) {
      const bundle = await bundleOf(each, tenant);
      expect(bundle.has('renewal/01.list')).toBe(true);
      expect((await verifyEntries(bundle, { sha256, now: new Date() })).valid).toBe(true);
    }
    expect(firstFailure(await bundleOf(second))).toBeNull();
    const costs = await world.db.query<{ tenant_id: string; items: number; cost_micros: number }>(
      "select tenant_id, items, cost_micros from sealing_costs where kind = 'renewal' order by items",
    );
    expect(costs).toEqual([
      { tenant_id: other, items: 1, cost_micros: 33 },
      { tenant_id: tenantId, items: 2, cost_micros: 67 },
    ]);
    expect((await fsck(world)).problems).toEqual([]);
  });

  it('are renewed once, by however many processes', async () => {
    for (let i = 0; i < 4; i++) await anotherBatch();
    clock.forward(50);
    tsa.renewSigner(600);
    const rounds = await Promise.all(Array.from({ length: 4 }, () => renew()));
    expect(rounds.reduce((sum, { renewed }) => sum + renewed, 0)).toBe(5);
    expect((await rows()).map(({ ordinal }) => ordinal)).toEqual([1, 1, 1, 1, 1]);
    expect((await fsck(world)).problems).toEqual([]);
  });
});

it('is renewed when that wins a month, or as much as is left where no more is to be had', () => {
  const at = (days: number) => new Date(days * DAY_MS);
  const cases: [left: number, won: number, worth: boolean][] = [
    [89, 30, true],
    [89, 29, false],
    [29, 29, true],
    [1, 1, true],
    [1, 0.9, false],
    [0.1, 0, false],
    [10, -400, false],
    [0, 0.1, true],
  ];
  for (const [left, won, worth] of cases)
    expect(isWorthwhile(at(left), at(left + won), at(0)), `${left} left, ${won} won`).toBe(worth);
});

it('is renewed by the sealing role when its time comes, with nobody telling it to', async () => {
  const authorities = authoritiesOf(world, tsa);
  const deps = { ...world, log: quietLog, secrets, authorities, renewBeforeMs: 90 * DAY_MS };
  const renewals = createRenewals({ ...deps, lookEveryMs: 20 });
  renewals.start();
  // Time for some looks at what is not due yet: whenever they come, they do nothing.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await rows()).toEqual([]);
  tsa.renewSigner(600);
  clock.forward(11);
  await eventually(async () => (await rows()).length > 0);
  await renewals.stop();
  expect((await rows()).map(({ ordinal }) => ordinal)).toEqual([1]);
});

describe('an authority', () => {
  it('that is down costs nothing but time', async () => {
    clock.forward(50);
    tsa.renewSigner(600);
    tsa.behave((answer) => answer.writeHead(500).end());
    expect(await renew()).toMatchObject({
      renewed: 0,
      postponed: 1,
      reasons: [expect.stringContaining('HTTP 500')],
    });
    tsa.behave((answer, respondTo, request) => answer.end(respondTo(request)));
    // Not at once again, but soon.
    expect(await renew()).toMatchObject({ renewed: 0, postponed: 0 });
    clock.forward(0.01);
    expect(await renew()).toMatchObject({ renewed: 1 });
  });

  it('whose own chain ends no later renews nothing', async () => {
    clock.forward(50);
    const round = await renew();
    expect(round).toMatchObject({ renewed: 0, postponed: 1 });
    expect(round.reasons[0]).toMatch(/its own chain ends at .*, which is hardly later/);
    expect(await rows()).toEqual([]);
  });

  it('that takes no SHA-512 is not asked', async () => {
    clock.forward(50);
    const before = tsa.requests();
    const round = await renew(sealerOf(tsa, { policy: { ...tsa.policy, hashAlgorithms: ['sha256'] } }));
    expect(round.reasons[0]).toMatch(/does not have sha512/);
    expect(tsa.requests()).toBe(before);
  });

  it('that takes SHA-512 alone serves renewals alone, behind one that takes SHA-256 alone', async () => {
    const named = (name: string, hash: 'sha256' | 'sha512') =>
      sealerOf(tsa, { name, policy: { ...tsa.policy, name, hashAlgorithms: [hash] } });
    const authorities = authoritiesOf(world, named('PSC', 'sha256'), named('renews', 'sha512'));
    const obtain = (hashAlgorithm: 'sha256' | 'sha512') =>
      authorities.obtain(
        {
          imprint: new Uint8Array(hashAlgorithm === 'sha256' ? 32 : 64),
          hashAlgorithm,
          notBefore: clock.now(),
        },
        AbortSignal.timeout(PATIENCE_MS),
      );
    expect(await obtain('sha256')).toMatchObject({ kind: 'sealed', stamp: { authority: 'PSC' } });
    expect(await obtain('sha512')).toMatchObject({ kind: 'sealed', stamp: { authority: 'renews' } });
    tsa.behave((answer) => answer.writeHead(503).end());
    expect(await obtain('sha256')).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/PSC: .*HTTP 503.*renews: its manifest does not have sha256/),
    });
    tsa.behave((answer, respondTo, request) => answer.end(respondTo(request)));
    clock.forward(50);
    tsa.renewSigner(600);
    const deps = { ...world, log: quietLog, secrets, authorities, renewBeforeMs: 90 * DAY_MS };
    expect(await createRenewals(deps).renewNow()).toMatchObject({ renewed: 1, postponed: 0 });
    expect((await verifyEntries(await bundleOf(), { sha256, now: new Date() })).valid).toBe(true);
    expect((await fsck(world)).problems).toEqual([]);
  });

  it('is told of, with time to get another certificate', async () => {
    const told: object[] = [];
    const log = { ...quietLog, warn: (fields: object) => void told.push(fields) };
    clock.forward(45);
    tsa.renewSigner(50);
    const authorities = authoritiesOf(world, tsa);
    const renewals = createRenewals({ ...world, log, secrets, authorities, renewBeforeMs: DAY_MS });
    await authorities.obtain(
      { imprint: new Uint8Array(32), hashAlgorithm: 'sha256', notBefore: clock.now() },
      AbortSignal.timeout(PATIENCE_MS),
    );
    renewals.start();
    await renewals.stop();
    expect(told).toEqual([
      expect.objectContaining({ authority: tsa.policy.name, chainNotAfter: expect.any(Date) }),
    ]);
  });
});

describe('a crash', () => {
  it('before anything was stored leaves the batches to whoever comes after the lease', async () => {
    clock.forward(50);
    tsa.renewSigner(600);
    const dying = {
      ...world.db,
      transact: () => Promise.reject(new Error('gone')),
    } as unknown as World['db'];
    await expect(renewAll(world, tsa, { db: dying })).rejects.toThrow('gone');
    expect(await renew()).toMatchObject({ renewed: 0, postponed: 0 });
    clock.forward(0.01);
    expect(await renew()).toMatchObject({ renewed: 1 });
    expect((await fsck(world)).problems).toEqual([]);
  });
});

describe('fsck', () => {
  beforeEach(async () => {
    await anotherBatch();
    for (let i = 0; i < 2; i++) {
      clock.forward(50);
      tsa.renewSigner(100);
      await renew();
    }
    expect((await fsck(world)).problems).toEqual([]);
  });

  it.each([
    [
      'changed sums',
      "update renewals set sums = replace(sums, 'constancia', 'constancio') where ordinal = 1",
      /renewal/,
    ],
    ['a changed list', "update renewal_stamps set list = list || 'x'", /renewal/],
    [
      'a renewal that is gone',
      'delete from renewals where ordinal = 1 and tree_size = 1',
      /renewal 1 is missing/,
    ],
    [
      'a last renewal that is gone',
      'delete from renewals where ordinal = 2 and tree_size = 1',
      /said to be covered until/,
    ],
    ['a changed token', 'update renewal_stamps set token = substring(token from 1 for 900)', /encoding/],
    [
      'an end put off',
      "update certificates set covered_until = covered_until + interval '1 year'",
      /said to be covered/,
    ],
    [
      'a renewal made after the end of what it renews',
      "update renewal_stamps set gen_time = gen_time + interval '1 year' where renewal_stamp_id = (select renewal_stamp_id from renewals where ordinal = 1 limit 1)",
      /validity_at|gen_time/,
    ],
  ])('sees %s', async (_name, tampering, finding) => {
    await world.db.execute(tampering);
    const { problems } = await fsck(world);
    expect(problems.map(({ check, detail }) => `${check}: ${detail}`).join('\n')).toMatch(finding);
  });
});

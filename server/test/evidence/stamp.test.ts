import { utf8 } from '@acuse/evidence/bytes';
import { parseNote } from '@acuse/evidence/note';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COUNTED_DAYS } from '../../src/accounts/rates/store.ts';
import { type LogSigner, openLog } from '../../src/evidence/log/log-key.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { MAX_CLOCK_SKEW_MS } from '../../src/evidence/stamp/authorities.ts';
import { createStampLoop, type StampDeps, stampCheckpoint } from '../../src/evidence/stamp/stamp.ts';
import { recordOutcome, retryDelayMs } from '../../src/evidence/stamp/stamp-record.ts';
import { claimStamps, findLogsWithStampsDue } from '../../src/evidence/stamp/stamp-store.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { AUTHORITY_FAULTS, patienceMs } from './authority-faults.ts';
import { openSealingWorld, sealingRole } from './seal-all.ts';
import {
  addLeaves,
  addTenant,
  authoritiesOf,
  type Fault,
  faultyDb,
  honest,
  openTestDb,
  quietLog,
  sealerOf,
  secrets,
  startTsa,
  type TestTsa,
  type World,
} from './support.ts';

let world: World;
let tsa: TestTsa;
let tenantId: string;
let log: LogSigner;
let logs = 0;
/** The authority's clock is off by this much. */
let tsaSkewMs = 0;

beforeAll(async () => {
  ({ world, tsa } = await openSealingWorld(startTsa(() => new Date(Date.now() + tsaSkewMs))));
});
beforeEach(async () => {
  tsa.behave(honest);
  tsaSkewMs = 0;
  tenantId = await addTenant(world.db);
  log = await openLog({ db: world.db, secrets, clock: world.clock }, `stamp.test/${++logs}`);
});
afterAll(() => world.close());

function depsWith(changes: Partial<StampDeps> = {}): StampDeps {
  return {
    db: world.db,
    clock: world.clock,
    log: quietLog,
    authorities: authoritiesOf(world, tsa),
    logOf: async () => log,
    random: () => 0.5,
    ...changes,
  };
}

async function claimOne() {
  const [claim] = await claimStamps(world.db, log.logId, 1, new Date(Date.now() + 60_000));
  return claim!;
}

/** Claim, act, record once, as the loop would. */
async function stampOnce(deps: StampDeps): Promise<void> {
  await recordOutcome(deps, await stampCheckpoint(deps, await claimOne(), new AbortController().signal));
}

async function certificates() {
  return world.db.query<{
    certificate_id: string;
    tree_size: number;
    profile: string;
    imprint: Buffer;
    token: Buffer;
    gen_time: Date;
    policy: TestTsa['policy'];
  }>('select * from certificates where log_id = $1', [log.logId]);
}

async function queued() {
  return world.db.query<{
    attempt: number;
    last_error: string | null;
    due_at: Date;
    leased_until: Date | null;
  }>('select * from stamp_queue where log_id = $1', [log.logId]);
}

const sealedEvents = () =>
  world.db.query<{ message_id: string; data: Record<string, unknown> }>(
    "select message_id, data from events where tenant_id = $1 and type = 'email.sealed' order by event_id",
    [tenantId],
  );
const sealedCount = async () =>
  (
    await world.db.query<{ n: number }>(
      `select coalesce(sum(sealed), 0)::int as n from ${COUNTED_DAYS} counted`,
      [tenantId],
    )
  )[0]!.n;

async function expectUnsealed(reason: RegExp): Promise<void> {
  expect(await certificates()).toEqual([]);
  expect(await sealedEvents()).toEqual([]);
  expect(await sealedCount()).toBe(0);
  const [row] = await queued();
  expect(row!.last_error).toMatch(reason);
  expect(row!.leased_until).toBeNull();
}

describe('the mode that a log was begun in', () => {
  it('decides where its checkpoints are stamped; a process always has its own log stamped', async () => {
    const deps = { db: world.db, secrets, clock: world.clock };
    const sandbox = await openLog(deps, `stamp.test/sandbox-${logs}`, true);
    for (const each of [log, sandbox]) {
      await addLeaves(world.db, each, tenantId, 1);
      await sequenceBatch(world, each);
    }
    const due = new Date(Date.now() + 60_000);
    const asks = async (ownLogId: string, inSandbox: boolean) => {
      const found = await findLogsWithStampsDue(world.db, { ownLogId, sandbox: inSandbox }, due);
      return [log, sandbox].filter(({ logId }) => found.includes(logId)).map(({ origin }) => origin);
    };
    expect(await asks(log.logId, false)).toEqual([log.origin]);
    expect(await asks(sandbox.logId, true)).toEqual([sandbox.origin]);
    expect(await asks(sandbox.logId, false)).toEqual([log.origin, sandbox.origin]);
  });
});

describe('a constancia', () => {
  it('stamps the three lines of the checkpoint and tells every message of the batch, once', async () => {
    await addLeaves(world.db, log, tenantId, 10);
    await sequenceBatch(world, log);
    const other = await addTenant(world.db);
    await addLeaves(world.db, log, other, 3);
    await addLeaves(world.db, log, tenantId, 4_200);
    await sequenceBatch(world, log);
    await stampOnce(depsWith());
    expect(await sealedCount()).toBe(10);
    await stampOnce(depsWith());

    const [first, second] = await certificates();
    const [checkpoint] = await world.db.query<{ note: string; batch_id: string; root_hash: Buffer }>(
      'select * from checkpoints where log_id = $1 and tree_size = 10',
      [log.logId],
    );
    const text = parseNote(utf8(checkpoint!.note)).text;
    expect(text.split('\n')).toHaveLength(4);
    expect(first!.imprint).toEqual(Buffer.from(sha256(utf8(text))));
    expect(first!.profile).toBe('development');
    const verified = await verifyTimeStamp(
      first!.token,
      { imprint: first!.imprint, hashAlgorithm: 'sha256' },
      first!.policy,
    );
    expect(verified.ok).toBe(true);
    expect(second!.tree_size).toBe(4_213);

    const events = await sealedEvents();
    expect(events).toHaveLength(4_210);
    expect(new Set(events.map((event) => event.message_id)).size).toBe(4_210);
    expect(events[0]!.data).toEqual({
      batch_id: checkpoint!.batch_id,
      merkle_root: checkpoint!.root_hash.toString('hex'),
      certificate_id: first!.certificate_id,
      sealed_at: first!.gen_time.toISOString(),
    });
    expect(await sealedCount()).toBe(4_210);
    expect(await queued()).toEqual([]);
  });

  it('tells of messages, not of the leaves of their deliveries', async () => {
    await addLeaves(world.db, log, tenantId, 3);
    await world.db.execute(
      "update leaf_contents set kind = 'delivery', ordinal = 1 where tenant_id = $1 and leaf_id = (select min(leaf_id::text)::uuid from leaf_contents where tenant_id = $1)",
      [tenantId],
    );
    await sequenceBatch(world, log);
    await stampOnce(depsWith());
    expect(await sealedEvents()).toHaveLength(2);
    expect(await sealedCount()).toBe(2);
  });

  it.each(AUTHORITY_FAULTS)('is not taken from an authority that answers $name', async (fault) => {
    await addLeaves(world.db, log, tenantId, 2);
    await sequenceBatch(world, log);
    tsa.behave(fault.behaviour ?? honest);
    tsaSkewMs = fault.skewMs ?? 0;
    await stampOnce(
      depsWith({ authorities: authoritiesOf(world, sealerOf(tsa, { timeoutMs: patienceMs(fault) })) }),
    );
    tsaSkewMs = 0;
    await expectUnsealed(fault.reason);
    tsa.behave(honest);
    await stampOnce(depsWith());
    expect(await sealedEvents()).toHaveLength(2);
  });

  it('is not taken from a replayed answer', async () => {
    await addLeaves(world.db, log, tenantId, 1);
    await sequenceBatch(world, log);
    let kept: Uint8Array | undefined;
    tsa.behave((answer, respondTo, request) => {
      kept ??= respondTo(request);
      answer.writeHead(503).end();
    });
    await stampOnce(depsWith());
    tsa.behave((answer) => answer.end(kept));
    await stampOnce(depsWith());
    await expectUnsealed(/nonce/);
  });

  it.each([61 * 60_000, -61 * 60_000])(
    'is not taken from an authority whose clock is off by %d ms',
    async (skewMs) => {
      await addLeaves(world.db, log, tenantId, 1);
      await sequenceBatch(world, log);
      tsaSkewMs = skewMs;
      await stampOnce(depsWith());
      await expectUnsealed(/clock: it says|validity/);
      tsaSkewMs = Math.sign(skewMs) * (MAX_CLOCK_SKEW_MS - 10_000);
      await stampOnce(depsWith());
      expect(await certificates()).toHaveLength(1);
    },
  );

  it('is not taken from an authority that nobody pinned', async () => {
    await addLeaves(world.db, log, tenantId, 1);
    await sequenceBatch(world, log);
    const stranger = await startTsa();
    await stampOnce(
      depsWith({ authorities: authoritiesOf(world, sealerOf(stranger, { policy: tsa.policy })) }),
    );
    await stranger.close();
    await expectUnsealed(/chain/);
  });

  it('is not asked for over a checkpoint that is not what the log signed', async () => {
    await addLeaves(world.db, log, tenantId, 1);
    await sequenceBatch(world, log);
    await world.db.execute(
      "update checkpoints set note = replace(note, E'\\n1\\n', E'\\n2\\n') where log_id = $1",
      [log.logId],
    );
    const before = tsa.requests();
    await stampOnce(depsWith());
    await expectUnsealed(/the stored checkpoint does not verify/);
    expect(tsa.requests()).toBe(before);
  });

  it('is dropped when the lease was lost to another attempt', async () => {
    await addLeaves(world.db, log, tenantId, 2);
    await sequenceBatch(world, log);
    const slow = await stampCheckpoint(depsWith(), await claimOne(), new AbortController().signal);
    await world.db.execute(
      "update stamp_queue set leased_until = now() - interval '1 minute' where log_id = $1",
      [log.logId],
    );
    await stampOnce(depsWith());
    await recordOutcome(depsWith(), slow);
    expect(await certificates()).toHaveLength(1);
    expect(await sealedEvents()).toHaveLength(2);
    expect(await sealedCount()).toBe(2);
  });

  const faults: Fault[] = [1, 2, 3, 4, 5, 6, 'commit' as const].flatMap((at) => [
    { at, persisted: false },
    { at, persisted: true },
  ]);
  it.each(faults)(
    'is whole or absent after a crash at statement $at (persisted: $persisted)',
    async (fault) => {
      await addLeaves(world.db, log, tenantId, 5);
      await sequenceBatch(world, log);
      const outcome = await stampCheckpoint(depsWith(), await claimOne(), new AbortController().signal);
      const faulty: Db = faultyDb(world.db, fault);
      await expect(recordOutcome(depsWith({ db: faulty }), outcome)).rejects.toThrow();
      const committed = fault.at === 'commit' && fault.persisted;
      expect(await certificates()).toHaveLength(committed ? 1 : 0);
      // The loop records again what it could not write.
      await recordOutcome(depsWith(), outcome);
      expect(await certificates()).toHaveLength(1);
      expect(await sealedEvents()).toHaveLength(5);
      expect(await sealedCount()).toBe(5);
      expect(await queued()).toEqual([]);
    },
  );
});

describe('retries', () => {
  it('wait longer each time, up to five minutes, jittered', () => {
    expect([1, 2, 3, 4, 9, 10, 1_000].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(1, 0)).toBe(900);
    expect(retryDelayMs(1, 0.999)).toBe(1_100);
  });
});

describe('the sealing role', () => {
  it('seals what comes, in two processes at once, while the authority fails now and then', async () => {
    const second = openTestDb(world.url);
    let n = 0;
    tsa.behave((answer, respondTo, request) =>
      ++n % 3 === 0 ? answer.writeHead(503).end() : honest(answer, respondTo, request),
    );
    const roles = [world.db, second].map((db) => sealingRole({ ...world, db }, tsa, { sealIntervalMs: 100 }));
    for (const role of roles) role.start();
    for (let i = 0; i < 20; i++) {
      await addLeaves(world.db, log, tenantId, 7);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await eventually(async () => (await sealedEvents()).length >= 140);
    await Promise.all(roles.map((role) => role.stop()));
    await second.close();
    expect(await sealedEvents()).toHaveLength(140);
    expect(await sealedCount()).toBe(140);
    expect(await queued()).toEqual([]);
  });

  it('seals at once when told to, and not before its interval otherwise', async () => {
    const role = sealingRole(world, tsa);
    await addLeaves(world.db, log, tenantId, 1);
    await role.sealNow();
    await addLeaves(world.db, log, tenantId, 1);
    role.start();
    await eventually(async () => (await sealedEvents()).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await world.db.query('select 1 from pending_leaves where log_id = $1', [log.logId])).toHaveLength(
      1,
    );
    await role.sealNow();
    await eventually(async () => (await sealedEvents()).length === 2);
    await role.stop();
  });

  it('goes on when the clock went back', async () => {
    let offsetMs = 7_200_000;
    const clock: Clock = { ...world.clock, now: () => new Date(Date.now() + offsetMs) };
    const role = sealingRole({ ...world, clock }, tsa, { sealIntervalMs: 60_000 });
    await addLeaves(world.db, log, tenantId, 1);
    await role.sealNow();
    offsetMs = 0;
    await addLeaves(world.db, log, tenantId, 1);
    role.start();
    await eventually(
      async () =>
        (await world.db.query('select 1 from pending_leaves where log_id = $1', [log.logId])).length === 0,
    );
    await role.stop();
  });

  it('leaves a batch in line, with the reason, while the authority is down', async () => {
    tsa.behave((answer) => answer.writeHead(503).end('maintenance'));
    await addLeaves(world.db, log, tenantId, 1);
    await sequenceBatch(world, log);
    const loop = createStampLoop(depsWith({ pollMs: 20 }));
    loop.start();
    const row = await eventually(async () =>
      (await queued()).find((each) => each.last_error !== null && each.attempt >= 2),
    );
    await loop.stop();
    expect(row.last_error).toMatch(/HTTP 503 .*maintenance/);
  });
});

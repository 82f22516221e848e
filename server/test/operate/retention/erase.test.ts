import { verifyEntries } from '@acuse/evidence/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordResults } from '../../../src/delivery/record/record.ts';
import { readProofBundle } from '../../../src/evidence/bundle/proof-bundle.ts';
import { createSealMessage } from '../../../src/evidence/bundle/seal-on-demand.ts';
import { fsck } from '../../../src/evidence/fsck/fsck.ts';
import { type Erasure, eraseMessage } from '../../../src/operate/retention/erase.ts';
import { sweepTenant } from '../../../src/operate/retention/sweep.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { attempt, attempted, comeBack } from '../../evidence/deliveries.ts';
import { openSealingWorld, sealAll } from '../../evidence/seal-all.ts';
import {
  addMessages,
  addPlainMessage,
  addTenant,
  authoritiesOf,
  faultyDb,
  InjectedCrash,
  openTestDb,
  type TestMessage,
  type TestTsa,
  type World,
} from '../../evidence/support.ts';
import { AheadClock, deletions, sentCertified, sentPlain, withContent } from './support.ts';

let world: World;
let tsa: TestTsa;
let tenantId: string;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
});
afterAll(() => world.close());

const erase = (
  { messageId }: TestMessage,
  change: Partial<Parameters<typeof eraseMessage>[1]> = {},
  db = world.db,
): Promise<Erasure> =>
  eraseMessage(
    { db, clock: world.clock, certifiedYears: 10 },
    { messageId, tenantId: null, reason: 'request 4711', by: 'ana', force: true, ...change },
  );

async function sealedAndSent(): Promise<TestMessage> {
  const [message] = await sentCertified(world, tenantId, 1);
  await sealAll(world, tsa);
  return message!;
}

const bundleOf = async ({ messageId }: TestMessage) =>
  (await readProofBundle(world, tenantId, messageId)).bundle;
const recordOf = async ({ messageId }: TestMessage) =>
  (
    await world.db.query<Record<string, unknown>>('select * from messages where message_id = $1', [messageId])
  )[0]!;
const clean = async () => expect((await fsck(world)).problems).toEqual([]);

describe('an erased message', () => {
  it('has lost its content and its salts, and is proven as before', async () => {
    const [twin] = await sentCertified(world, tenantId, 1);
    const message = await sealedAndSent();
    const before = await bundleOf(message);
    expect(await erase(message)).toMatchObject({ kind: 'erased', tenantId, certified: true, already: false });
    const after = await bundleOf(message);
    expect([...before.keys()].filter((name) => !after.has(name))).toEqual([
      'message.eml',
      'submission.bin',
      'delivery/01-sent.openings.json',
      'delivery/01-sent.transcript.json',
      'delivery/01-sent.dsn.eml',
    ]);
    for (const name of ['manifest.json', 'proof.tlog-proof', 'constancia.tsr', 'delivery/01-sent.json'])
      expect(after.get(name)).toEqual(before.get(name));
    const { valid, facts } = await verifyEntries(after, { sha256, now: new Date() });
    expect([valid, facts.content]).toEqual([true, 'erased']);
    expect((await verifyEntries(before, { sha256, now: new Date() })).valid).toBe(true);
    // Of one that has the same words nothing is gone.
    expect(await withContent(world.db, [message, twin!])).toEqual([false, true]);
    expect((await verifyEntries(await bundleOf(twin!), { sha256, now: new Date() })).facts.content).toBe(
      'complete',
    );
    await clean();
  });

  it('may get a constancia of its own all the same', async () => {
    const message = await sealedAndSent();
    await erase(message);
    const sealMessage = createSealMessage({ ...world, authorities: authoritiesOf(world, tsa) });
    const evidence = await sealMessage(tenantId, message.messageId);
    expect(evidence).toMatchObject({ message_certificate: { kind: 'message' } });
    const { valid, facts } = await verifyEntries(await bundleOf(message), { sha256, now: new Date() });
    expect([valid, facts.content, typeof facts.message_sealed_at]).toEqual([true, 'erased', 'string']);
  });

  it('leaves on record who erased it, when and why; asked again nothing changes', async () => {
    const message = await sealedAndSent();
    const first = await erase(message);
    expect(await erase(message, { reason: 'another', by: 'bob' })).toEqual({
      ...first,
      bytes: 0,
      already: true,
    });
    const rows = (await deletions(world.db)).filter((row) => row.message_id === message.messageId);
    expect(rows).toEqual([
      {
        message_id: message.messageId,
        tenant_id: tenantId,
        cause: 'erasure',
        deleted_at: (first as { at: Date }).at,
        reason: 'request 4711',
        deleted_by: 'ana',
      },
    ]);
    const entries = await world.db.query(
      `select actor_kind, actor_name, action, after from account_events where tenant_id = $1 and target = $2`,
      [tenantId, message.messageId],
    );
    expect(entries).toEqual([
      {
        actor_kind: 'operator',
        actor_name: 'acuse messages',
        action: 'erase_message',
        after: { reason: 'request 4711' },
      },
    ]);
  });

  it('may be plain, and have lost its content before', async () => {
    const [fresh] = await sentPlain(world, tenantId, 1);
    expect(await erase(fresh!, { force: false })).toMatchObject({ kind: 'erased', certified: false });
    const [old] = await sentPlain(world, tenantId, 1);
    const later = new AheadClock();
    later.forward(91);
    await sweepTenant({ ...world, clock: later, plainDays: 90 }, tenantId, null);
    expect(await erase(old!, { force: false })).toMatchObject({ kind: 'erased', bytes: 0, already: false });
    for (const message of [fresh!, old!])
      expect(await recordOf(message)).toMatchObject({ subject: '', recipient_address: '', status: 'sent' });
    await clean();
  });

  it('takes no news: what comes back about it is stored nowhere', async () => {
    const message = await sealedAndSent();
    await erase(message);
    for (const kind of ['bounce', 'complaint'] as const)
      expect(await comeBack(world.db, message, kind, world.clock)).toBe('ignored');
    expect(await recordOf(message)).toMatchObject({ status: 'sent' });
    expect(
      await world.db.query('select from delivery_reports where message_id = $1', [message.messageId]),
    ).toEqual([]);
    await clean();
  });
});

describe('is refused', () => {
  it('for a message that waits: it could not be sent any more', async () => {
    const [certified] = await addMessages(world.db, world.log, tenantId, 1, world.clock.now());
    const plain = await addPlainMessage(world.db, world.log, tenantId, world.clock.now());
    await attempt(world.db, [plain], 'deferred', world.clock);
    for (const message of [certified!, plain]) expect(await erase(message)).toEqual({ kind: 'waiting' });
    expect(await withContent(world.db, [certified!, plain])).toEqual([true, true]);
  });

  it('for certified evidence within its years, unless it is forced', async () => {
    const message = await sealedAndSent();
    const refused = await erase(message, { force: false });
    expect(refused).toMatchObject({ kind: 'guarded' });
    const { sent_at: sentAt } = await recordOf(message);
    const until = new Date(sentAt as Date);
    until.setUTCFullYear(until.getUTCFullYear() + 10);
    expect((refused as { until: Date }).until).toEqual(until);
    expect(await withContent(world.db, [message])).toEqual([true]);
    expect(await erase(message)).toMatchObject({ kind: 'erased' });
  });

  it('for a message of another account, and for what is no message', async () => {
    const message = await sealedAndSent();
    const other = await addTenant(world.db);
    for (const change of [
      { tenantId: other },
      { tenantId: 'x' },
      { messageId: other },
      { messageId: "'; drop table messages" },
    ])
      expect(await erase(message, change)).toEqual({ kind: 'unknown' });
    expect(await withContent(world.db, [message])).toEqual([true]);
    expect(await erase(message, { tenantId })).toMatchObject({ kind: 'erased' });
  });
});

describe('while', () => {
  it('the message is being handed over: refused before the result is on record, done after it', async () => {
    const [message] = await addMessages(world.db, world.log, tenantId, 1, world.clock.now());
    const result = await attempted(world.db, message!, 'sent', world.clock);
    expect(await erase(message!)).toEqual({ kind: 'waiting' });
    const [recorded, erasure] = await Promise.all([
      recordResults({ db: world.db, hostname: 'mail.acuse.test' }, [result]),
      erase(message!),
    ]);
    expect(recorded.get(message!.messageId)).toBe('recorded');
    expect(['waiting', 'erased']).toContain(erasure.kind);
    expect(await erase(message!)).toMatchObject({ kind: 'erased' });
    expect(
      await world.db.query('select from leaf_contents where message_id = $1 and openings is not null', [
        message!.messageId,
      ]),
    ).toEqual([]);
    await sealAll(world, tsa);
    await clean();
  });

  it('it is on its way into the log and under its constancia: it is sealed all the same', async () => {
    const messages = await sentCertified(world, tenantId, 6);
    await Promise.all([sealAll(world, tsa), ...messages.slice(0, 3).map((message) => erase(message))]);
    await Promise.all(messages.slice(3).map((message) => erase(message)));
    await sealAll(world, tsa);
    for (const message of messages) {
      const { valid, facts } = await verifyEntries(await bundleOf(message), { sha256, now: new Date() });
      expect([valid, facts.content]).toEqual([true, 'erased']);
    }
    await clean();
  });

  it('its bundle is being made: that is whole, or says that it is erased', async () => {
    const message = await sealedAndSent();
    const other = { ...world, db: openTestDb(world.url) };
    const made = await Promise.all([
      ...Array.from(
        { length: 8 },
        async () => (await readProofBundle(other, tenantId, message.messageId)).bundle,
      ),
      erase(message).then(() => bundleOf(message)),
    ]);
    await other.db.close();
    for (const bundle of made) {
      const { valid, facts } = await verifyEntries(bundle, { sha256, now: new Date() });
      expect(valid).toBe(true);
      const whole = facts.content === 'complete';
      expect([bundle.has('message.eml'), bundle.has('delivery/01-sent.openings.json')]).toEqual([
        whole,
        whole,
      ]);
    }
    expect((await verifyEntries(made.at(-1)!, { sha256, now: new Date() })).facts.content).toBe('erased');
  });

  it('fsck looks: it finds nothing', async () => {
    const messages = await sentCertified(world, tenantId, 8);
    await sealAll(world, tsa);
    const [result] = await Promise.all([fsck(world), ...messages.map((message) => erase(message))]);
    expect(result.problems).toEqual([]);
    await clean();
  });

  it('a bounce comes in: it is on record without words, or not at all', async () => {
    for (let i = 0; i < 5; i++) {
      const message = await sealedAndSent();
      await Promise.all([comeBack(world.db, message, 'bounce', world.clock), erase(message)]);
      const left = await world.db.query(
        `select 1 from delivery_reports where message_id = $1 union all
         select 1 from leaf_contents where message_id = $1 and openings is not null union all
         select 1 from events where message_id = $1 and data::text like '%ana@%'`,
        [message.messageId],
      );
      expect(left).toEqual([]);
    }
    await sealAll(world, tsa);
    await clean();
  });

  it('its days are over: whoever comes first, it is erased', async () => {
    const messages = await sentPlain(world, tenantId, 6);
    const later = new AheadClock();
    later.forward(91);
    const sweeping = { ...world, clock: later, plainDays: 90 };
    await Promise.all([
      ...messages.map((message) => erase(message, { force: false })),
      ...Array.from({ length: 3 }, () => sweepTenant(sweeping, tenantId, null)),
    ]);
    expect(await withContent(world.db, messages)).toEqual(messages.map(() => false));
    const rows = await deletions(world.db);
    for (const { messageId } of messages)
      expect(rows.find((row) => row.message_id === messageId)).toMatchObject({
        cause: 'erasure',
        deleted_by: 'ana',
      });
    await clean();
  });

  it('somebody else erases it: once', async () => {
    const message = await sealedAndSent();
    const erasures = await Promise.all(['ana', 'bob', 'eva'].map((by) => erase(message, { by })));
    const done = erasures.filter((each) => each.kind === 'erased' && !each.already);
    expect(done).toHaveLength(1);
    expect(new Set(erasures.map((each) => (each as { by: string }).by)).size).toBe(1);
  });
});

it('a crash at any step leaves all of it or nothing', async () => {
  const message = await sealedAndSent();
  const probe = faultyDb(world.db, { at: 1_000, persisted: false });
  const other = await sealedAndSent();
  await erase(other, {}, probe);
  const before = await bundleOf(message);
  for (let at = 1; at <= probe.statements(); at++) {
    for (const persisted of [false, true]) {
      const broken = erase(message, {}, faultyDb(world.db, { at, persisted }));
      await expect(broken).rejects.toThrow(InjectedCrash);
      expect(await withContent(world.db, [message])).toEqual([true]);
    }
  }
  await expect(erase(message, {}, faultyDb(world.db, { at: 'commit', persisted: false }))).rejects.toThrow(
    InjectedCrash,
  );
  expect(await bundleOf(message)).toEqual(before);
  await clean();
  await expect(erase(message, {}, faultyDb(world.db, { at: 'commit', persisted: true }))).rejects.toThrow(
    InjectedCrash,
  );
  expect(await erase(message)).toMatchObject({ already: true });
  await clean();
});

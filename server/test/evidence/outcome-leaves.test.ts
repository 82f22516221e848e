import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle, writeBundle } from '@acuse/evidence/bundle';
import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { verifyEntries } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromCommandLine } from '../../src/accounts/audit/append.ts';
import { unpackBundle } from '../../src/cli/demo/openssl.ts';
import { cancelMessage, cancelQueued } from '../../src/delivery/operate/retry-cancel.ts';
import { makeOutcomeLeaf, NO_FACTS } from '../../src/delivery/record/outcome-leaf.ts';
import { recordResults } from '../../src/delivery/record/record.ts';
import { readEvidence } from '../../src/evidence/bundle/evidence.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { ChainMoved, insertOutcomeLeaves, readChainEnds } from '../../src/messages/leaves/chain-store.ts';
import { newId } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { attempt, attempted, comeBack, TLS } from './deliveries.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, addPlainMessage, type TestMessage, type TestTsa, type World } from './support.ts';

let world: World;
let tsa: TestTsa;
let tenantId: string;

beforeAll(async () => {
  ({ world, tsa, tenantId } = await openSealingWorld());
});
afterAll(() => world.close());

const oneMessage = async (): Promise<TestMessage> =>
  (await addMessages(world.db, world.log, tenantId, 1))[0]!;

const leavesOf = (message: TestMessage) =>
  world.db.query<{ kind: string; ordinal: number; hash: Buffer; manifest: Buffer; openings: Buffer }>(
    'select kind, ordinal, canonical_hash as hash, manifest, openings from leaf_contents where message_id = $1 order by ordinal',
    [message.messageId],
  );

const bundleOf = async (message: TestMessage) =>
  (await readProofBundle(world, tenantId, message.messageId)).bundle;

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe('an outcome', () => {
  it('is a leaf that names the one before it and commits to who answered what', async () => {
    const message = await oneMessage();
    await attempt(world.db, [message], 'deferred');
    expect(await leavesOf(message)).toHaveLength(1);
    await attempt(world.db, [message], 'sent');
    expect(await comeBack(world.db, message, 'complaint')).toBe('complained');
    const [own, sent, complained] = await leavesOf(message);
    const manifests = [sent, complained].map((leaf) => parseDeliveryManifest(leaf!.manifest));
    const [record] = await world.db.query<{ sent_at: Date; complained_at: Date }>(
      'select sent_at, complained_at from messages where message_id = $1',
      [message.messageId],
    );
    const hex = (bytes: Buffer) => bytes.toString('hex');
    expect(manifests).toMatchObject([
      { kind: 'sent', attempt: 2, previous: hex(own!.hash), occurred_at: record!.sent_at.toISOString() },
      {
        kind: 'complained',
        attempt: 2,
        previous: hex(sent!.hash),
        occurred_at: record!.complained_at.toISOString(),
        transcript: null,
      },
    ]);
    for (const manifest of manifests) expect(manifest.message_canonical_hash).toBe(hex(own!.hash));
    expect(parseDeliveryOpenings(sent!.openings).facts.value).toEqual({
      ip: '192.0.2.1',
      mx: 'mx1.example.test',
      reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4Zk1' },
      reported_by_mail: null,
      tls: {
        version: TLS.version,
        cipher: TLS.cipher,
        peer_certificate_sha256: TLS.peerCertificateSha256,
      },
    });
    const pending = await world.db.query('select from pending_leaves where message_id = $1', [
      message.messageId,
    ]);
    expect(pending).toHaveLength(3);
  });

  it('of a plain message is none', async () => {
    const plain = await addPlainMessage(world.db, world.log, tenantId);
    await attempt(world.db, [plain], 'sent');
    expect(await comeBack(world.db, plain, 'bounce')).toBe('bounced');
    expect(await leavesOf(plain)).toEqual([]);
  });

  it('of many at once is written in one transaction, each with its message', async () => {
    const messages = await addMessages(world.db, world.log, tenantId, 40);
    const outcomes = await attempt(world.db, messages, 'bounced');
    expect(new Set(outcomes.values())).toEqual(new Set(['recorded']));
    for (const message of messages) {
      const [own, bounced] = await leavesOf(message);
      expect(parseDeliveryManifest(bounced!.manifest)).toMatchObject({
        kind: 'bounced',
        previous: own!.hash.toString('hex'),
      });
    }
  });

  it('whose lease was lost leaves no leaf', async () => {
    const message = await oneMessage();
    const result = await attempted(world.db, message, 'sent');
    await world.db.execute('update delivery_queue set attempt = 9 where message_id = $1', [
      message.messageId,
    ]);
    const outcomes = await recordResults({ db: world.db, hostname: 'mail.acuse.test' }, [result]);
    expect([...outcomes.values()]).toEqual(['lost_lease']);
    expect(await leavesOf(message)).toHaveLength(1);
    await world.db.execute('delete from delivery_queue where message_id = $1', [message.messageId]);
  });
});

describe('the chain', () => {
  it('never forks: of twenty reports at once one ends the message, with one leaf', async () => {
    const messages = await addMessages(world.db, world.log, tenantId, 4);
    await attempt(world.db, messages, 'sent');
    for (const message of messages) {
      const told = await Promise.all(
        Array.from({ length: 20 }, (_, i) => comeBack(world.db, message, i % 2 ? 'bounce' : 'complaint')),
      );
      expect(told.filter((outcome) => outcome === 'bounced' || outcome === 'complained')).toHaveLength(1);
      expect(await leavesOf(message)).toHaveLength(3);
    }
  });

  it('has an id after that of the leaf before it, though a clock ahead of ours made that', async () => {
    const message = await oneMessage();
    const end = (await readChainEnds(world.db, [message])).get(message.messageId)!;
    expect(end.lastLeafId).toBe(message.messageId);
    const outcome = { ...message, attempt: 1, occurredAt: new Date(), facts: NO_FACTS, transcript: null };
    for (const lastLeafId of [end.lastLeafId, newId(Date.now() + 30_000), newId(Date.now() + 3_600_000)]) {
      const sent = { ...outcome, kind: 'sent', source: 'session', dsn: null } as const;
      const { leafId } = makeOutcomeLeaf(sent, { ...end, lastLeafId }, Buffer.alloc(32));
      expect(leafId > lastLeafId, lastLeafId).toBe(true);
    }
  });

  it('takes no leaf that names one which is not the last any more, and nothing of its transaction', async () => {
    const message = await oneMessage();
    const end = (await readChainEnds(world.db, [message])).get(message.messageId)!;
    const outcome = { ...message, attempt: 1, occurredAt: new Date(), facts: NO_FACTS, transcript: null };
    const make = (kind: 'sent' | 'bounced') =>
      makeOutcomeLeaf({ ...outcome, kind, source: 'session', dsn: null }, end, Buffer.alloc(32, 1));
    await attempt(world.db, [message], 'sent');
    const late = world.db.transact(async (tx) => {
      await tx.execute("update messages set subject = 'changed' where message_id = $1", [message.messageId]);
      await insertOutcomeLeaves(tx, [make('bounced')]);
    });
    await expect(late).rejects.toThrow(ChainMoved);
    expect(await leavesOf(message)).toHaveLength(2);
    const [row] = await world.db.query<{ subject: string }>(
      'select subject from messages where message_id = $1',
      [message.messageId],
    );
    expect(row!.subject).toBe('Hola');
  });

  it('is made anew when it moved between the reading and the writing', async () => {
    const message = await oneMessage();
    const result = await attempted(world.db, message, 'sent');
    // A leaf gets in between: what this attempt made is not the next one any more.
    let moved = false;
    const db = {
      ...world.db,
      transact: async <T>(work: Parameters<typeof world.db.transact<T>>[0]): Promise<T> => {
        if (!moved) {
          moved = true;
          const end = (await readChainEnds(world.db, [message])).get(message.messageId)!;
          const between = {
            ...message,
            attempt: 0,
            occurredAt: new Date(),
            facts: NO_FACTS,
            transcript: null,
          };
          const bounced = { ...between, kind: 'bounced', source: 'operator', dsn: null } as const;
          const leaf = makeOutcomeLeaf(bounced, end, Buffer.alloc(32));
          await world.db.transact((tx) => insertOutcomeLeaves(tx, [leaf]));
        }
        return world.db.transact(work);
      },
    };
    const deps = { db, hostname: 'mail.acuse.test' };
    await expect(recordResults(deps, [result])).rejects.toThrow(ChainMoved);
    expect([...(await recordResults(deps, [result])).values()]).toEqual(['recorded']);
    const leaves = await leavesOf(message);
    expect(leaves.map(({ ordinal }) => ordinal)).toEqual([0, 1, 2]);
    expect(parseDeliveryManifest(leaves[2]!.manifest).previous).toBe(leaves[1]!.hash.toString('hex'));
    await world.db.execute('delete from leaf_contents where message_id = $1 and ordinal = 2', [
      message.messageId,
    ]);
    await world.db.execute('delete from leaf_contents where message_id = $1 and ordinal = 1', [
      message.messageId,
    ]);
    await world.db.execute('delete from pending_leaves where message_id = $1 and leaf_id <> message_id', [
      message.messageId,
    ]);
    await world.db.execute('delete from attempts where message_id = $1', [message.messageId]);
    await world.db.execute("delete from events where message_id = $1 and type = 'email.sent'", [
      message.messageId,
    ]);
    await world.db.execute(
      "update messages set status = 'queued', attempts = 0, sent_at = null, next_attempt_at = now() where message_id = $1",
      [message.messageId],
    );
  });
});

describe('what was cancelled', () => {
  it.each(['sender', 'operator'] as const)('by the %s is proven as that, and as no failure', async (by) => {
    const message = await oneMessage();
    await attempted(world.db, message, 'deferred');
    const deps = { ...world, hostname: 'mail.acuse.test', promiseOf: () => 'promise' };
    if (by === 'sender') await cancelMessage(deps, tenantId, message.messageId);
    else await cancelQueued(deps, message.messageId, fromCommandLine('queue'));
    await sealAll(world, tsa);
    const { delivery } = await readEvidence(world, tenantId, message.messageId);
    expect(delivery).toMatchObject([
      { kind: 'cancelled', source: 'operator', sealed_at: expect.any(String) },
    ]);
    const bundle = await bundleOf(message);
    expect([...bundle.keys()].filter((name) => name.startsWith('delivery/')).sort()).toEqual([
      'delivery/01-cancelled.json',
      'delivery/01-cancelled.openings.json',
      'delivery/01-cancelled.tlog-proof',
      'delivery/01-cancelled.tsr',
    ]);
    const { valid, facts } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect(valid).toBe(true);
    const reply = { code: null, enhanced: null, text: `cancelled by the ${by}` };
    expect(facts.delivery).toMatchObject([{ kind: 'cancelled', facts: { reply, mx: null } }]);
    expect((await fsck(world)).problems).toEqual([]);
    const folder = tempFolder();
    writeFileSync(join(folder, 'proof.zip'), writeBundle(bundle));
    const acuse = new URL('../../bin/acuse.mjs', import.meta.url).pathname;
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const told = spawnSync(process.execPath, [acuse, 'verify', 'proof.zip', '--verbose'], options);
    expect([told.status, told.stdout]).toEqual([5, expect.stringContaining(`cancelled by the ${by}`)]);
    const second = new URL('../../../contract/vectors/check.py', import.meta.url).pathname;
    const { stdout, error } = spawnSync('python3', ['-B', second, 'proof.zip'], options);
    if (error === undefined) expect(stdout.trim()).toBe('valid');
  });
});

describe('in the evidence', () => {
  let message: TestMessage;
  beforeAll(async () => {
    message = await oneMessage();
    await sealAll(world, tsa);
    await attempt(world.db, [message], 'sent');
    await sealAll(world, tsa);
    expect(await comeBack(world.db, message, 'bounce')).toBe('bounced');
  });

  it('an outcome shows before it is in the log, and with its place and seal once it is', async () => {
    const before = await readEvidence(world, tenantId, message.messageId);
    expect(before.delivery).toMatchObject([
      { kind: 'sent', leaf_index: expect.any(Number), sealed_at: expect.any(String) },
      { kind: 'bounced', leaf_index: null, sealed_at: null },
    ]);
    expect([...(await bundleOf(message)).keys()].filter((name) => name.startsWith('delivery/02'))).toEqual(
      [],
    );
    await sealAll(world, tsa);
    const after = await readEvidence(world, tenantId, message.messageId);
    expect(after.delivery[1]!.leaf_index).toBeGreaterThan(after.delivery[0]!.leaf_index!);
    expect(after.delivery[1]!.sealed_at).not.toBeNull();
  });

  it('stands in the bundle with its own proof, opened down to the conversation', async () => {
    const bundle = await bundleOf(message);
    const files = ['json', 'openings.json', 'tlog-proof', 'tsr', 'transcript.json', 'dsn.eml'];
    for (const file of files) expect(bundle.has(`delivery/01-sent.${file}`), file).toBe(true);
    expect(JSON.parse(text(bundle.get('delivery/01-sent.transcript.json')))).toMatchObject([
      { mx: 'mx0.example.test' },
      { mx: 'mx1.example.test', transcript: [{ line: expect.stringContaining('¡hola!') }, {}] },
    ]);
    expect(text(bundle.get('delivery/01-sent.dsn.eml'))).toContain('Action: relayed');
    expect(text(bundle.get('delivery/02-bounced.dsn.eml'))).toContain('Reporting-MTA: dns; mx.sandbox.test');
    expect(bundle.has('delivery/02-bounced.transcript.json')).toBe(false);
    const { valid, facts } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect(valid).toBe(true);
    expect(facts.delivery).toMatchObject([
      { kind: 'sent', facts: { mx: 'mx1.example.test', tls: { cipher: TLS.cipher } } },
      {
        kind: 'bounced',
        source: 'reported_by_mail',
        facts: {
          mx: null,
          ip: null,
          reply: null,
          reported_by_mail: {
            peer: { ip: '192.0.2.7' },
            vouched_by: 'network',
            claims: { reply: { enhanced: '5.1.1' } },
          },
        },
      },
    ]);
  });

  it.each(['delivery/01-sent.transcript.json', 'delivery/01-sent.dsn.eml', 'delivery/02-bounced.dsn.eml'])(
    'does not verify with another %s',
    async (name) => {
      const changed = new Map(await bundleOf(message));
      changed.set(name, Buffer.from('x'));
      const { valid, checks } = await verifyEntries(changed, { sha256, now: new Date() });
      expect(valid).toBe(false);
      expect(checks.filter(({ ok }) => !ok).map((check) => check.name)).toContain(
        `delivery.${name.slice(9, 11)}`,
      );
    },
  );

  it('verifies by every command of VERIFY.md and by acuse verify', async () => {
    const folder = tempFolder();
    const zip = writeBundle(await bundleOf(message));
    unpackBundle(zip, folder);
    const commands = [...text(readBundle(zip).get('VERIFY.md')).matchAll(/```sh\n(.*?)```/gs)];
    expect(commands.length).toBeGreaterThan(5);
    const all = commands.map(([, block]) => block!).join('\n');
    const run = spawnSync('sh', ['-e', '-c', all], { cwd: folder, encoding: 'utf8' });
    expect(`${run.status}: ${run.stdout}${run.stderr}`).toMatch(/^0: /);
    const elsewhere = tempFolder();
    writeFileSync(join(elsewhere, 'proof.zip'), zip);
    const acuse = new URL('../../bin/acuse.mjs', import.meta.url).pathname;
    const options = { cwd: elsewhere, encoding: 'utf8' } as const;
    const told = spawnSync(process.execPath, [acuse, 'verify', 'proof.zip', '--verbose'], options);
    expect([told.status, told.stdout]).toEqual([5, expect.stringContaining('mx1.example.test')]);
    expect(told.stdout).not.toContain('✗');
  });

  it('is told of once: email.sealed is about the message, not about its outcomes', async () => {
    const told = await world.db.query("select from events where message_id = $1 and type = 'email.sealed'", [
      message.messageId,
    ]);
    expect(told).toHaveLength(1);
  });

  it('stays closed, and verifies, when what it was made over is gone', async () => {
    const other = await oneMessage();
    await attempt(world.db, [other], 'sent');
    await sealAll(world, tsa);
    const [kept] = await world.db.query<{ openings: Buffer }>(
      'select openings from leaf_contents where message_id = $1 and ordinal = 1',
      [other.messageId],
    );
    const setOpenings = (bytes: Buffer | null) =>
      world.db.execute('update leaf_contents set openings = $2 where message_id = $1 and ordinal = 1', [
        other.messageId,
        bytes,
      ]);
    await setOpenings(null);
    const bundle = await bundleOf(other);
    expect(bundle.has('delivery/01-sent.openings.json')).toBe(false);
    const { valid, facts } = await verifyEntries(bundle, { sha256, now: new Date() });
    expect([valid, facts.delivery]).toMatchObject([true, [{ kind: 'sent', facts: null }]]);
    // No erasure is on record: to fsck it is tampered with.
    expect((await fsck(world)).problems).toMatchObject([{ check: 'delivery' }]);
    await setOpenings(kept!.openings);
  });
});

describe('fsck', () => {
  let message: TestMessage;
  beforeAll(async () => {
    message = await oneMessage();
    await attempt(world.db, [message], 'sent');
    await comeBack(world.db, message, 'complaint');
    await sealAll(world, tsa);
  });

  it('recomputes every outcome', async () => {
    const result = await fsck(world);
    expect(result.problems).toEqual([]);
    expect(result.checked.outcomes).toBeGreaterThan(40);
  });

  it.each([
    [
      'a changed reply',
      `update attempts set sessions = jsonb_set(sessions::jsonb, '{1,reply,text}', '"Ok"') where message_id = $1`,
      'the transcript stored is not',
    ],
    [
      'a report that is gone',
      "update attempts set report = null where message_id = $1 and report->>'action' = 'relayed'",
      'the dsn is gone',
    ],
    [
      'a changed complaint',
      "update delivery_reports set report = 'x' where message_id = $1 and action = 'complained'",
      'the dsn stored is not',
    ],
    [
      'another time of delivery',
      "update messages set sent_at = sent_at + interval '1 second' where message_id = $1",
      'occurred_at',
    ],
    [
      'two outcomes in each other’s place',
      `update leaf_contents set ordinal = case ordinal when 1 then 4 else 1 end where message_id = $1 and ordinal > 0`,
      'previous',
    ],
    [
      'an outcome that is dropped',
      'delete from leaf_contents where message_id = $1 and ordinal = 2',
      'does not have one outcome leaf',
    ],
  ])('sees %s', async (_name, tampering, finding) => {
    const fresh = await oneMessage();
    await attempt(world.db, [fresh], 'sent');
    await comeBack(world.db, fresh, 'complaint');
    await sealAll(world, tsa);
    await world.db.execute(tampering, [fresh.messageId]);
    const { problems } = await fsck(world);
    const about = problems.filter(({ subject }) => subject.includes(fresh.messageId));
    expect(about.map(({ detail }) => detail).join('\n')).toContain(finding);
  });
});

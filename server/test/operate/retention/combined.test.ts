import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundle, readBundle } from '@acuse/evidence/bundle';
import { verifyBundle } from '@acuse/evidence/verify';
import { dkimSignatures } from '@acuse/mail/dkim';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markVerified, rotateDkim } from '../../../src/accounts/domains/register.ts';
import { deleteRetiredKeys } from '../../../src/accounts/domains/store.ts';
import { createFindSigners } from '../../../src/delivery/attempt/signers.ts';
import { fsck } from '../../../src/evidence/fsck/fsck.ts';
import { sweepTenant } from '../../../src/operate/retention/sweep.ts';
import { sha256 } from '../../../src/platform/sha256.ts';
import { acuse } from '../../cli/run.ts';
import { type AgingTsa, firstFailure, PastClock, startAgingTsa } from '../../evidence/aging.ts';
import { attempt } from '../../evidence/deliveries.ts';
import { renewAll, sealAll, worldOf } from '../../evidence/seal-all.ts';
import type { TestMessage } from '../../evidence/support.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { AheadClock, DAY_MS } from './support.ts';

/**
 * Everything that time does to evidence, to one message: its DKIM keys are rotated and forgotten, the
 * certificate of the authority that sealed it ends and is renewed, and its content is erased. What is left
 * still verifies, offline and by tools that are not ours.
 */
const clock = new PastClock(400);
/** The key that aging.ts seals with. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const SECRET_WORDS = 'Pagaré número 4711 por trescientos pesos';

let service: TestService;
let tsa: AgingTsa;
const folder = tempFolder();
let certified: TestMessage;
let plain: TestMessage;
/** As its recipient got it, and the bundle that was handed out before anything else happened. */
let received: Buffer;
let earlier: Buffer;

beforeAll(async () => {
  service = await startTestService({ clock, environment: { ACUSE_MASTER_KEY: MASTER_KEY } });
  tsa = await startAgingTsa(clock, 100);
  [certified, plain] = [await send(true), await send(false)];
  received = Buffer.concat([await signatures(certified.raw), certified.raw]);
  await attempt(service.db, [certified, plain], 'sent', clock);
  await sealAll(world(), tsa);
  earlier = (await get(certified, '/proof-bundle')).raw;
  await rotateKeys();
  await letTheAuthorityExpire();
  await letContentGo();
});
afterAll(async () => {
  await tsa?.close();
  await service?.stop();
});

const world = () => worldOf(service);
const get = ({ messageId }: TestMessage, path: string) =>
  service.call('GET', `/v1/messages/${messageId}${path}`);
const run = (...args: string[]) => acuse(args, { DATABASE_URL: service.databaseUrl, ACUSE_DATA_DIR: folder });

async function send(isCertified: boolean): Promise<TestMessage> {
  const sent = await service.send({ certified: isCertified, subject: SECRET_WORDS, text: SECRET_WORDS });
  expect(sent.status).toBe(201);
  const messageId: string = sent.body.id;
  const message = { tenantId: service.account.tenantId, messageId, raw: Buffer.alloc(0) };
  return { ...message, raw: (await get(message, '/raw')).raw };
}

async function signatures(raw: Buffer): Promise<Uint8Array> {
  const findSigners = createFindSigners({ ...service.services });
  const signers = await findSigners(service.account.tenantId, 'sandbox.test');
  expect(signers).toHaveLength(2);
  return dkimSignatures(signers, raw, clock.now().getTime());
}

/** New keys sign from now on; the old ones, private and public, are nowhere any more. */
async function rotateKeys(): Promise<void> {
  const { domains: deps, db } = service.services;
  const { tenantId } = service.account;
  const keys = () => db.query<{ public_key: string }>('select public_key from dkim_keys order by public_key');
  const before = await keys();
  const [domain] = await db.query<{ domain_id: string }>('select domain_id from domains');
  const { domain_id: domainId } = domain!;
  await rotateDkim(deps, tenantId, domainId);
  await markVerified(deps, tenantId, domainId);
  clock.forward(10);
  await db.transact((tx) => deleteRetiredKeys(tx, tenantId, domainId, clock.now()));
  const after = await keys();
  expect(after).toHaveLength(before.length);
  expect(after.some(({ public_key }) => before.some((old) => old.public_key === public_key))).toBe(false);
}

/** Renewed while its chain lasted; it ended three hundred days ago. */
async function letTheAuthorityExpire(): Promise<void> {
  clock.forward(40);
  tsa.renewSigner(600);
  const renewed = await renewAll(world(), tsa);
  expect(renewed).toMatchObject({ renewed: 1, postponed: 0 });
  clock.forward(350);
}

/** Of the certified message on request, of the plain one because its days are over. */
async function letContentGo(): Promise<void> {
  const erased = await run(
    'messages',
    'erase',
    certified.messageId,
    '--reason',
    'court order 12/2027',
    '--force',
  );
  expect(erased).toMatchObject({ code: 0 });
  // An id made in this process is never older than the process.
  const later = new AheadClock();
  later.forward(91);
  const swept = await sweepTenant(
    { db: service.db, clock: later, plainDays: 90 },
    service.account.tenantId,
    null,
  );
  expect(swept.messages).toBe(1);
}

async function bundleNow(): Promise<{ file: string; bytes: Buffer; bundle: Bundle }> {
  const { status, raw: bytes } = await get(certified, '/proof-bundle');
  expect(status).toBe(200);
  const file = join(folder, 'now.zip');
  writeFileSync(file, bytes);
  return { file, bytes, bundle: readBundle(bytes) };
}

test('it still verifies offline, today, and says what is gone', async () => {
  const { file, bytes, bundle } = await bundleNow();
  const { valid, checks, facts } = await verifyBundle(bytes, { sha256, now: new Date(), at: new Date() });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect([valid, facts.content]).toEqual([true, 'erased']);
  // Sealed by a certificate that has ended since, under a renewal that has not.
  expect(Date.parse(facts.sealed_at!)).toBeLessThan(Date.now() - 399 * DAY_MS);
  expect(Date.parse(facts.covered_until!)).toBeGreaterThan(Date.now());
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['renewal.01', 'delivery.01.inclusion']),
  );
  expect(checks.find(({ name }) => name === 'openings')?.detail).toMatch(/erased.* can be shown no more$/);
  for (const [name, content] of bundle)
    expect(Buffer.from(content).includes('trescientos'), `${name} tells`).toBe(false);
  const said = await run('verify', file);
  expect(said.code).toBe(5);
  expect(said.out).toMatch(/^! the message's content was erased\.$/m);
});

test('a shell and OpenSSL come to the same, as its VERIFY.md says', async () => {
  const { bundle } = await bundleNow();
  expect(firstFailure(bundle)).toBeNull();
  expect(Buffer.from(bundle.get('VERIFY.md')!).toString()).toMatch(/erased.*## 5\. Renewals/s);
});

const python = spawnSync('python3', ['--version']).status === 0;
test.skipIf(!python)(
  `so does the second verifier, in Python${python ? '' : ' (no python3 here)'}`,
  async () => {
    const { file } = await bundleNow();
    const check = new URL('../../../../contract/vectors/check.py', import.meta.url).pathname;
    const { stdout, stderr } = spawnSync('python3', [check, file], { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['valid', expect.stringContaining('Not checked here:')]);
  },
);

test('the service says so too, online and in its evidence', async () => {
  const verified = await service.call('POST', '/v1/verify', { body: { message_id: certified.messageId } });
  expect(verified.body).toMatchObject({ valid: true });
  const evidence = await get(certified, '/evidence');
  expect(evidence.body).toMatchObject({
    content_deleted_at: expect.any(String),
    renewals: [{ kind: 'renewal' }],
  });
  for (const message of [certified, plain]) {
    const raw = await get(message, '/raw');
    expect([raw.status, raw.body.error.message]).toEqual([404, expect.stringContaining('was deleted at')]);
    expect((await get(message, '')).body).toMatchObject({
      status: 'sent',
      content_deleted_at: expect.any(String),
    });
  }
  const { problems, checked } = await fsck(service);
  expect([problems, checked.erased]).toEqual([[], 1]);
});

test('the bundle from before opens all of it still, and knows the mail that was received by its old DKIM key', async () => {
  const { valid, checks, facts, eml } = await verifyBundle(earlier, {
    sha256,
    now: new Date(),
    eml: received,
  });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  expect([valid, facts.content, eml?.L0, eml?.L1]).toEqual([true, 'complete', true, true]);
  const dkim = eml?.checks.find(({ name }) => name === 'eml.dkim');
  expect([dkim?.ok, dkim?.detail]).toEqual([
    true,
    expect.stringMatching(/sandbox\.test.*recorded at acceptance$/),
  ]);
  // The opening proves the same as the bundle of today: one manifest, one hash, now under a renewed seal.
  expect(readBundle(earlier).get('manifest.json')).toEqual((await bundleNow()).bundle.get('manifest.json'));
});

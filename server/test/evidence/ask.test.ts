import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askPath, openAnswer } from '@acuse/evidence/ask';
import { readBundle } from '@acuse/evidence/bundle';
import { toHex } from '@acuse/evidence/bytes';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { type SealedMessage, sealMessage } from '../support/sealed.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { attempt } from './deliveries.ts';
import { sealAll, worldOf } from './seal-all.ts';
import { sealerOf } from './support.ts';

/** A message whose bundle somebody has, and which bounces later. */
let service: TestService;
let sealed: SealedMessage;
let file: string;
let manifest: Uint8Array;
beforeAll(async () => {
  service = await startTestService();
  sealed = await sealMessage(service);
  file = join(tempFolder(), 'proof.zip');
  writeFileSync(file, sealed.bundle);
  manifest = readBundle(sealed.bundle).get('manifest.json')!;
});
afterAll(() => service?.stop());

const ask = (path: string) => service.call('GET', `/log/${path}`, { key: null });
const asked = async () =>
  (await acuse(['verify', file, '--ask', `${sealed.base}/log`, '--json'])).json.files[0].asked;

test('who has the manifest is answered; a wrong key and an unknown hash get one refusal', async () => {
  const path = askPath(manifest, sha256);
  const { status, raw, headers } = await ask(path);
  expect([status, headers['cache-control']]).toEqual([200, 'private, no-store']);
  const { key, origin } = service.services.logSigner;
  expect(openAnswer(raw, { log: origin, manifest, keys: [key] }, null, sha256).count).toBe(0);
  const [, hash, secret] = path.split('/');
  const refusals = await Promise.all([
    ask(`m/${hash}/${toHex(sha256(manifest))}`),
    ask(`m/${hash}/${secret!.toUpperCase()}`),
    ask(`m/${toHex(sha256(Buffer.from('other')))}/${secret}`),
    ask(`m/${hash}x/${secret}`),
  ]);
  expect(
    new Set(refusals.map(({ status, body }) => `${status} ${body.error.code} ${body.error.message}`)),
  ).toEqual(new Set(['404 not_found No such message in the log, or not with this key.']));
});

test('a bounce since is counted once a published checkpoint has it, and the file is said to lack it', async () => {
  expect(await asked()).toMatchObject({ outcomes: 0, missing: 0 });
  const { tenantId } = service.account;
  await attempt(service.db, [{ tenantId, messageId: sealed.id, raw: sealed.raw }], 'bounced');
  expect(await asked()).toMatchObject({ outcomes: 0, missing: 0 });
  const { policy } = service.services.authority;
  await sealAll(worldOf(service), sealerOf({ url: `${sealed.base}/tsa`, policy }));
  expect(await asked()).toMatchObject({ outcomes: 1, missing: 1 });
  const told = await acuse(['verify', file, '--ask', `${sealed.base}/log`]);
  expect([told.code, told.out]).toEqual([
    5,
    expect.stringMatching(/Asked again: .* 1 outcome; one is not in this file\./),
  ]);
  expect(told.out).toContain('which nothing here contradicts');
});

test('a log that is not there, and one that does not know the message', async () => {
  const nobody = await acuse(['verify', file, '--ask', 'http://127.0.0.1:9/log']);
  expect(nobody.code).toBe(3);
  const other = await acuse(['verify', file, '--ask', `${sealed.base}/elsewhere`]);
  expect([other.code, other.err]).toEqual([1, expect.stringContaining('knows no such message')]);
});

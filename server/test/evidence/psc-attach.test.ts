import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { narrow } from '@acuse/evidence/disclose';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import { newId } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { type EvidenceApi, openEvidenceApi } from './evidence-api.ts';
import { openSealingWorld, sealAll } from './seal-all.ts';
import { addMessages, authoritiesOf, sealerOf, type World } from './support.ts';

const PDF = Buffer.from('%PDF-1.7 constancia');
const CMS = Buffer.of(0x30, 0x80, 0x06);

let world: World;
let api: EvidenceApi;
let messageId: string;
let headers: Record<string, string>;
beforeAll(async () => {
  const opened = await openSealingWorld();
  ({ world } = opened);
  const plain = sealerOf(opened.tsa);
  // As a json-hash authority with a document_field.
  const sealer: Sealer = {
    ...plain,
    stamp: async (...asked) => ({ ...(await plain.stamp(...asked)), issued: PDF }),
  };
  api = await openEvidenceApi(world, authoritiesOf(world, sealer));
  const key = await api.keyWith(opened.tenantId, ['messages:send', 'evidence:read']);
  headers = { authorization: `Bearer ${key}` };
  const [message] = await addMessages(world.db, world.log, opened.tenantId, 1);
  ({ messageId } = message!);
  await sealAll(world, sealer);
});
afterAll(async () => {
  await api?.close();
  await world?.close();
});

const call = (method: 'GET' | 'POST', path: string) =>
  api.app.inject({ method, url: `/v1/messages/${messageId}${path}`, headers });
const download = async () => new Uint8Array((await call('GET', '/proof-bundle')).rawPayload);
const issuedIn = (bytes: Uint8Array) =>
  Object.fromEntries(
    [...readBundle(bytes)]
      .filter(([name]) => name.startsWith('issued/'))
      .map(([name, content]) => [name, Buffer.from(content)]),
  );

test('a document that comes with a token is in the bundle as it came', async () => {
  expect(issuedIn(await download())).toEqual({ 'issued/constancia.bin': PDF });
  expect((await call('POST', '/seal')).statusCode).toBe(200);
  expect(issuedIn(await download())).toEqual({
    'issued/constancia.bin': PDF,
    'issued/message-constancia.bin': PDF,
  });
});

test('one that an operator attaches takes its place at once, and no check reads it', async () => {
  const { certificate_id: id } = (await call('GET', '/evidence')).json();
  const file = join(tempFolder(), 'constancia.p7m');
  writeFileSync(file, CMS);
  const env = { DATABASE_URL: world.url, ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
  const attach = (to: string) =>
    acuse(['psc', 'attach', to, file, '--json'], { ...env, ACUSE_DATA_DIR: tempFolder() });
  const before = await verifyBundle(await download(), { sha256, now: new Date() });
  expect(await attach(id)).toMatchObject({ code: 0, json: { certificate_id: id, size: CMS.length } });
  const bytes = await download();
  expect(issuedIn(bytes)['issued/constancia.bin']).toEqual(CMS);
  const after = await verifyBundle(bytes, { sha256, now: new Date() });
  const outcome = ({ verdict, checks }: typeof after) => [verdict, checks.map(({ name, ok }) => [name, ok])];
  expect(outcome(after)).toEqual(outcome(before));
  expect(after.valid).toBe(true);
  expect(after.documents.map(({ name, remade }) => [name, remade])).toEqual([
    ['VERIFY.md', true],
    ['report.pdf', null],
    ['issued/constancia.bin', null],
    ['issued/message-constancia.bin', null],
  ]);
  const shown = { message: true, parts: [], delivery: false };
  const less = await narrow(readBundle(bytes), shown, { sha256, now: new Date() });
  expect(Buffer.from(less.get('issued/constancia.bin')!)).toEqual(CMS);
  for (const unknown of [newId(), 'constancia'])
    expect(await attach(unknown)).toMatchObject({ code: 1, out: expect.stringContaining(unknown) });
});

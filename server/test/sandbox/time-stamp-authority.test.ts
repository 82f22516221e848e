import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildTimeStampRequest, readResponseStatus } from '@acuse/evidence/timestamp/request';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { testDatabase } from '@acuse/testkit/database';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInProcessSealer } from '../../src/evidence/stamp/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import type { App } from '../../src/platform/http/http.ts';
import { createHttpServer } from '../../src/platform/http/http-server.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import {
  openTimeStampAuthority,
  type TimeStampAuthority,
  timeStampAuthorityRoutes,
} from '../../src/sandbox/time-stamp-authority.ts';
import { startTestService } from '../support/service.ts';

const secrets = createSecretBox([Buffer.alloc(32, 9)]);
let database: { url: string; drop(): Promise<void> };
let db: Db;
let authority: TimeStampAuthority;
let app: App;

beforeAll(async () => {
  database = await testDatabase();
  db = openDb({ connectionString: database.url, poolSize: 4, applicationName: 'test' });
  authority = await openTimeStampAuthority({ db, secrets, clock: systemClock });
  app = createHttpServer({ log: createLog('silent'), authenticate: async () => {}, trustProxy: null });
  timeStampAuthorityRoutes(app, authority);
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await db.close();
  await database.drop();
});

const imprint = sha256(Buffer.from('hello\n'));
const ask = (payload: Uint8Array, type = 'application/timestamp-query') =>
  app.inject({
    method: 'POST',
    url: '/tsa',
    headers: { 'content-type': type },
    payload: Buffer.from(payload),
  });

describe('the development authority', () => {
  it('is one for every process on a database', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, () => openTimeStampAuthority({ db, secrets, clock: systemClock })),
    );
    for (const other of others) expect(other.rootPem).toBe(authority.rootPem);
  });

  it('does not open under another master key', async () => {
    const stranger = createSecretBox([Buffer.alloc(32, 8)]);
    await expect(openTimeStampAuthority({ db, secrets: stranger, clock: systemClock })).rejects.toThrow(
      /ACUSE_MASTER_KEY/,
    );
  });

  it('stamps what its policy verifies, and says that it is no constancia', async () => {
    const nonce = Uint8Array.of(1, 2, 3, 4);
    const answer = await ask(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256', nonce }));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/timestamp-reply');
    const result = await verifyTimeStamp(
      answer.rawPayload,
      { imprint, hashAlgorithm: 'sha256', nonce },
      authority.policy,
    );
    expect(result).toMatchObject({ ok: true, facts: { development: true } });
    expect(authority.policy.name).toMatch(/not a NOM-151 constancia/);
  });

  it('stamps for its own process without a route', async () => {
    const sealer = createInProcessSealer(authority, randomBytes);
    const wanted = { imprint, hashAlgorithm: 'sha256' as const };
    const { response, expected } = await sealer.stamp(wanted, new AbortController().signal);
    expect(await verifyTimeStamp(response, expected, sealer.policy)).toMatchObject({ ok: true });
  });

  it.each([
    ['sandbox', {}, 200],
    [
      'direct',
      { ACUSE_DELIVERY: 'direct', ACUSE_HOSTNAME: 'mail.example.com', ACUSE_LOG_ORIGIN: 'example.com/log' },
      404,
    ],
  ])('signs for strangers in the sandbox only: %s', async (_, environment, status) => {
    const service = await startTestService({ environment });
    try {
      const query = buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' });
      const headers = { 'content-type': 'application/timestamp-query' };
      const answer = await service.call('POST', '/tsa', { body: query, headers, key: null });
      expect(answer.status).toBe(status);
      expect((await service.call('GET', '/tsa/ca.pem', { key: null })).status).toBe(status);
    } finally {
      await service.stop();
    }
  });

  it('gets a new signer under the same root before the one that it has ends', async () => {
    const YEAR_MS = 365 * 24 * 3_600_000;
    let years = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + years * YEAR_MS) };
    const aging = await openTimeStampAuthority({ db, secrets, clock });
    const wanted = { imprint, hashAlgorithm: 'sha512' as const };
    const left: number[] = [];
    for (years of [0, 3, 4.5, 8, 8.6]) {
      const made = aging.respond(buildTimeStampRequest({ ...wanted, imprint: new Uint8Array(64) }));
      const { facts } = await verifyTimeStamp(
        made,
        { ...wanted, imprint: new Uint8Array(64) },
        authority.policy,
      );
      left.push(Math.round((Date.parse(facts!.chainNotAfter) - clock.now().getTime()) / YEAR_MS));
    }
    expect(left).toEqual([5, 2, 5, 2, 5]);
  });

  it('satisfies openssl ts -verify', async () => {
    const folder = tempFolder();
    const at = (name: string) => join(folder, name);
    const answer = await ask(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }));
    writeFileSync(at('data.txt'), 'hello\n');
    writeFileSync(at('token.tsr'), answer.rawPayload);
    writeFileSync(at('ca.pem'), (await app.inject({ url: '/tsa/ca.pem' })).payload);
    const said = execFileSync(
      'openssl',
      ['ts', '-verify', '-data', at('data.txt'), '-in', at('token.tsr'), '-CAfile', at('ca.pem')],
      { encoding: 'utf8', stdio: 'pipe' },
    );
    expect(said).toMatch(/Verification: OK/);
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['no DER', Buffer.from('hello')],
    ['a request cut short', buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }).subarray(0, 20)],
    ['too much', Buffer.alloc(4_000, 0x30)],
  ])('rejects %s in its own protocol', async (_name, payload) => {
    const answer = await ask(payload);
    expect(answer.statusCode).toBe(200);
    expect(readResponseStatus(answer.rawPayload)).toMatchObject({ granted: false });
  });

  it('refuses bodies of another type or size unread', async () => {
    expect((await ask(Buffer.from('x'), 'text/plain')).json()).toMatchObject({
      error: { code: 'unsupported_media_type' },
    });
    expect((await ask(Buffer.alloc(5_000))).json()).toMatchObject({ error: { code: 'payload_too_large' } });
  });
});

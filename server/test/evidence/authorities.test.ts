import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_ISSUED_BYTES } from '@acuse/evidence/bundle-entries';
import { toBase64, toHex } from '@acuse/evidence/bytes';
import { certificateToPem, responseToken } from '@acuse/evidence/timestamp/parse';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { parseTimeStampRequest } from '@acuse/tsa/request';
import { respond } from '@acuse/tsa/respond';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Authorities, createAuthorities } from '../../src/evidence/stamp/authorities.ts';
import { listAuthorities } from '../../src/evidence/stamp/authority-store.ts';
import { openAuthorities } from '../../src/evidence/stamp/open-authorities.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { openSealingWorld } from './seal-all.ts';
import { type Behaviour, honest, quietLog, sealerOf, startTsa, type TestTsa, type World } from './support.ts';

const folder = tempFolder();
let world: World;
let tsa: TestTsa;
const lab = new FaultLab(() => new Date(), randomBytes);
const IMPRINT = new Uint8Array(32).fill(7);
const wanted = { imprint: IMPRINT, hashAlgorithm: 'sha256' as const, notBefore: new Date() };

beforeAll(async () => {
  ({ world, tsa } = await openSealingWorld());
});
afterAll(() => world.close());
beforeEach(() => tsa.behave(honest));
afterEach(() => world.db.execute('delete from authorities'));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function open(manifest: unknown, secrets: Record<string, string> = {}): Sealer {
  return openAuthorities([file('psc.json', manifest)], (name) => secrets[name])[0]!;
}

const manifest = (service: object = {}, more: object = {}) => ({
  policy: tsa.policy,
  service: { protocol: 'rfc3161', url: tsa.url, ...service },
  ...more,
});

const obtain = (sealers: Sealer[], signal = AbortSignal.timeout(PATIENCE_MS)) =>
  createAuthorities({ ...world, log: quietLog, sealers }).obtain(wanted, signal);

describe('a manifest', () => {
  it('is all that a standard authority needs', async () => {
    expect(await obtain([open(manifest())])).toMatchObject({
      kind: 'sealed',
      stamp: { authority: tsa.policy.name, priceMicros: 0 },
    });
  });

  it.each([
    [
      'basic',
      { kind: 'basic', username_env: 'PSC_USER', password_env: 'PSC_PASSWORD' },
      `Basic ${Buffer.from('usuario:contraseña').toString('base64')}`,
    ],
    ['bearer', { kind: 'bearer', token_env: 'PSC_TOKEN' }, 'Bearer c4nary'],
    ['none', { kind: 'none' }, undefined],
  ])('names where the credentials are: %s', async (_name, auth, header) => {
    const secrets = { PSC_USER: 'usuario', PSC_PASSWORD: 'contraseña', PSC_TOKEN: 'c4nary' };
    let seen: string | undefined;
    tsa.behave((answer, respondTo, request) => {
      seen = answer.req.headers.authorization;
      honest(answer, respondTo, request);
    });
    expect((await obtain([open(manifest({ auth }), secrets)])).kind).toBe('sealed');
    expect(seen).toBe(header);
  });

  it('never shows credentials in what an operator is told', async () => {
    tsa.behave((answer) => answer.writeHead(401).end('no'));
    const auth = { kind: 'bearer', token_env: 'PSC_TOKEN' };
    const sealer = open(manifest({ auth, url: `${tsa.url}?key=c4nary` }), { PSC_TOKEN: 'c4nary' });
    const failed = await obtain([sealer]);
    expect(failed).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/answered HTTP 401/) });
    expect(JSON.stringify([failed, await listAuthorities(world.db)])).not.toContain('c4nary');
  });

  it('can ask for mutual TLS, and for a TLS root of its own', async () => {
    const ca = issueCertificate({ subject: 'ca.test', ca: true });
    const server = issueCertificate({ subject: 'tsa.test', names: ['127.0.0.1'], issuer: ca });
    const client = issueCertificate({ subject: 'client.test', issuer: ca });
    const mutual = await startTsa(undefined, {
      tls: {
        key: server.keyPem,
        cert: server.certPem,
        ca: ca.certPem,
        requestCert: true,
        rejectUnauthorized: true,
      },
    });
    try {
      file('ca.pem', ca.certPem);
      file('client.pem', client.certPem);
      file('client.key', client.keyPem);
      const service = { protocol: 'rfc3161', url: mutual.url, ca_file: 'ca.pem' };
      const client_certificate = { certificate_file: 'client.pem', key_file: 'client.key' };
      const known = open({ policy: mutual.policy, service: { ...service, client_certificate } });
      expect((await obtain([known])).kind).toBe('sealed');
      expect(await obtain([open({ policy: mutual.policy, service })])).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('no answer from https://127.0.0.1'),
      });
    } finally {
      await mutual.close();
    }
  });

  it.each([
    ['a nonce', { nonce: true }, true],
    ['none', { nonce: false }, false],
  ])('decides whether %s is sent, and the policy it pins is asked for', async (_name, change, sent) => {
    let asked: ReturnType<typeof parseTimeStampRequest> | undefined;
    tsa.behave((answer, respondTo, request) => {
      asked = parseTimeStampRequest(request);
      honest(answer, respondTo, request);
    });
    const [policyOid] = tsa.policy.policies!;
    expect((await obtain([open({ ...manifest(), policy: { ...tsa.policy, ...change } })])).kind).toBe(
      'sealed',
    );
    expect(asked).toMatchObject({ policyOid });
    expect(asked !== undefined && 'nonce' in asked).toBe(sent);
  });

  it('takes roots from files, and the certificates that tokens leave out', async () => {
    const [root] = tsa.policy.roots;
    file('root.pem', root!);
    const { roots: _, ...policy } = tsa.policy;
    const sealer = open({ ...manifest({}, { root_files: ['root.pem'], intermediates: [root] }), policy });
    expect(sealer.intermediates).toHaveLength(1);
    expect((await obtain([sealer])).kind).toBe('sealed');
  });

  const cases: [string, () => unknown, RegExp][] = [
    ['no JSON', () => '{', /bad.json: not JSON/],
    ['an unknown field', () => ({ ...manifest(), polcy: 1 }), /unknown field "polcy"/],
    [
      'an unknown field of the policy',
      () => ({ ...manifest(), policy: { ...tsa.policy, rots: [] } }),
      /"rots"/,
    ],
    ['no roots', () => ({ ...manifest(), policy: { ...tsa.policy, roots: [] } }), /roots/],
    ['a root that is none', () => ({ ...manifest(), policy: { ...tsa.policy, roots: ['x'] } }), /roots\[0\]/],
    ['a root file that is missing', () => manifest({}, { root_files: ['none.pem'] }), /none.pem/],
    ['no protocol of ours', () => manifest({ protocol: 'soap' }), /protocol/],
    ['an address that is none', () => manifest({ url: 'tsa.example' }), /url/],
    ['credentials in the address', () => manifest({ url: 'https://a:b@tsa.example' }), /url/],
    [
      'a token over http',
      () => manifest({ url: 'http://tsa.example', auth: { kind: 'bearer', token_env: 'T' } }),
      /https/,
    ],
    ['a secret in the file', () => manifest({ auth: { kind: 'bearer', token: 'x' } }), /"token"/],
    ['half a login', () => manifest({ auth: { kind: 'basic', username_env: 'U' } }), /password_env/],
    [
      'a variable that is not set',
      () => manifest({ auth: { kind: 'bearer', token_env: 'NOT_SET' } }),
      /NOT_SET/,
    ],
    [
      'a shape for the standard protocol',
      () => manifest({ json: { hash_field: 'h', token_field: 't' } }),
      /json/,
    ],
    ['no shape for JSON', () => manifest({ protocol: 'json-hash' }), /json/],
    ['a price below nothing', () => manifest({}, { price_cents: -1 }), /price_cents/],
    ['a wait without end', () => manifest({ timeout_ms: 3_600_000 }), /timeout_ms/],
  ];
  it.each(cases)('is refused with %s', (_name, make, reason) => {
    const path = file('bad.json', make());
    const opening = () => openAuthorities([path], () => undefined);
    expect(opening).toThrow(reason);
    expect(opening).toThrow(path);
  });

  it('has a name that no other has', () => {
    const paths = [file('a.json', manifest()), file('b.json', manifest())];
    expect(() => openAuthorities(paths, () => undefined)).toThrow(/two authorities/);
  });
});

describe('an authority behind a JSON API', () => {
  const shape = {
    hash_field: 'hash',
    token_field: 'data.constancia',
    constants: { tipo: 'NOM151', copias: 1 },
  };
  const service = () => ({ protocol: 'json-hash', url: tsa.url, json: shape });
  const psc = (json: object = shape) =>
    open({ policy: lab.pscPolicy, service: { ...service(), json }, price_cents: 12.5 });
  let asked: Record<string, unknown>;
  /** Stamps as a PSC does: a certificate without timeStamping, the token in base64 somewhere in JSON. */
  const jsonApi =
    (
      encode: (response: Uint8Array) => string = toBase64,
      imprintOf = (hash: string) => Buffer.from(hash, 'hex'),
    ): Behaviour =>
    (answer, _respondTo, request) => {
      asked = JSON.parse(request.toString());
      const imprint = imprintOf(String(asked['hash']));
      const token = respond(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }), lab.pscResponder);
      answer
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ ok: true, data: { constancia: encode(token), ...beside } }));
    };
  let beside: object = {};

  it('is asked with the hash and the fields that it wants, and its token verified as any', async () => {
    tsa.behave(jsonApi());
    expect(await obtain([psc()])).toMatchObject({
      kind: 'sealed',
      stamp: { facts: { profile: 'nom151' }, priceMicros: 12_500_000 },
    });
    expect(asked).toEqual({ tipo: 'NOM151', copias: 1, hash: toHex(IMPRINT) });
  });

  it('may take base64, answer a bare token, and wrap its lines', async () => {
    const bare = (response: Uint8Array) => toBase64(responseToken(response)).replace(/.{64}/g, '$&\r\n');
    tsa.behave(jsonApi(bare, (hash) => Buffer.from(hash, 'base64')));
    expect((await obtain([psc({ ...shape, hash_encoding: 'base64' })])).kind).toBe('sealed');
  });

  it('may send a document along, which is kept as it came, or not, which costs no token', async () => {
    tsa.behave(jsonApi());
    const pdf = Buffer.alloc(MAX_ISSUED_BYTES, '%PDF-1.7 ');
    const asks = async (document?: string) => {
      beside = { pdf: document };
      const got = await obtain([psc({ ...shape, document_field: 'data.pdf' })]);
      return got.kind === 'sealed' ? got.stamp.issued : got;
    };
    expect(Buffer.compare((await asks(toBase64(pdf))) as Uint8Array, pdf)).toBe(0);
    for (const none of [undefined, '', '***', toBase64(Buffer.concat([pdf, pdf.subarray(0, 1)]))])
      expect(await asks(none)).toBeUndefined();
    beside = { pdf: toBase64(pdf) };
    const unasked = await obtain([psc()]);
    expect(unasked).toMatchObject({ kind: 'failed', reason: expect.stringContaining('bytes') });
    beside = {};
  });

  it.each<[string, Behaviour, RegExp]>([
    ['a token for another hash', jsonApi(undefined, () => Buffer.alloc(32)), /refused its answer: imprint/],
    [
      'no JSON',
      (answer) => answer.end('<html>'),
      /without a time-stamp in base64 at data.constancia.*<html>/,
    ],
    ['no token', (answer) => answer.end('{"data":{"error":"saldo"}}'), /without a time-stamp.*saldo/],
    ['a token that is no base64', jsonApi(() => '***'), /without a time-stamp/],
    [
      'a token that is no token',
      jsonApi(() => toBase64(Buffer.from('hola'))),
      /refused its answer: encoding/,
    ],
    ['an error', (answer) => answer.writeHead(402).end('{}'), /HTTP 402/],
  ])('that answers %s is not believed', async (_name, behaviour, reason) => {
    tsa.behave(behaviour);
    expect(await obtain([psc()])).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) });
  });
});

describe('several authorities', () => {
  let second: TestTsa;
  let now: Date;
  let sealers: Sealer[];
  let authorities: Authorities;
  const clock: Clock = { now: () => now, monotonicMs: () => performance.now() };
  const down: Behaviour = (answer) => answer.writeHead(500).end();
  const pauseRule = { failures: 3, minMs: 60_000, maxMs: 300_000 };
  const make = () => createAuthorities({ ...world, clock, log: quietLog, sealers, pauseRule });
  const ask = () => authorities.obtain(wanted, AbortSignal.timeout(PATIENCE_MS));
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  const asked = () => [tsa.requests(), second.requests()] as const;
  const health = async (name: string) =>
    (await listAuthorities(world.db)).find((authority) => authority.name === name);

  beforeEach(async () => {
    now = new Date();
    second = await startTsa();
    sealers = [sealerOf(tsa, { name: 'first' }), sealerOf(second, { name: 'second' })];
    authorities = make();
  });
  afterEach(() => second.close());

  it('are asked in order: the second only where the first fails', async () => {
    const before = asked();
    expect(await ask()).toMatchObject({ kind: 'sealed', stamp: { authority: 'first' } });
    expect(asked()).toEqual([before[0] + 1, before[1]]);
    tsa.behave(down);
    expect(await ask()).toMatchObject({ kind: 'sealed', stamp: { authority: 'second' } });
    tsa.behave((answer) => answer.end('<html>'));
    expect(await ask()).toMatchObject({ kind: 'sealed', stamp: { authority: 'second' } });
  });

  it('are asked in another order by who wants one of a kind first', async () => {
    sealers[0] = { ...sealers[0]!, policy: { ...tsa.policy, profile: 'nom151' } };
    const before = asked();
    const first = { ...wanted, profile: 'rfc3161' as const };
    expect(await authorities.obtain(first, AbortSignal.timeout(PATIENCE_MS))).toMatchObject({
      kind: 'sealed',
      stamp: { authority: 'second' },
    });
    expect(asked()).toEqual([before[0], before[1] + 1]);
  });

  it('are left alone once they failed again and again, by every process, and tried again after a while', async () => {
    tsa.behave(down);
    for (let i = 0; i < 3; i++) await ask();
    expect(await health('first')).toMatchObject({ failures: 3, pausedUntil: expect.any(Date) });
    const [before] = asked();
    expect(await make().obtain(wanted, AbortSignal.timeout(PATIENCE_MS))).toMatchObject({
      stamp: { authority: 'second' },
    });
    expect(asked()[0]).toBe(before);
    pass(60_001);
    await ask();
    expect(asked()[0]).toBe(before + 1);
    // It failed once more, and is left alone for longer.
    expect((await health('first'))!.pausedUntil!.getTime() - now.getTime()).toBe(120_000);
    pass(120_001);
    tsa.behave(honest);
    expect(await ask()).toMatchObject({ stamp: { authority: 'first' } });
    expect(await health('first')).toMatchObject({
      failures: 0,
      pausedUntil: null,
      lastError: expect.any(String),
    });
  });

  it('are never left alone for longer than the rule says', async () => {
    tsa.behave(down);
    for (let i = 0; i < 12; i++) {
      await ask();
      pass(300_001);
    }
    const { pausedUntil, failures } = (await health('first'))!;
    expect(failures).toBe(12);
    expect(pausedUntil!.getTime() - (now.getTime() - 300_001)).toBe(300_000);
  });

  it('say, when all of them fail, why each did, and when one is asked again', async () => {
    tsa.behave(down);
    second.behave((answer) => answer.end('<html>'));
    const failed = await ask();
    expect(failed).toMatchObject({ kind: 'failed', retryAt: null });
    expect(failed.kind === 'failed' && failed.reason).toMatch(/first: .*HTTP 500.*; second: .*<html>/);
    await ask();
    await ask();
    const before = asked();
    expect(await ask()).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(/first: paused until .*; second: paused until/),
      retryAt: new Date(now.getTime() + 60_000),
    });
    expect(asked()).toEqual(before);
  });

  it('are not blamed for what we break off ourselves', async () => {
    tsa.behave(() => {});
    const stopping = AbortSignal.timeout(100);
    expect((await authorities.obtain(wanted, stopping)).kind).toBe('failed');
    expect(await listAuthorities(world.db)).toEqual([]);
  });

  it('leave on record when each sealed last and how long its chain lasts', async () => {
    await ask();
    const first = (await health('first'))!;
    expect(first.sealedAt).toEqual(now);
    expect(first.chainNotAfter!.getTime()).toBeGreaterThan(now.getTime() + 4 * 365 * 86_400_000);
    expect(certificateToPem(lab.root.der)).not.toBe(tsa.policy.roots[0]);
  });
});

describe('where a chain must last long enough', () => {
  it('the next authority is asked too, and where none is, the longest is taken', async () => {
    const named = (name: string) => ({ ...open(manifest()), name });
    const asked: Date[] = [];
    const obtainFor = (suffices: (ends: Date) => boolean) =>
      createAuthorities({ ...world, log: quietLog, sealers: [named('first'), named('second')] }).obtain(
        { ...wanted, suffices },
        AbortSignal.timeout(PATIENCE_MS),
      );
    expect(await obtainFor((ends) => asked.push(ends) > 1)).toMatchObject({
      kind: 'sealed',
      stamp: { authority: 'second' },
    });
    expect(asked).toHaveLength(2);
    // Both end at the same time: the preferred one stays.
    expect(await obtainFor(() => false)).toMatchObject({ kind: 'sealed', stamp: { authority: 'first' } });
    expect(await obtainFor(() => true)).toMatchObject({ kind: 'sealed', stamp: { authority: 'first' } });
  });
});

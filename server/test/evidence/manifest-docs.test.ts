import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toBase64 } from '@acuse/evidence/bytes';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { issueCertificate } from '@acuse/testkit/certificate';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { FaultLab } from '@acuse/tsa/fault-lab';
import { respond } from '@acuse/tsa/respond';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWitnesses } from '../../src/evidence/log/witnesses.ts';
import { createAuthorities } from '../../src/evidence/stamp/authorities.ts';
import { openAuthorities } from '../../src/evidence/stamp/open-authorities.ts';
import { openWorld, quietLog, startTsa, type TestTsa, type World } from './support.ts';

/** The manifests of docs/operating.md as they stand there: what a reader copies must work. */
const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
const examples = new Map(
  [...page.matchAll(/```json (\S+)\n(.*?)```/gs)].map(([, name, text]) => [name!, JSON.parse(text!)]),
);
const secrets: Record<string, string> = {
  PSC_USER: 'usuario',
  PSC_PASSWORD: 'c4nary',
  PSC_KEY_PASSPHRASE: 'unused by a key that is not encrypted',
  SECOND_PSC_TOKEN: 't0ken',
};
const lab = new FaultLab(() => new Date(), randomBytes);
/** As a PSC signs, under the policy that the examples pin. */
const responder = { ...lab.pscResponder, policyOid: '2.16.484.101.10.316.1.2', clock: () => new Date() };

const folder = tempFolder();
let world: World;
let tsa: TestTsa;

beforeAll(async () => {
  world = await openWorld();
  const ca = issueCertificate({ subject: 'ca.test', ca: true });
  const server = issueCertificate({ subject: 'tsa.test', names: ['127.0.0.1'], issuer: ca });
  const client = issueCertificate({ subject: 'client.test', issuer: ca });
  const tls = { key: server.keyPem, cert: server.certPem, ca: ca.certPem };
  tsa = await startTsa(undefined, {
    responder,
    tls: { ...tls, requestCert: true, rejectUnauthorized: true },
  });
  for (const [name, text] of [
    ['psc-root.pem', certificateToPem(lab.root.der)],
    ['tls-root.pem', ca.certPem],
    ['client.pem', client.certPem],
    ['client.key', client.keyPem],
  ] as const)
    writeFileSync(join(folder, name), text);
});
afterAll(async () => {
  await tsa.close();
  await world.close();
});

/** The example with nothing changed but what is given. */
function open(name: string, service: object = {}) {
  const example = examples.get(name);
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ ...example, service: { ...example.service, ...service } }));
  return openAuthorities([path], (variable) => secrets[variable])[0]!;
}

const obtain = (sealer: ReturnType<typeof open>) =>
  createAuthorities({ ...world, log: quietLog, sealers: [sealer] }).obtain(
    { imprint: new Uint8Array(32).fill(7), hashAlgorithm: 'sha256', notBefore: new Date() },
    AbortSignal.timeout(PATIENCE_MS),
  );

describe('the manifests in docs/operating.md', () => {
  it('are read as they stand', () => {
    expect([...examples.keys()]).toEqual(['psc.json', 'second.json', 'witnesses.json']);
    expect(open('psc.json')).toMatchObject({ name: 'PSC Ejemplo', priceMicros: 45_500_000 });
    expect(open('second.json')).toMatchObject({ name: 'Segundo PSC', priceMicros: 0 });
  });

  it('psc.json: asks over mutual TLS with a login, and what a PSC answers is believed', async () => {
    let login: string | undefined;
    tsa.behave((answer, respondTo, request) => {
      login = answer.req.headers.authorization;
      answer.end(respondTo(request));
    });
    expect(await obtain(open('psc.json', { url: tsa.url }))).toMatchObject({
      kind: 'sealed',
      stamp: { authority: 'PSC Ejemplo', facts: { profile: 'nom151', policyOid: '2.16.484.101.10.316.1.2' } },
    });
    expect(login).toBe(`Basic ${Buffer.from('usuario:c4nary').toString('base64')}`);
  });

  it('second.json: asks in JSON with a token, and what a PSC answers is believed', async () => {
    let asked: unknown;
    tsa.behave((answer, _respondTo, request) => {
      const { hash, ...rest } = JSON.parse(request.toString());
      asked = { ...rest, token: answer.req.headers.authorization };
      const imprint = Buffer.from(hash, 'hex');
      const token = respond(buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }), responder);
      answer.end(JSON.stringify({ data: { constancia: toBase64(token) } }));
    });
    const tls = {
      client_certificate: examples.get('psc.json').service.client_certificate,
      ca_file: 'tls-root.pem',
    };
    expect(await obtain(open('second.json', { url: tsa.url, ...tls }))).toMatchObject({
      kind: 'sealed',
      stamp: { authority: 'Segundo PSC', facts: { profile: 'nom151' } },
    });
    expect(asked).toEqual({ tipo: 'NOM151', token: 'Bearer t0ken' });
  });

  it('names every field that a manifest may have', () => {
    for (const field of [
      'intermediates',
      'root_files',
      'price_cents',
      'timeout_ms',
      'auth',
      'client_certificate',
      'ca_file',
      'protocol',
      'leafEku',
      'policies',
      'hashAlgorithms',
      'nonce',
      'revocation',
      'profile',
      'name',
      'roots',
    ])
      expect(page, field).toMatch(new RegExp(`^\\| .*\\b${field}\``, 'm'));
  });
});

it('the file of witnesses there is read as it stands', () => {
  const path = join(folder, 'witnesses.json');
  writeFileSync(path, JSON.stringify(examples.get('witnesses.json')));
  expect(openWitnesses(path)).toMatchObject({
    quorum: 1,
    list: [{ url: 'https://witness.example', key: { name: 'witness.example/w1' } }],
  });
});

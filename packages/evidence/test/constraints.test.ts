import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import * as asn1 from '@acuse/tsa/asn1';
import { encodeExtension, generateKey, type Issued } from '@acuse/tsa/certificates';
import { respond } from '@acuse/tsa/respond';
import { expect, test } from 'vitest';
import { readCertificate } from '../src/timestamp/certificate.ts';
import { checkAuthorities } from '../src/timestamp/chain.ts';
import { encode } from '../src/timestamp/encode.ts';
import { HASHES } from '../src/timestamp/oids.ts';
import { certificateToPem } from '../src/timestamp/parse.ts';
import { buildTimeStampRequest } from '../src/timestamp/request.ts';
import { verifySignature } from '../src/timestamp/signature.ts';
import { verifyTimeStamp } from '../src/timestamp/verify.ts';
import { lab } from './bundle-support.ts';
import { sha256 } from './support.ts';

const folder = tempFolder();
const root = lab.authority('constraints root');
const POLICY = '1.3.6.1.4.1.99999.1';
const OTHER = '1.3.6.1.4.1.99999.2';
const ANY = '2.5.29.32.0';

/** A part of a name, as certificates of the lab write it: UTF8String; `tag` for another spelling. */
const part = (oid: string, text: string, tag = 0x0c) =>
  asn1.setOf(asn1.sequence(asn1.oid(oid), encode(tag, new TextEncoder().encode(text))));
const organization = (text: string, tag?: number) => asn1.sequence(part('2.5.4.10', text, tag));
const subtree = (name: Uint8Array) => asn1.sequence(asn1.tagged(4, name));
const uriTree = asn1.sequence(asn1.taggedPrimitive(6, new TextEncoder().encode('.example')));
const constraints = (critical: boolean, permitted: Uint8Array[], excluded: Uint8Array[] = []) =>
  encodeExtension(
    '2.5.29.30',
    critical,
    asn1.sequence(
      permitted.length === 0 ? asn1.nothing : asn1.tagged(0, ...permitted),
      excluded.length === 0 ? asn1.nothing : asn1.tagged(1, ...excluded),
    ),
  );
const uriName = encodeExtension(
  '2.5.29.17',
  false,
  asn1.sequence(asn1.taggedPrimitive(6, new TextEncoder().encode('http://tsa.example'))),
);
const explicit = (skip: number) =>
  encodeExtension('2.5.29.36', true, asn1.sequence(asn1.taggedPrimitive(0, Uint8Array.of(skip))));
const noAny = encodeExtension('2.5.29.54', true, asn1.integer(0));
const mappings = encodeExtension(
  '2.5.29.33',
  false,
  asn1.sequence(asn1.sequence(asn1.oid(POLICY), asn1.oid(OTHER))),
);

type Side = { extensions?: Uint8Array[]; policies?: string[] };

let made = 0;
function chainOf(of: Side, leaf: Side): Issued[] {
  const authority = lab.authority(`constraining ${++made}`, { issuer: root, ...of });
  const name = { commonName: 'TSA', organization: 'Una Autoridad' };
  const signer = lab.signerWith({
    subject: { name, key: generateKey('ecdsa-p256') },
    issuer: authority,
    ...leaf,
  });
  return [signer, authority, root];
}

test.each<[string, boolean, Side, Side]>([
  [
    'a name that is permitted',
    true,
    { extensions: [constraints(true, [subtree(organization('Una Autoridad'))])] },
    {},
  ],
  [
    'in another spelling',
    true,
    { extensions: [constraints(false, [subtree(organization('UNA  autoridad', 0x13))])] },
    {},
  ],
  ['one that is not', false, { extensions: [constraints(true, [subtree(organization('Otra'))])] }, {}],
  [
    'nor where this is not critical',
    false,
    { extensions: [constraints(false, [subtree(organization('Otra'))])] },
    {},
  ],
  [
    'one of two permitted',
    true,
    {
      extensions: [
        constraints(true, [subtree(organization('Otra')), subtree(organization('Una Autoridad'))]),
      ],
    },
    {},
  ],
  [
    'one that is excluded',
    false,
    { extensions: [constraints(false, [], [subtree(organization('una autoridad', 0x13))])] },
    {},
  ],
  ['another excluded', true, { extensions: [constraints(true, [], [subtree(organization('Otra'))])] }, {}],
  [
    'a policy that is asked for',
    true,
    { extensions: [explicit(0)], policies: [POLICY] },
    { policies: [POLICY] },
  ],
  ['any policy above', true, { extensions: [explicit(0)], policies: [ANY] }, { policies: [POLICY] }],
  ['no policy', false, { extensions: [explicit(0)], policies: [POLICY] }, {}],
  ['another policy', false, { extensions: [explicit(0)], policies: [POLICY] }, { policies: [OTHER] }],
  ['asked for after two more', true, { extensions: [explicit(2)], policies: [POLICY] }, {}],
  ['any policy below', true, { extensions: [explicit(0)], policies: [POLICY] }, { policies: [ANY] }],
  [
    'any policy, which is inhibited',
    false,
    { extensions: [explicit(0), noAny], policies: [POLICY] },
    { policies: [ANY] },
  ],
  ['inhibited, and not asked for', true, { extensions: [noAny], policies: [POLICY] }, { policies: [ANY] }],
])('%s: %s', (_name, ok, of, leaf) => {
  const chain = chainOf(of, leaf);
  expect(checkAuthorities(chain.map(({ der }) => readCertificate(der))).ok).toBe(ok);
  const [own, above, top] = chain.map(({ der }, i) => {
    const file = join(folder, `${i}.pem`);
    writeFileSync(file, certificateToPem(der));
    return file as string;
  });
  const files = ['-CAfile', top!, '-untrusted', above!, own!];
  const { status, stderr } = spawnSync('openssl', ['verify', '-policy_check', '-policy', ANY, ...files], {
    encoding: 'utf8',
  });
  expect([status === 0, stderr], stderr).toEqual([ok, expect.any(String)]);
});

test.each<[string, boolean, Side, Side]>([
  ['a limit of names that it has not', true, { extensions: [constraints(true, [uriTree])] }, {}],
  [
    'a limit of such names',
    false,
    { extensions: [constraints(false, [uriTree])] },
    { extensions: [uriName] },
  ],
  ['mapped policies', false, { extensions: [mappings], policies: [POLICY] }, { policies: [OTHER] }],
])('%s: %s', (_name, ok, of, leaf) => {
  const path = chainOf(of, leaf).map(({ der }) => readCertificate(der));
  expect(checkAuthorities(path).ok).toBe(ok);
});

/** As of qualified authorities: the key says which signatures it makes. */
const pssKey = (saltLength: number, hash?: string): KeyObject => {
  const modulusLength = 2048;
  if (hash === undefined) return generateKeyPairSync('rsa-pss', { modulusLength }).privateKey;
  // The types call the length a text.
  const limits: object = { hashAlgorithm: hash, mgf1HashAlgorithm: hash, saltLength };
  return generateKeyPairSync('rsa-pss', { modulusLength, ...limits }).privateKey;
};

test.each<[string, boolean, () => KeyObject]>([
  ['with parameters', true, () => pssKey(32, 'sha256')],
  ['without', true, () => pssKey(0)],
  ['with a shorter salt', true, () => pssKey(20, 'sha256')],
])('a token by a key for RSASSA-PSS %s: %s', async (_name, ok, key) => {
  const signer = lab.signerWith({ subject: { name: { commonName: 'PSS' }, key: key() } });
  const imprint = sha256(Buffer.from('x'));
  const expected = { imprint, hashAlgorithm: 'sha256' } as const;
  const token = respond(buildTimeStampRequest(expected), { ...lab.responder, signer });
  const result = await verifyTimeStamp(token, expected, lab.policy);
  expect([result.ok, result.checks.filter((check) => !check.ok)]).toEqual([ok, []]);
});

test('its parameters are held against those of the signature', async () => {
  const { publicKey, tbs, signature, signatureAlgorithm } = readCertificate(
    lab.authority('PSS', { subject: { name: { commonName: 'PSS' }, key: pssKey(32, 'sha256') } }).der,
  );
  if (publicKey.kind !== 'rsa' || signatureAlgorithm.kind !== 'rsa-pss') throw new Error('no PSS');
  const verify = (pss: { hash?: typeof signatureAlgorithm.hash; saltBytes: number } | undefined) =>
    verifySignature({ ...publicKey, ...(pss && { pss }) }, signatureAlgorithm, tbs, signature);
  expect(publicKey.pss).toMatchObject({ saltBytes: 32, hash: { name: 'sha256' } });
  expect(await verify(publicKey.pss)).toBe(true);
  expect(await verify({ saltBytes: 33 })).toBe(false);
  expect(await verify({ hash: HASHES[1]!, saltBytes: 0 })).toBe(false);
  const plain = { kind: 'rsa', hash: HASHES[0]! } as const;
  expect(await verifySignature(publicKey, plain, tbs, signature)).toBe(false);
});

import { createHash, randomBytes } from 'node:crypto';
import { context, readWhole, TAG } from '@acuse/evidence/timestamp/der';
import { encode, encodeOid, encodeSequence, encodeUnsigned } from '@acuse/evidence/timestamp/encode';
import { readSignedData, responseToken } from '@acuse/evidence/timestamp/parse';
import { buildTimeStampRequest, readResponseStatus } from '@acuse/evidence/timestamp/request';
import { readTstInfo } from '@acuse/evidence/timestamp/tst-info';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { positiveSerial } from '../src/certificates.ts';
import { createDevelopmentAuthority, DEVELOPMENT_POLICY_OID } from '../src/development.ts';
import { MAX_REQUEST_BYTES } from '../src/request.ts';
import { type Responder, respond } from '../src/respond.ts';

const genTime = new Date('2026-03-04T05:06:07.890Z');
const authority = createDevelopmentAuthority({ now: genTime, random: randomBytes });
const responder: Responder = {
  signer: authority.signer,
  chain: [],
  clock: () => genTime,
  serial: () => positiveSerial(randomBytes),
  policyOid: DEVELOPMENT_POLICY_OID,
};
const imprint = new Uint8Array(createHash('sha256').update('hello').digest());
const sound = buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256', nonce: Uint8Array.of(1, 2) });

const imprintOf = (oid: string, hashed: Uint8Array): Uint8Array =>
  encodeSequence(encodeSequence(encodeOid(oid)!), encode(TAG.octetString, hashed));
const sha256 = imprintOf('2.16.840.1.101.3.4.2.1', imprint);
const v1 = encodeUnsigned(Uint8Array.of(1));

describe('a request is rejected', () => {
  const page = new TextEncoder().encode('hash=2cf24dba');
  const extension = encode(context(0), encodeSequence(encodeOid('1.2.3')!, encode(TAG.octetString)));
  test.each([
    ['in no DER', 'badDataFormat', page],
    ['empty', 'badDataFormat', new Uint8Array(0)],
    ['with trailing bytes', 'badDataFormat', Uint8Array.from([...sound, 0])],
    ['too long', 'badDataFormat', new Uint8Array(MAX_REQUEST_BYTES + 1)],
    ['without an imprint', 'badDataFormat', encodeSequence(v1)],
    ['of version 2', 'badRequest', encodeSequence(encodeUnsigned(Uint8Array.of(2)), sha256)],
    ['for SHA-1', 'badAlg', encodeSequence(v1, imprintOf('1.3.14.3.2.26', imprint.subarray(0, 20)))],
    ['for a hash nobody knows', 'badAlg', encodeSequence(v1, imprintOf('1.2.3.4', imprint))],
    [
      'with an imprint of the wrong size',
      'badDataFormat',
      encodeSequence(v1, imprintOf('2.16.840.1.101.3.4.2.3', imprint)),
    ],
    ['with an extension', 'unacceptedExtension', encodeSequence(v1, sha256, extension)],
    ['under another policy', 'unacceptedPolicy', encodeSequence(v1, sha256, encodeOid('1.2.3')!)],
    [
      'with a nonce beyond measure',
      'badDataFormat',
      encodeSequence(v1, sha256, encodeUnsigned(new Uint8Array(65).fill(1))),
    ],
  ])('%s: %s', (_, failure, request) => {
    const response = respond(request, responder);
    expect(readResponseStatus(response)).toMatchObject({ status: 2, granted: false, failures: [failure] });
    expect(() => responseToken(response)).toThrow('no token');
  });

  test('while there is no time', () => {
    const response = respond(sound, { ...responder, clock: () => new Date(Number.NaN) });
    expect(readResponseStatus(response)).toMatchObject({ failures: ['timeNotAvailable'] });
  });

  test('or granted, whatever its bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(sound.length - 1),
        fc.nat(255),
        (bytes, at, value) => {
          expect(readResponseStatus(respond(bytes, responder))?.status).toBe(2);
          const changed = sound.slice();
          changed[at] = value;
          expect([0, 2]).toContain(readResponseStatus(respond(changed, responder))?.status);
        },
      ),
    );
  });
});

describe('a token', () => {
  const opened = (response: Uint8Array) =>
    readSignedData(readWhole(new Uint8Array(responseToken(response)), 'token'));

  test('repeats what was asked', () => {
    const { content, version, certificates } = opened(respond(sound, responder));
    expect(version).toBe(3);
    expect(certificates).toEqual([authority.signer.der]);
    expect(readTstInfo(content)).toMatchObject({
      version: 1,
      genTime,
      imprint,
      accuracyMs: 1000,
      nonce: Uint8Array.of(1, 2),
    });
  });

  test('has no certificates unless they are asked for, and the chain with them', () => {
    const quiet = buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256' }, { certReq: false });
    expect(opened(respond(quiet, responder)).certificates).toEqual([]);
    const certificates = opened(respond(sound, { ...responder, chain: [authority.root.der] })).certificates;
    expect(certificates).toHaveLength(2);
    expect(Buffer.compare(certificates[0]!, certificates[1]!)).toBe(-1);
  });

  test('has a serial number of its own, positive', () => {
    const serials = Array.from({ length: 50 }, () =>
      Buffer.from(readTstInfo(opened(respond(sound, responder)).content).serialNumber).toString('hex'),
    );
    expect(new Set(serials).size).toBe(50);
    expect(positiveSerial(() => new Uint8Array(16).fill(0xff))[0]).toBe(0x7f);
    expect(positiveSerial(() => new Uint8Array(16))[0]).toBe(0x40);
  });

  test('takes milliseconds to make', () => {
    const started = process.cpuUsage();
    for (let i = 0; i < 20; i++) respond(sound, responder);
    const { user, system } = process.cpuUsage(started);
    // One a second is what a log needs; this leaves room for a machine ten times as slow.
    expect((user + system) / 1_000 / 20).toBeLessThan(100);
  });
});

/** A second reader of what is issued here, which shares no code with the reader that the verifier uses. */
import { createHash, randomBytes } from 'node:crypto';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { Certificate, type ContentInfo, SignedData, TimeStampResp, TSTInfo } from 'pkijs';
import { expect, test } from 'vitest';
import { FaultLab } from '../src/fault-lab.ts';
import { respond } from '../src/respond.ts';

const genTime = new Date('2026-03-04T05:06:07.890Z');
const lab = new FaultLab(() => genTime, randomBytes);
const imprint = new Uint8Array(createHash('sha256').update('hello').digest());
const request = buildTimeStampRequest({ imprint, hashAlgorithm: 'sha256', nonce: Uint8Array.of(1, 2, 3) });

test.each([
  ['the development signer', lab.responder],
  ['a signer like a PSC’s', lab.pscResponder],
])('pkijs reads and verifies the token of %s', async (_, responder) => {
  const response = TimeStampResp.fromBER(new Uint8Array(respond(request, responder)));
  expect(response.status.status).toBe(0);
  const signedData = new SignedData({ schema: (response.timeStampToken as ContentInfo).content });
  const info = TSTInfo.fromBER(signedData.encapContentInfo.eContent!.getValue());
  expect(info.version).toBe(1);
  expect(info.genTime).toEqual(genTime);
  expect(new Uint8Array(info.messageImprint.hashedMessage.getValue())).toEqual(imprint);
  expect(new Uint8Array(info.nonce!.valueBlock.valueHexView)).toEqual(Uint8Array.of(1, 2, 3));
  const root = Certificate.fromBER(new Uint8Array(lab.root.der));
  const verdict = await signedData.verify({
    signer: 0,
    data: new TextEncoder().encode('hello').buffer as ArrayBuffer,
    trustedCerts: [root],
    checkChain: true,
    checkDate: genTime,
    extendedMode: true,
  });
  expect(verdict).toMatchObject({ signatureVerified: true, signerCertificateVerified: true });
});

// Makes an authority, has it stamp a text, and verifies the time-stamp as a reader would.
import { createHash, randomBytes } from 'node:crypto';
import { buildTimeStampRequest } from '@acuse/evidence/timestamp/request';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { positiveSerial } from '@acuse/tsa/certificates';
import {
  createDevelopmentAuthority,
  DEVELOPMENT_POLICY_OID,
  developmentPolicy,
} from '@acuse/tsa/development';
import { respond } from '@acuse/tsa/respond';

const random = (sizeBytes: number) => new Uint8Array(randomBytes(sizeBytes));
const { root, signer } = createDevelopmentAuthority({ now: new Date(), random });

const expected = {
  hashAlgorithm: 'sha256' as const,
  imprint: new Uint8Array(createHash('sha256').update('Acuse de recibo').digest()),
  nonce: positiveSerial(random),
};
const response = respond(buildTimeStampRequest(expected), {
  signer,
  chain: [],
  clock: () => new Date(),
  serial: () => positiveSerial(random),
  policyOid: DEVELOPMENT_POLICY_OID,
});
const { ok, facts } = await verifyTimeStamp(response, expected, developmentPolicy(root));
console.log(ok, facts?.genTime, facts?.subject);

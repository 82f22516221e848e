import { toHex } from '@acuse/evidence/bytes';
import { Type } from 'typebox';
import { HASH_EXAMPLE, Id, openNamed, Timestamp } from '../../platform/http/api-schema.ts';
import type { StampColumns } from '../stamp/stamp-columns.ts';

export const StampRecord = openNamed(
  'Certificate',
  {
    id: Id,
    kind: Type.Enum(['batch', 'message', 'renewal'], {
      description:
        'Bytes that it stamps: the checkpoint of a batch, one canonical hash, or all that a constancia and its earlier renewals consist of.',
    }),
    profile: Type.Enum(['nom151', 'rfc3161', 'development'], {
      description: '`development`: sealed by the built-in authority; not a NOM-151 constancia.',
    }),
    issuer: Type.String({
      description: "Issuer of the authority's certificate, RFC 4514.",
      examples: ['CN=Acuse Development CA'],
    }),
    policy_oid: Type.String({ description: 'Policy of the token.', examples: ['2.16.484.101.10.316.1.2'] }),
    serial_number: Type.String({
      description: "The token's serial number, lower-case hex.",
      examples: ['5f3c9a1b7e'],
    }),
    gen_time: Timestamp,
    hash_algorithm: Type.String({ description: 'Of the imprint.', examples: ['sha256'] }),
    imprint: Type.String({ description: 'Hash that was stamped, lower-case hex.', examples: [HASH_EXAMPLE] }),
  },
  { description: 'A verified time-stamp (RFC 3161).' },
);

export function presentStamp(row: StampColumns & { stampId: string }, kind: 'batch' | 'message' | 'renewal') {
  return {
    id: row.stampId,
    kind,
    profile: row.profile,
    issuer: row.issuer,
    policy_oid: row.policyOid,
    serial_number: row.serialNumber,
    gen_time: row.genTime.toISOString(),
    hash_algorithm: row.hashAlgorithm,
    imprint: toHex(row.imprint),
  };
}

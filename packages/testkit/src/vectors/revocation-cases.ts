/**
 * The statement about revoked certificates, and what that means for a time-stamp: each reason, by list and by
 * OCSP answer, before, at and after the time of the stamp; and bundles that have such data.
 */
import { toBase64 } from '@acuse/evidence/bytes';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { encode } from '@acuse/evidence/timestamp/encode';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import { REVOCATION_REASONS } from '@acuse/evidence/timestamp/reasons';
import { RevocationBook, type RevocationKind } from '@acuse/evidence/timestamp/revocation';
import * as asn1 from '@acuse/tsa/asn1';
import { encodeExtension, type Issued } from '@acuse/tsa/certificates';
import {
  type CrlRequest,
  makeCrl,
  makeOcspAnswer,
  type OcspAnswerRequest,
  type Revocation,
} from '@acuse/tsa/revocation';
import { type Authority, SEALED_AT } from './authority.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
export const REASON = { keyCompromise: 1, superseded: 4 } as const;

type Said = Revocation & { readonly at: Date };

/** What the root says about a certificate, a year after everything here was stamped. */
export function saidOf(
  { root, signer }: Authority,
  kind: RevocationKind,
  said: Said | null,
  change: Partial<CrlRequest> & { readonly of?: Issued } = {},
): Uint8Array {
  const { of = signer, ...crl } = change;
  const validity = {
    thisUpdate: new Date('2030-01-01T00:00:00Z'),
    nextUpdate: new Date('2030-01-02T00:00:00Z'),
  };
  if (kind === 'crl') {
    const { serialNumber } = readCertificate(of.der);
    const revoked = said === null ? [] : [{ serialNumber, ...said }];
    return makeCrl({ issuer: root, ...validity, revoked, ...crl });
  }
  const revoked = said && (({ at, ...why }: Said) => ({ ...why, revokedAt: at }))(said);
  const producedAt = validity.thisUpdate;
  return makeOcspAnswer({
    issuer: root,
    certificate: of.der,
    status: revoked ?? 'good',
    producedAt,
    ...validity,
  });
}

/** Nobody knows what it says. */
export const unknownExtension = (critical: boolean): Uint8Array =>
  encodeExtension('1.2.3.4', critical, asn1.NULL);

/** The list says which it changes; it may be written as not critical, which it is never. RFC 5280 §5.2.4 */
export const deltaOf = (critical: boolean): Uint8Array =>
  encodeExtension('2.5.29.27', critical, asn1.integer(1));

const after = (ms: number) => new Date(SEALED_AT.getTime() + ms);

/** Name, kind, bytes. */
type Piece = readonly [string, RevocationKind, Uint8Array];

function pieces(authority: Authority): Piece[] {
  const out: Piece[] = [];
  const add = (
    name: string,
    kind: RevocationKind,
    said: Said | null,
    change?: Partial<CrlRequest> & { readonly of?: Issued },
  ) => out.push([name, kind, saidOf(authority, kind, said, change)]);
  const superseded = { at: after(HOUR), reason: REASON.superseded };
  for (const kind of ['crl', 'ocsp'] as const) {
    add('nobody revoked', kind, null);
    for (const reason of [undefined, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      for (const [when, ms] of [
        ['a second before it stamped', -SECOND],
        ['when it stamped', 0],
        ['a second after it stamped', SECOND],
      ] as const)
        add(`${reason === undefined ? 'no reason' : `reason ${reason}`}, ${when}`, kind, {
          at: after(ms),
          ...(reason !== undefined && { reason }),
        });
    const invalid = (ms: number) => ({ invalidSince: after(ms) });
    add('superseded, invalid since it stamped', kind, { ...superseded, ...invalid(0) });
    add('superseded, invalid since a second later', kind, { ...superseded, ...invalid(SECOND) });
    add('invalid since after the revocation', kind, { at: after(0), reason: 4, ...invalid(HOUR) });
    add('compromised, invalid since a second later', kind, {
      at: after(HOUR),
      reason: REASON.keyCompromise,
      ...invalid(SECOND),
    });
    for (const critical of [true, false])
      add(`superseded, and an unknown ${critical ? '' : 'un'}critical extension`, kind, {
        ...superseded,
        extensions: [unknownExtension(critical)],
      });
    add('compromised before, and an unknown critical extension', kind, {
      at: after(-HOUR),
      reason: REASON.keyCompromise,
      extensions: [unknownExtension(true)],
    });
  }
  const entry = ({ of = authority.signer, ...said }: Partial<Said> & { of?: Issued }) => ({
    serialNumber: readCertificate(of.der).serialNumber,
    ...superseded,
    ...said,
  });
  const { serialNumber } = readCertificate(authority.signer.der);
  const unread = (value: Uint8Array, critical = false) => ({
    serialNumber,
    at: superseded.at,
    extensions: [encodeExtension('2.5.29.21', critical, value)],
  });
  const reason = (...octets: number[]) => encode(0x0a, Uint8Array.from(octets));
  const list = (name: string, change: Partial<CrlRequest>) => add(name, 'crl', null, change);
  const other = { of: authority.nextSigner };
  const strange = { ...other, extensions: [unknownExtension(true)] };
  list('another revoked', { revoked: [entry(other)] });
  list('another with an unknown critical extension', { revoked: [entry(strange)] });
  list('another with an unknown critical extension, and superseded', {
    revoked: [entry(strange), entry({})],
  });
  list('superseded, and another with an unknown critical extension', {
    revoked: [entry({}), entry(strange)],
  });
  list('an entry in the name of another issuer', {
    revoked: [entry({ extensions: [encodeExtension('2.5.29.29', true, asn1.sequence())] })],
  });
  list('superseded, and then compromised', {
    revoked: [entry({}), entry({ at: after(2 * HOUR), reason: REASON.keyCompromise })],
  });
  list('a critical reason', { revoked: [unread(reason(REASON.superseded), true)] });
  list('a reason of two octets', { revoked: [unread(reason(0, REASON.superseded))] });
  list('a reason that is a number', { revoked: [unread(asn1.integer(REASON.superseded))] });
  list('a reason twice', { revoked: [{ ...unread(reason(REASON.superseded)), reason: REASON.superseded }] });
  list('an entry without time', { revoked: [entry({})], rawEntries: [asn1.sequence(asn1.integer(7))] });
  list('a delta of another list', { extensions: [deltaOf(true)] });
  list('a delta that does not say that this must be understood', { extensions: [deltaOf(false)] });
  list('an unknown critical extension of the list', { extensions: [unknownExtension(true)] });
  list('an unknown uncritical extension of the list', { extensions: [unknownExtension(false)] });
  return [...out, ...ofSome(authority), ...untimely(authority), ...ofOthers(authority)];
}

/** Lists that leave certificates out, and say so. RFC 5280 §5.2 */
function ofSome(authority: Authority): Piece[] {
  const list = (name: string, extension: Uint8Array): Piece => [
    name,
    'crl',
    saidOf(authority, 'crl', null, { extensions: [extension] }),
  ];
  const point = (field: Uint8Array) => encodeExtension('2.5.29.28', true, asn1.sequence(field));
  const flagged = (flag: number) =>
    asn1.sequence(
      asn1.oid('2.5.29.27'),
      encode(0x01, Uint8Array.of(flag)),
      asn1.octetString(asn1.integer(1)),
    );
  return [
    list('a list that names where it is', point(asn1.tagged(0))),
    list('a list of persons alone', point(asn1.taggedPrimitive(1, Uint8Array.of(0xff)))),
    // DER has one octet for true.
    ...[0x01, 0x7f, 0xfe].map((flag) => list(`a delta with the flag ${flag}`, flagged(flag))),
  ];
}

/** When a list ends, in forms that DER has and forms that it does not have. RFC 5280 §4.1.2.5 */
function untimely(authority: Authority): Piece[] {
  const list = (name: string, change: Partial<CrlRequest>): Piece => [
    name,
    'crl',
    saidOf(authority, 'crl', null, { thisUpdate: after(-HOUR), ...change }),
  ];
  const written = (tag: number, text: string) =>
    list(`a list until ${text}`, { rawNextUpdate: encode(tag, new TextEncoder().encode(text)) });
  return [
    list('a list without an end', { nextUpdate: null }),
    list('a list that ended a second before it stamped', { nextUpdate: after(-SECOND) }),
    list('a list that ended when it stamped', { nextUpdate: after(0) }),
    ...['', '.5', ',5', '.50', '.'].map((rest) => written(0x18, `20300101000000${rest}Z`)),
    ...['20300101000000', '20300101000000+0000', '20301301000000Z', '20300230000000Z'].map((text) =>
      written(0x18, text),
    ),
    ...['20300101240000Z', '20300101000060Z', '300101000000Z'].map((text) => written(0x18, text)),
    ...['491231235959Z', '500101000000Z', '680101000000Z', '690101000000Z'].map((text) =>
      written(0x17, text),
    ),
    ...['300101000000.5Z', '300101000000,5Z', '3001010000Z', '20300101000000Z'].map((text) =>
      written(0x17, text),
    ),
  ];
}

/** Statements about other certificates, statements about nothing, and files that are no statement. */
function ofOthers(authority: Authority): Piece[] {
  const { root, signer, stranger } = authority;
  const answer: OcspAnswerRequest = {
    issuer: root,
    certificate: signer.der,
    status: 'good',
    producedAt: after(HOUR),
    thisUpdate: after(HOUR),
    nextUpdate: null,
  };
  const forged = { issuer: { ...root, key: stranger.key } };
  const out: Piece[] = [
    ['nobody known', 'ocsp', makeOcspAnswer({ ...answer, status: 'unknown' })],
    ['good, signed by another', 'ocsp', makeOcspAnswer({ ...answer, ...forged })],
    ['nobody revoked, signed by another', 'crl', saidOf(authority, 'crl', null, forged)],
  ];
  for (const kind of ['crl', 'ocsp'] as const)
    for (const [name, ...octets] of [
      ['nothing'],
      ['a zero', 0],
      ['an empty sequence', 0x30, 0],
      ['no length', 0x30, 0x80],
    ] as const)
      out.push([name, kind, Uint8Array.from(octets)]);
  return out;
}

/** revocation.json. `standing`: null where the piece is refused, and concerns nobody. */
export async function revocationVectors(authority: Authority): Promise<object> {
  const chain = [authority.signer.der, authority.root.der];
  const cases: object[] = [];
  for (const [name, kind, bytes] of pieces(authority)) {
    const book = new RevocationBook([{ name, kind, bytes }]);
    const [status] = await book.statusOf(chain, SEALED_AT);
    const standing = book.idle().length > 0 ? null : status!.standing;
    const from = status!.revoked?.from.toISOString() ?? null;
    cases.push({ name, kind, standing, from, data: toBase64(bytes) });
  }
  return {
    reasons: REVOCATION_REASONS.map(({ code, name, goodBefore }) => ({
      code,
      name,
      good_before: goodBefore,
    })),
    chain: chain.map(certificateToPem).join(''),
    at: SEALED_AT.toISOString(),
    cases,
  };
}

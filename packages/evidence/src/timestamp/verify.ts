/**
 * Verification of RFC 3161 time-stamps, updated by RFC 5816. Reads as its table of contents:
 * the envelope, the signature and who made it, what it asserts, and why anybody should believe the signer.
 */
import { toHex } from '../bytes.ts';
import { EvidenceError } from '../errors.ts';
import { requireWebCrypto } from '../web-crypto.ts';
import { examineAssertion } from './assertion.ts';
import type { Certificate } from './certificate.ts';
import { readableCertificates } from './chain.ts';
import { DerError, unsignedHex } from './der.ts';
import { describeOid, hashByOid, OID } from './oids.ts';
import { openTimeStamp, readSignedData, type SignedData } from './parse.ts';
import type { ExpectedTimeStamp, TimeStampFacts, TimeStampPolicy, TimeStampResult } from './policy.ts';
import { type Finding, Report } from './report.ts';
import { describeStatus } from './response.ts';
import { type SignatureAlgorithm, signatureAlgorithm } from './signature.ts';
import {
  checkContentTypeAttribute,
  checkEssBinding,
  checkExtendedKeyUsage,
  checkKeyUsage,
  checkMessageDigest,
  namedBySid,
  whoSigned,
} from './signer.ts';
import { examineChain } from './trust.ts';
import { readTstInfo, type TstInfo } from './tst-info.ts';

/** Candidates for a chain in addition to those in the token. */
const MAX_EXTRA_CERTIFICATES = 32;

/**
 * Verifies a TimeStampResp or a bare TimeStampToken (ContentInfo), DER, against a pinned policy. Never throws
 * for hostile bytes: each failure is a named check. `extraCertificates`: DER, candidates for the chain only.
 * `at`: the chain must hold at this time too (a renewal's genTime, or now). RFC 3161 §2.4, RFC 5816 §2.2.
 */
export async function verifyTimeStamp(
  token: Uint8Array,
  expected: ExpectedTimeStamp,
  policy: TimeStampPolicy,
  extraCertificates: readonly Uint8Array[] = [],
  at?: Date,
): Promise<TimeStampResult> {
  requireWebCrypto();
  const report = new Report();
  try {
    const facts = await examine(report, token, { expected, policy, extraCertificates, at });
    if (facts !== null && report.checks.every((check) => check.ok)) {
      return { ok: true, checks: report.checks, facts };
    }
  } catch (error) {
    if (!(error instanceof DerError)) {
      throw new EvidenceError('time_stamp', 'verification failed', { cause: error });
    }
    report.add('encoding', { ok: false, detail: error.detail });
  }
  return { ok: false, checks: report.checks, facts: null };
}

async function examine(
  report: Report,
  bytes: Uint8Array,
  {
    expected,
    policy,
    extraCertificates,
    at,
  }: {
    readonly expected: ExpectedTimeStamp;
    readonly policy: TimeStampPolicy;
    readonly extraCertificates: readonly Uint8Array[];
    readonly at: Date | undefined;
  },
): Promise<TimeStampFacts | null> {
  const { status, token, trailingBytes } = openTimeStamp(bytes);
  report.test('trailing_bytes', trailingBytes === 0, 'none', `${trailingBytes} bytes after the time-stamp`);
  if (status !== null) report.add('status', { ok: status.granted, detail: describeStatus(status) });
  if (token === null) {
    if (status?.granted) throw new DerError('granted, but there is no token');
    return null;
  }
  const signed = readSignedData(token);
  const info = readTstInfo(signed.content);
  report.add('encoding', { ok: true, detail: `token of ${token.bytes.length} bytes` });

  const candidates = readableCertificates([
    ...signed.certificates,
    ...extraCertificates.slice(0, MAX_EXTRA_CERTIFICATES),
  ]);
  const signer = await examineSignature(report, signed, candidates, policy);
  examineAssertion(report, info, expected, policy);
  const path =
    signer && (await examineChain(report, policy, { signer, candidates, genTime: info.genTime, at }));
  return path ? describe(info, path, policy) : null;
}

/**
 * The certificate that verified; failing that, the one named, so that the rest of the report still means
 * something.
 */
async function examineSignature(
  report: Report,
  signed: SignedData,
  candidates: readonly Certificate[],
  policy: TimeStampPolicy,
): Promise<Certificate | undefined> {
  const { signer, signerCount, version, contentType } = signed;
  report.test('signed_data_version', version === 3, 'SignedData v3', `SignedData v${version}, expected v3`);
  report.test(
    'single_signer',
    signerCount === 1,
    'one SignerInfo',
    `${signerCount} SignerInfos, expected one`,
  );
  report.test(
    'content_type',
    contentType === OID.tstInfo,
    'id-ct-TSTInfo',
    `${describeOid(contentType)}, expected id-ct-TSTInfo`,
  );
  await report.run('content_type_attribute', () => checkContentTypeAttribute(signer));
  const digest = hashByOid(signer.digestAlgorithm.oid);
  const algorithm = signatureAlgorithm(signer.signatureAlgorithm, digest);
  report.add('signature_algorithm', checkAlgorithms(signer.digestAlgorithm.oid, algorithm));
  if (digest !== undefined) await report.run('message_digest', () => checkMessageDigest(signed, digest));

  const named = namedBySid(signer, candidates);
  const [first] = named;
  if (first === undefined) {
    report.add('signer_certificate', {
      ok: false,
      detail: 'the certificate that the signer identifier names is missing',
    });
    return undefined;
  }
  const signedBy = await whoSigned(named, algorithm, signed);
  const certificate = signedBy ?? first;
  report.add('signer_certificate', { ok: true, detail: certificate.subject });
  if (algorithm.kind !== 'refused') {
    const reason =
      certificate.publicKey.kind === 'refused'
        ? `the signer's key cannot be used: ${certificate.publicKey.reason}`
        : 'the signature is not by the signer';
    report.test('signature', signedBy !== undefined, 'by the signer, over the signed attributes', reason);
  }
  await report.run('ess_binding', () => checkEssBinding(signer, certificate));
  report.add('extended_key_usage', checkExtendedKeyUsage(certificate, policy));
  report.add('key_usage', checkKeyUsage(certificate));
  return certificate;
}

/** SHA-2, the same for the digest and inside the signature. RFC 5652 §5.4 */
function checkAlgorithms(digestOid: string, algorithm: SignatureAlgorithm): Finding {
  const digest = hashByOid(digestOid);
  if (digest === undefined) {
    return { ok: false, detail: `digest ${describeOid(digestOid)} is not SHA-2` };
  }
  if (algorithm.kind === 'refused') return { ok: false, detail: algorithm.reason };
  if (algorithm.hash.name !== digest.name) {
    return { ok: false, detail: `signature over ${algorithm.hash.name}, digest of ${digest.name}` };
  }
  return { ok: true, detail: `${algorithm.kind} with ${algorithm.hash.name}` };
}

function describe(
  info: TstInfo,
  path: readonly Certificate[],
  policy: TimeStampPolicy,
): TimeStampFacts | null {
  const hash = hashByOid(info.hashOid);
  const [signer] = path;
  if (hash === undefined || signer === undefined) return null;
  return {
    genTime: info.genTime.toISOString(),
    serialNumber: unsignedHex(info.serialNumber),
    policyOid: info.policyOid,
    issuer: signer.issuer,
    subject: signer.subject,
    hashAlgorithm: hash.name,
    imprintHex: toHex(info.imprint),
    nonceHex: info.nonce === null ? null : unsignedHex(info.nonce),
    accuracyMs: info.accuracyMs,
    profile: policy.profile,
    development: policy.development === true,
    certificates: path.map((certificate) => certificate.der),
    chainNotAfter: new Date(
      Math.min(...path.map((certificate) => certificate.notAfter.getTime())),
    ).toISOString(),
  };
}

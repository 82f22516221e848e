/**
 * An RFC 3161 responder as a function: request bytes in, response bytes out. Clock and serial numbers are the
 * caller's.
 */
import { OID } from '@acuse/evidence/timestamp/oids';
import * as asn1 from './asn1.ts';
import type { Issued } from './certificates.ts';
import { FAILURES, type Failure, parseTimeStampRequest, type TimeStampRequest } from './request.ts';
import type { SigningHash } from './sign.ts';
import { encodeResponse, hash, type TokenPlan } from './token.ts';

export interface Responder {
  readonly signer: Issued;
  /** Sent along with the signer's own certificate where the request asks for certificates. DER. */
  readonly chain: readonly Uint8Array[];
  readonly clock: () => Date;
  /** Positive, unique for all time, at most 20 octets; `positiveSerial` makes such. RFC 3161 §2.4.2 */
  readonly serial: () => Uint8Array;
  /** The policy stamped under, and the only one a request may ask for. */
  readonly policyOid: string;
  readonly digest?: SigningHash;
  readonly accuracySeconds?: number;
  /** The SigningCertificate attributes to sign; that of RFC 5816 §2.2.1 alone by default. */
  readonly essVersions?: readonly (1 | 2)[];
}

/** Alters a plan before it is signed; tests make faulty tokens with it. */
export type Tamper = (plan: TokenPlan) => TokenPlan;

/** PKIStatus `rejection`. RFC 3161 §2.4.2 */
const REJECTION = 2;

/** TimeStampResp DER: a token, or a rejection that says why. Throws only if signing itself fails. */
export function respond(
  requestDer: Uint8Array,
  responder: Responder,
  tamper: Tamper = (plan) => plan,
): Uint8Array {
  const request = parseTimeStampRequest(requestDer);
  if (request.kind === 'refused') return rejection(request.failure, request.reason);
  if (request.policyOid !== undefined && request.policyOid !== responder.policyOid) {
    return rejection('unacceptedPolicy', `this authority stamps under ${responder.policyOid}`);
  }
  const genTime = responder.clock();
  if (Number.isNaN(genTime.getTime())) return rejection('timeNotAvailable', 'no time source');
  return encodeResponse(tamper(plan(request, responder, genTime)));
}

/** A response without a token. */
export function rejection(failure: Failure, text: string): Uint8Array {
  const statusString = asn1.sequence(asn1.utf8String(text));
  return asn1.sequence(
    asn1.sequence(asn1.integer(REJECTION), statusString, asn1.bitList([FAILURES[failure]])),
  );
}

function plan(request: TimeStampRequest, responder: Responder, genTime: Date): TokenPlan {
  const certificate = responder.signer.der;
  const { essVersions = [2] } = responder;
  return {
    status: 0,
    signedDataVersion: 3,
    contentType: OID.tstInfo,
    tst: {
      version: 1,
      policyOid: responder.policyOid,
      hashOid: request.hashOid,
      imprint: request.imprint,
      serialNumber: responder.serial(),
      genTime,
      accuracySeconds: responder.accuracySeconds ?? 1,
      ...(request.nonce && { nonce: request.nonce }),
    },
    certificates: request.certReq ? asn1.sorted([certificate, ...responder.chain]) : [],
    signerCertificate: certificate,
    signingKey: responder.signer.key,
    digest: responder.digest ?? 'sha256',
    signingTime: genTime,
    contentTypeAttribute: OID.tstInfo,
    ess: essVersions.map((version) => ({
      version,
      certificateHash: hash(version === 2 ? 'sha256' : 'sha1', certificate),
      issuerSerialOf: certificate,
    })),
    signerInfos: 1,
  };
}

import { randomBytes } from 'node:crypto';
import { readCertificate } from '@acuse/evidence/timestamp/certificate';
import { certificateToPem } from '@acuse/evidence/timestamp/parse';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { TIME_STAMP_QUERY_TYPE, TIME_STAMP_REPLY_TYPE } from '@acuse/evidence/timestamp/request';
import { type Issued, issuedFromPem, issuedToPem, positiveSerial } from '@acuse/tsa/certificates';
import {
  createDevelopmentAuthority,
  DEVELOPMENT_POLICY_OID,
  type DevelopmentAuthority,
  developmentPolicy,
  issueDevelopmentSigner,
} from '@acuse/tsa/development';
import { MAX_REQUEST_BYTES } from '@acuse/tsa/request';
import { respond } from '@acuse/tsa/respond';
import type { Clock } from '../platform/clock.ts';
import {
  type InstallationSecretDeps,
  loadInstallationSecret,
} from '../platform/database/installation-secrets-store.ts';
import { errorAnswers, otherContent } from '../platform/http/api-schema.ts';
import type { App } from '../platform/http/http.ts';

/**
 * A real RFC 3161 §3.4 responder with its own CA, for development. Nobody else trusts it, and everything it
 * seals says so.
 */
export interface TimeStampAuthority {
  readonly policy: TimeStampPolicy;
  readonly rootPem: string;
  /** Also issues our SMTP certificates. */
  readonly root: Issued;
  /** DER in, DER out. Never throws for hostile bytes. */
  respond(request: Uint8Array): Uint8Array;
}

const SECRET_NAME = 'development_time_stamp_authority';

interface StoredAuthority {
  readonly root: ReturnType<typeof issuedToPem>;
  readonly signer: ReturnType<typeof issuedToPem>;
}

/** Created once per installation. */
export async function openTimeStampAuthority(deps: InstallationSecretDeps): Promise<TimeStampAuthority> {
  const stored = await loadInstallationSecret(deps, SECRET_NAME, () => {
    const made = createDevelopmentAuthority({ now: deps.clock.now(), random: randomBytes });
    return Buffer.from(JSON.stringify({ root: issuedToPem(made.root), signer: issuedToPem(made.signer) }));
  });
  const { root, signer } = JSON.parse(stored.toString('utf8')) as StoredAuthority;
  return toAuthority({ root: open(root), signer: open(signer) }, deps.clock);
}

function open(pem: { certificate: string; privateKey: string }): Issued {
  return issuedFromPem(pem.certificate, pem.privateKey);
}

/** Remaining life at which a new signer takes over (ms), so that renewals stay possible. */
const HANDOVER_MS = 365 * 24 * 3_600_000;

/** The stored signer, then new ones per process: nobody pins signers. */
function signers({ root, signer }: DevelopmentAuthority, clock: Clock): () => Issued {
  let current = { signer, ends: readCertificate(signer.der).notAfter };
  return () => {
    const now = clock.now();
    if (current.ends.getTime() - now.getTime() < HANDOVER_MS) {
      const next = issueDevelopmentSigner(root, { now, random: randomBytes });
      current = { signer: next, ends: readCertificate(next.der).notAfter };
    }
    return current.signer;
  };
}

function toAuthority(made: DevelopmentAuthority, clock: Clock): TimeStampAuthority {
  const { root } = made;
  const signerNow = signers(made, clock);
  const responder = {
    chain: [root.der],
    clock: () => clock.now(),
    serial: () => positiveSerial(randomBytes),
    policyOid: DEVELOPMENT_POLICY_OID,
  };
  return {
    policy: developmentPolicy(root),
    rootPem: certificateToPem(root.der),
    root,
    respond: (request) => respond(request, { ...responder, signer: signerNow() }),
  };
}

const PEM_TYPE = 'application/x-pem-file';

/** Public, without a key: `POST /tsa` (RFC 3161 §3.4) and `GET /tsa/ca.pem`. */
export function timeStampAuthorityRoutes(app: App, authority: TimeStampAuthority): void {
  app.post(
    '/tsa',
    {
      config: { rawBody: true, mediaTypes: [TIME_STAMP_QUERY_TYPE] },
      bodyLimit: MAX_REQUEST_BYTES,
      // The responder parses DER itself.
      validatorCompiler: () => () => true,
      schema: {
        summary: 'Development time-stamping authority',
        description:
          'RFC 3161 over HTTP: a TimeStampReq in, a TimeStampResp out. For development: what it seals is not a NOM-151 constancia.',
        tags: ['Development'],
        operationId: 'developmentTimeStamp',
        retry: 'repeatable',
        body: otherContent('application/timestamp-query', 'TimeStampReq, DER (RFC 3161 §2.4.1).'),
        response: {
          200: otherContent(
            'application/timestamp-reply',
            'TimeStampResp, DER: a token, or a rejection that says why.',
          ),
          ...errorAnswers(
            'invalid_parameter',
            'unsupported_media_type',
            'payload_too_large',
            'rate_limited',
            'internal_error',
          ),
        },
      },
    },
    async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array(0);
      return reply.type(TIME_STAMP_REPLY_TYPE).send(authority.respond(body));
    },
  );

  app.get(
    '/tsa/ca.pem',
    {
      schema: {
        summary: 'Root certificate of the development authority',
        description: 'For `openssl ts -verify -CAfile`.',
        tags: ['Development'],
        operationId: 'developmentRootCertificate',
        response: {
          200: otherContent('application/x-pem-file', 'PEM.'),
          ...errorAnswers('invalid_parameter', 'rate_limited', 'internal_error'),
        },
      },
    },
    async (_request, reply) => reply.type(PEM_TYPE).send(authority.rootPem),
  );
}

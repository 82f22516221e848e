import { createHash } from 'node:crypto';
import { type Certificate, readCertificate } from '@acuse/evidence/timestamp/certificate';
import { MAX_CRL_BYTES } from '@acuse/evidence/timestamp/crl';
import { DerError } from '@acuse/evidence/timestamp/der';
import {
  buildOcspRequest,
  MAX_OCSP_BYTES,
  OCSP_REQUEST_TYPE,
  OCSP_RESPONSE_TYPE,
} from '@acuse/evidence/timestamp/ocsp';
import { revocationPointers } from '@acuse/evidence/timestamp/pointers';
import {
  RevocationBook,
  type RevocationKind,
  type RevocationStatus,
} from '@acuse/evidence/timestamp/revocation';
import { request } from 'undici';
import type { Clock } from '../../platform/clock.ts';

/**
 * What an authority says of its own certificates at the time of a stamp, fetched from where they point: OCSP first, which is small,
 * else the list. What was fetched is used again for as long as it speaks for the time that is asked about.
 */
export interface RevocationGatherer {
  /** `chain`: DER, signer first, verified. Never throws for what others do. */
  gather(chain: readonly Uint8Array[], at: Date, signal: AbortSignal): Promise<GatheredRevocation>;
}

export interface RevocationPiece {
  readonly sha256: Uint8Array;
  readonly kind: RevocationKind;
  readonly sourceUrl: string;
  readonly content: Uint8Array;
}

export interface GatheredRevocation {
  /** Only what speaks of the chain. */
  readonly pieces: readonly RevocationPiece[];
  readonly statuses: readonly RevocationStatus[];
  /** What could not be had, for the operator. */
  readonly problems: readonly string[];
}

/** One fetch, connection to last byte (ms): a stamp waits for it. */
const FETCH_TIMEOUT_MS = 8_000;
/** What was fetched this long ago is fetched again, whatever it says (ms). */
const MAX_AGE_MS = 3_600_000;
/** Fetched pieces kept; an installation's authorities have a few. */
const MAX_KEPT = 32;

interface Kept extends RevocationPiece {
  readonly fetchedAt: Date;
}

export function createRevocationGatherer(clock: Clock): RevocationGatherer {
  /** By the certificate asked about and where. */
  const kept = new Map<string, Kept>();

  async function fetchPiece(
    source: Source,
    certificate: Certificate,
    issuer: Certificate,
    signal: AbortSignal,
  ): Promise<Kept> {
    const content = await download(source, certificate, issuer, signal);
    const sha256 = new Uint8Array(createHash('sha256').update(content).digest());
    const piece = { sha256, kind: source.kind, sourceUrl: source.url, content, fetchedAt: clock.now() };
    const key = keyOf(source, certificate);
    kept.delete(key);
    kept.set(key, piece);
    for (const [oldest] of kept) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return piece;
  }

  /** Pieces that tell whether the certificate was good; none if nothing does. */
  async function learn(
    certificate: Certificate,
    issuer: Certificate,
    at: Date,
    signal: AbortSignal,
    problems: string[],
  ): Promise<Kept[]> {
    const sources = sourcesOf(certificate);
    const fresh = clock.now().getTime() - MAX_AGE_MS;
    for (const source of sources) {
      const known = kept.get(keyOf(source, certificate));
      if (
        known !== undefined &&
        known.fetchedAt.getTime() > fresh &&
        (await tells(known, certificate, issuer, at))
      )
        return [known];
    }
    for (const source of sources) {
      try {
        const piece = await fetchPiece(source, certificate, issuer, signal);
        if (await tells(piece, certificate, issuer, at)) return [piece];
        problems.push(`${source.url} does not tell whether ${certificate.subject} was good`);
      } catch (error) {
        problems.push(`${source.url}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return [];
  }

  return {
    async gather(chain, at, signal) {
      const path = chain.map(readCertificate);
      const problems: string[] = [];
      const found: Kept[] = [];
      for (const [i, certificate] of path.entries()) {
        const issuer = path[i + 1];
        if (issuer !== undefined) found.push(...(await learn(certificate, issuer, at, signal, problems)));
      }
      const pieces = [
        ...new Map(found.map((piece) => [Buffer.from(piece.sha256).toString('hex'), piece])).values(),
      ];
      return { pieces, statuses: await bookOf(pieces).statusOf(chain, at), problems };
    },
  };
}

interface Source {
  readonly kind: RevocationKind;
  readonly url: string;
}

function sourcesOf(certificate: Certificate): Source[] {
  const { ocsp, crl } = revocationPointers(certificate);
  return [
    ...ocsp.map((url): Source => ({ kind: 'ocsp', url })),
    ...crl.map((url): Source => ({ kind: 'crl', url })),
  ];
}

/** A list speaks of many certificates, an OCSP answer of one. */
function keyOf({ kind, url }: Source, { serialNumber }: Certificate): string {
  return kind === 'crl' ? url : `${url} ${Buffer.from(serialNumber).toString('hex')}`;
}

function bookOf(pieces: readonly RevocationPiece[]): RevocationBook {
  return new RevocationBook(
    pieces.map(({ kind, sourceUrl, content }) => ({ name: sourceUrl, kind, bytes: content })),
  );
}

/** Good or revoked: either is an answer. */
async function tells(
  piece: RevocationPiece,
  certificate: Certificate,
  issuer: Certificate,
  at: Date,
): Promise<boolean> {
  const [status] = await bookOf([piece]).statusOf([certificate.der, issuer.der], at);
  return status !== undefined && status.status !== 'unknown';
}

async function download(
  { kind, url }: Source,
  certificate: Certificate,
  issuer: Certificate,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
  const asking = kind === 'ocsp' ? await ocspQuestion(certificate, issuer) : ({ method: 'GET' } as const);
  const answer = await request(url, { ...asking, signal: limit });
  const maxBytes = kind === 'ocsp' ? MAX_OCSP_BYTES : MAX_CRL_BYTES;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Error(`over ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
  return new Uint8Array(Buffer.concat(chunks));
}

async function ocspQuestion(certificate: Certificate, issuer: Certificate) {
  try {
    const body = await buildOcspRequest(certificate, issuer);
    const headers = { 'content-type': OCSP_REQUEST_TYPE, accept: OCSP_RESPONSE_TYPE };
    return { method: 'POST', headers, body } as const;
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new Error(error.detail, { cause: error });
  }
}

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
import { gatherUpTo } from '../../platform/gathered.ts';
import { limitedSignal } from '../../platform/limited-signal.ts';

/**
 * Fetches revocation data for a chain at the time of a stamp: OCSP first, else the CRL. Data is reused while
 * it covers the time.
 */
export interface RevocationGatherer {
  /** `chain`: DER, signer first, verified. Never throws for others' faults. */
  gather(chain: readonly Uint8Array[], at: Date, signal: AbortSignal): Promise<GatheredRevocation>;
}

export interface RevocationPiece {
  readonly sha256: Uint8Array;
  readonly kind: RevocationKind;
  readonly sourceUrl: string;
  readonly content: Uint8Array;
}

export interface GatheredRevocation {
  readonly pieces: readonly RevocationPiece[];
  readonly statuses: readonly RevocationStatus[];
  readonly problems: readonly string[];
}

/** Total time per stamp (ms). */
const GATHER_TIMEOUT_MS = 8_000;
/** Hedging: the next address is asked after this silence (ms). */
const HEDGE_MS = 1_000;
/** Addresses per certificate. */
const MAX_SOURCES = 6;
/** Longest reuse (ms). */
const MAX_AGE_MS = 3_600_000;
/** An installation has few authorities. */
const MAX_KEPT = 32;
/** Pause after a failure (ms), doubled each time. */
const BACKOFF_MIN_MS = 30_000;
const BACKOFF_MAX_MS = 10 * 60_000;
const MAX_FAILED = 256;

interface Kept extends RevocationPiece {
  readonly fetchedAt: Date;
}

export function createRevocationGatherer(clock: Clock): RevocationGatherer {
  const pieces = createPieces(clock);
  const failed = createFailures(clock);

  /** Evidence about one certificate; none if no source has any. */
  async function learn({ certificate, issuer, at, signal, problems }: Question): Promise<Kept[]> {
    const sources = sourcesOf(certificate);
    for (const source of sources) {
      const known = pieces.fresh(source, certificate);
      if (known !== null && (await tells(known, certificate, issuer, at))) return [known];
    }
    async function ask(source: Source): Promise<Kept | null> {
      const pause = failed.pauseOf(source);
      if (pause !== null) {
        problems.push(`${source.url}: ${pause}`);
        return null;
      }
      try {
        const piece = await pieces.fetch(source, certificate, issuer, signal);
        if (await tells(piece, certificate, issuer, at)) {
          failed.forget(source);
          return piece;
        }
        const reason = `does not tell whether ${certificate.subject} was good`;
        problems.push(`${source.url} ${reason}`);
        failed.add(source, reason, true);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        problems.push(`${source.url}: ${reason}`);
        failed.add(source, reason, error instanceof BadAnswer);
      }
      return null;
    }
    const piece = await firstThatTells(sources, ask);
    return piece === null ? [] : [piece];
  }

  return {
    async gather(chain, at, outer) {
      const path = chain.map(readCertificate);
      const problems: string[] = [];
      const signal = limitedSignal(GATHER_TIMEOUT_MS, outer);
      // In parallel: a hanging one costs the others nothing.
      const found = await Promise.all(
        path.slice(0, -1).map((certificate, i) => {
          const issuer = path[i + 1]!;
          return learn({ certificate, issuer, at, signal, problems });
        }),
      );
      const pieces = [
        ...new Map(found.flat().map((piece) => [Buffer.from(piece.sha256).toString('hex'), piece])).values(),
      ];
      return { pieces, statuses: await bookOf(pieces).statusOf(chain, at), problems };
    },
  };
}

function createPieces(clock: Clock) {
  const kept = new Map<string, Kept>();
  return {
    fresh(source: Source, certificate: Certificate): Kept | null {
      const known = kept.get(keyOf(source, certificate));
      const oldest = clock.now().getTime() - MAX_AGE_MS;
      return known !== undefined && known.fetchedAt.getTime() > oldest ? known : null;
    },
    async fetch(
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
    },
  };
}

interface Question {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
  readonly at: Date;
  readonly signal: AbortSignal;
  readonly problems: string[];
}

/** Hedged requests; the first useful piece wins. */
function firstThatTells(
  sources: readonly Source[],
  ask: (source: Source) => Promise<Kept | null>,
): Promise<Kept | null> {
  return new Promise((resolve) => {
    let next = 0;
    let asking = 0;
    let timer: NodeJS.Timeout | undefined;
    const end = (piece: Kept | null) => {
      next = sources.length;
      clearTimeout(timer);
      resolve(piece);
    };
    function askNext(): void {
      clearTimeout(timer);
      const source = sources[next++];
      if (source === undefined) {
        if (asking === 0) end(null);
        return;
      }
      asking++;
      timer = setTimeout(askNext, HEDGE_MS);
      void ask(source).then((piece) => {
        asking--;
        if (piece !== null) end(piece);
        else askNext();
      });
    }
    askNext();
  });
}

/** A useless answer: the address is at fault, not the host. */
class BadAnswer extends Error {}

/** Failed addresses and silent hosts, each paused. */
function createFailures(clock: Clock) {
  const failures = new Map<string, { count: number; until: number; reason: string }>();
  const hostOf = ({ url }: Source) => (URL.canParse(url) ? new URL(url).origin : url);

  return {
    pauseOf(source: Source): string | null {
      const nowMs = clock.monotonicMs();
      const pause = [failures.get(hostOf(source)), failures.get(source.url)].find(
        (each) => each !== undefined && each.until > nowMs,
      );
      return pause === undefined ? null : `not asked, because it failed before (${pause.reason})`;
    },
    add(source: Source, reason: string, answered: boolean): void {
      const name = answered ? source.url : hostOf(source);
      const count = (failures.get(name)?.count ?? 0) + 1;
      const waitMs = Math.min(BACKOFF_MIN_MS * 2 ** (count - 1), BACKOFF_MAX_MS);
      failures.delete(name);
      if (failures.size >= MAX_FAILED) failures.delete(failures.keys().next().value!);
      failures.set(name, { count, until: clock.monotonicMs() + waitMs, reason });
    },
    forget(source: Source): void {
      failures.delete(hostOf(source));
      failures.delete(source.url);
    },
  };
}

interface Source {
  readonly kind: RevocationKind;
  readonly url: string;
}

function sourcesOf(certificate: Certificate): Source[] {
  const { ocsp, crl } = revocationPointers(certificate);
  const all = [
    ...ocsp.map((url): Source => ({ kind: 'ocsp', url })),
    ...crl.map((url): Source => ({ kind: 'crl', url })),
  ];
  return all.slice(0, MAX_SOURCES);
}

function keyOf({ kind, url }: Source, { serialNumber }: Certificate): string {
  return kind === 'crl' ? url : `${url} ${Buffer.from(serialNumber).toString('hex')}`;
}

function bookOf(pieces: readonly RevocationPiece[]): RevocationBook {
  return new RevocationBook(
    pieces.map(({ kind, sourceUrl, content }) => ({ name: sourceUrl, kind, bytes: content })),
  );
}

/** Good or revoked: both are answers. */
async function tells(
  piece: RevocationPiece,
  certificate: Certificate,
  issuer: Certificate,
  at: Date,
): Promise<boolean> {
  const [status] = await bookOf([piece]).statusOf([certificate.der, issuer.der], at);
  return status !== undefined && status.standing !== 'unknown';
}

async function download(
  source: Source,
  certificate: Certificate,
  issuer: Certificate,
  signal: AbortSignal,
): Promise<Uint8Array> {
  signal.throwIfAborted();
  // Connecting and DNS ignore the signal: the wait ends anyway.
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([read(source, certificate, issuer, signal), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function read(
  { kind, url }: Source,
  certificate: Certificate,
  issuer: Certificate,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const asking = kind === 'ocsp' ? await ocspQuestion(certificate, issuer) : ({ method: 'GET' } as const);
  const answer = await request(url, { ...asking, signal });
  const maxBytes = kind === 'ocsp' ? MAX_OCSP_BYTES : MAX_CRL_BYTES;
  const bytes = await gatherUpTo(answer.body, maxBytes);
  if (bytes === null) throw new BadAnswer(`over ${maxBytes} bytes`);
  if (answer.statusCode !== 200) throw new BadAnswer(`HTTP ${answer.statusCode}`);
  return bytes;
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

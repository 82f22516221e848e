import { SHA256_BYTES, toHex } from '@acuse/evidence/bytes';
import { EvidenceError } from '@acuse/evidence/errors';
import { MAX_NOTE_BYTES } from '@acuse/evidence/note';
import { decodeEntryBundle, TILE_WIDTH, type TileRef, tilePath } from '@acuse/evidence/tiles';
import type { VerifierKey } from '@acuse/evidence/verifier-key';
import type { Dispatcher } from 'undici';
import { type CappedAnswer, cappedRequest, RequestFailed } from '../../platform/network/capped-request.ts';
import { withoutSlashesBehind } from '../../platform/slashes.ts';

/** A log's public data, unverified (C2SP tlog-tiles, and constancias). */
export interface LogClient {
  checkpoint(): Promise<Uint8Array>;
  tile(ref: TileRef): Promise<Uint8Array>;
  entries(index: number, width: number): Promise<Uint8Array>;
  certificate(treeSize: number): Promise<unknown>;
  ask(path: string): Promise<Uint8Array | null>;
  end(origin: string): Promise<string | null>;
  of(key: VerifierKey): LogClient;
}

/** The log may still be fine. */
export class LogUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'LogUnavailable';
  }
}

interface LogClientOptions {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  readonly dispatcher?: Dispatcher;
  readonly sleep: (ms: number) => Promise<void>;
}

const TIMEOUT_MS = 30_000;
/** After no answer or a server error. */
const TRIES = 3;
const RETRY_MS = 500;
const TILE_BYTES = TILE_WIDTH * SHA256_BYTES;
const ENTRY_BUNDLE_BYTES = TILE_WIDTH * (SHA256_BYTES + 2);
/** A token with its chain. */
const CERTIFICATE_BYTES = 2 * 1024 * 1024;
/** All ended logs. */
const ENDS_BYTES = 2 * 1024 * 1024;

export function createLogClient(options: LogClientOptions): LogClient {
  const prefix = withoutSlashesBehind(options.url);

  const get = (path: string, maxBytes: number) => askLog(options, `${prefix}/${path}`, { path, maxBytes });

  /** Null: not found. Throws EvidenceError `check` for a malformed answer. */
  async function maybe(path: string, maxBytes: number, check: string): Promise<CappedAnswer | null> {
    const answer = await get(path, maxBytes);
    if (answer.status === 404) return null;
    if (answer.status !== 200) throw new EvidenceError(check, `${path}: HTTP ${answer.status}`);
    return answer;
  }

  /** Throws EvidenceError `check` if not found. */
  async function must(path: string, maxBytes: number, check: string): Promise<Uint8Array> {
    const answer = await get(path, maxBytes);
    if (answer.status !== 200) throw new EvidenceError(check, `${path}: HTTP ${answer.status}`);
    return answer.bytes;
  }

  /** A partial tile may be gone once full. C2SP tlog-tiles, "Partial Tiles" */
  async function partialOrFull(
    level: number | 'entries',
    index: number,
    width: number,
  ): Promise<{ bytes: Uint8Array; width: number }> {
    const check = level === 'entries' ? 'entries' : 'tile';
    const maxBytes = level === 'entries' ? ENTRY_BUNDLE_BYTES : TILE_BYTES;
    if (width < TILE_WIDTH) {
      const partial = await get(tilePath(level, index, width), maxBytes);
      if (partial.status === 200) return { bytes: partial.bytes, width };
    }
    return { bytes: await must(tilePath(level, index, TILE_WIDTH), maxBytes, check), width: TILE_WIDTH };
  }

  return {
    checkpoint: () => must('checkpoint', MAX_NOTE_BYTES, 'checkpoint'),
    async tile({ level, index, width }) {
      const { bytes, width: got } = await partialOrFull(level, index, width);
      if (bytes.length !== got * SHA256_BYTES)
        throw new EvidenceError('tile', `${tilePath(level, index, got)} has ${bytes.length} bytes`);
      return bytes.subarray(0, width * SHA256_BYTES);
    },
    async entries(index, width) {
      const { bytes, width: got } = await partialOrFull('entries', index, width);
      const path = tilePath('entries', index, got);
      const entries = decodeEntries(bytes, got, path).slice(0, width);
      if (entries.some((entry) => entry.length !== SHA256_BYTES))
        throw new EvidenceError('entries', `${path} has an entry that is not a hash`);
      return new Uint8Array(Buffer.concat(entries));
    },
    ask: async (path) => (await maybe(path, MAX_NOTE_BYTES, 'outcomes'))?.bytes ?? null,
    async end(origin) {
      const answer = await get('end', ENDS_BYTES);
      return answer.status === 200 ? findEnd(answer.bytes, origin) : null;
    },
    of({ keyId }) {
      const own = `/of/${toHex(keyId)}`;
      return createLogClient({ ...options, url: prefix.endsWith(own) ? prefix : prefix + own });
    },
    async certificate(treeSize) {
      const path = `certificates/${treeSize}`;
      const answer = await maybe(path, CERTIFICATE_BYTES, 'constancia');
      return answer && readJson(answer.bytes, path);
    },
  };
}

/** Retries without an answer or on server errors. Throws LogUnavailable. */
async function askLog(
  options: LogClientOptions,
  url: string,
  { path, maxBytes }: { path: string; maxBytes: number },
): Promise<CappedAnswer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await cappedRequest({
        url,
        maxBytes,
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
        signal: options.signal,
        ...(options.dispatcher !== undefined && { dispatcher: options.dispatcher }),
      });
      if (answer.status < 500 && answer.status !== 429) return answer;
      if (attempt >= TRIES) throw new LogUnavailable(`${path}: HTTP ${answer.status}`);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      options.signal.throwIfAborted();
      if (attempt >= TRIES) throw new LogUnavailable(error.message, { cause: error });
    }
    await options.sleep(RETRY_MS * attempt);
  }
}

function readJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw new EvidenceError('constancia', `${path} is not JSON`, { cause });
  }
}

function decodeEntries(bytes: Uint8Array, width: number, path: string): Uint8Array[] {
  try {
    return decodeEntryBundle(bytes, width);
  } catch (cause) {
    if (!(cause instanceof EvidenceError)) throw cause;
    throw new EvidenceError('entries', `${path}: ${cause.detail}`, { cause });
  }
}

function findEnd(bytes: Uint8Array, origin: string): string | null {
  try {
    const { ended } = JSON.parse(Buffer.from(bytes).toString('utf8'));
    const note: unknown = ended.find((each: { origin?: unknown }) => each.origin === origin)?.note;
    return typeof note === 'string' ? note : null;
  } catch {
    return null;
  }
}

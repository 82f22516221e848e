import type { SMTPServerDataStream } from 'smtp-server';
import { Gathered } from '../gathered.ts';
import type { HeldBytes, Holding } from '../held-bytes.ts';
import { PROGRESS_BYTES_PER_SECOND } from './smtp-timeouts.ts';
import type { SmtpAnswer } from './smtp-types.ts';

/** Reads a message and refuses ambiguous content. */
export interface Receiver {
  /**
   * Resolves after the end of data. `by`: who is charged for the octets; `late` is called once when the
   * client is too slow.
   */
  receive(stream: SMTPServerDataStream, by: Charged, late: () => void): Promise<Received>;
}

export interface Charged {
  readonly owners: readonly string[];
  /** The larger networks. */
  readonly around: readonly string[];
}

export type Received =
  | { readonly kind: 'content'; readonly raw: Buffer; release(): void }
  | { readonly kind: 'refused'; readonly answer: SmtpAnswer };

export interface ReceiverOptions {
  readonly maxMessageBytes: number;
  /** Bounds memory over all messages. */
  readonly held: HeldBytes;
  readonly maxMs: number;
  /** Window (ms) in which PROGRESS_BYTES_PER_SECOND must arrive. */
  readonly progressMs: number;
  /** A bare LF is an error, or ends a line. */
  readonly bareLineFeeds: 'refused' | 'ends';
}

interface BareLineEnds {
  cr: boolean;
  lf: boolean;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

const TOO_LARGE: SmtpAnswer = { code: 552, text: '5.3.4 Refused: the message is too large' };
const TOO_MUCH: SmtpAnswer = { code: 452, text: '4.3.1 Too much mail at once, try again later' };
/** Nobody reads it. */
const GONE: SmtpAnswer = { code: 451, text: '4.4.2 Connection lost' };
const BARE_LINE_END: SmtpAnswer = { code: 550, text: '5.5.2 Refused: bare CR or LF in the message' };
const BARE_CR: SmtpAnswer = { code: 550, text: '5.5.2 Refused: bare CR in the message' };

export function createReceiver(options: ReceiverOptions): Receiver {
  async function read(
    stream: SMTPServerDataStream,
    holding: Holding,
    onBytes: (bytes: number) => void,
  ): Promise<Received> {
    const gathered = new Gathered();
    let size = 0;
    let shed: SmtpAnswer | null = null;
    const bare = { cr: false, lf: false };
    let previous = 0;
    // Others need the memory: the rest is read, and answered so.
    holding.yields(() => {
      shed = TOO_MUCH;
      gathered.clear();
    });
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        onBytes(chunk.length);
        findBareLineEnds(chunk, previous, bare);
        previous = chunk.at(-1) ?? previous;
        if (size > options.maxMessageBytes) shed = TOO_LARGE;
        else if (shed === null && !holding.add(chunk.length)) shed = TOO_MUCH;
        if (shed === null) gathered.add(chunk);
        else if (gathered.sizeBytes > 0) {
          gathered.clear();
          holding.release();
        }
      }
    } catch (error) {
      holding.release();
      if ((error as { code?: unknown }).code === 'ECONNECTION') return { kind: 'refused', answer: GONE };
      throw error;
    }
    holding.yields(null);
    bare.cr ||= previous === CR;
    const whole = shed === null ? gathered.bytes() : null;
    const raw = whole !== null && bare.lf && options.bareLineFeeds === 'ends' ? withLineEnds(whole) : whole;
    const refused = shed ?? (raw === null ? BARE_LINE_END : refusalOf(bare));
    if (refused === null && raw !== null) return { kind: 'content', raw, release: holding.release };
    holding.release();
    return { kind: 'refused', answer: refused ?? BARE_LINE_END };
  }

  function refusalOf({ cr, lf }: BareLineEnds): SmtpAnswer | null {
    if (options.bareLineFeeds === 'ends') return cr ? BARE_CR : null;
    return cr || lf ? BARE_LINE_END : null;
  }

  return {
    async receive(stream, { owners, around }, late) {
      const watch = watchProgress(options, late);
      try {
        return await read(stream, options.held.open(owners, around), watch.onBytes);
      } finally {
        watch.end();
      }
    },
  };
}

function watchProgress({ maxMs, progressMs }: ReceiverOptions, late: () => void) {
  const least = (PROGRESS_BYTES_PER_SECOND * progressMs) / 1_000;
  let bytes = 0;
  let told = false;
  const tell = () => {
    if (!told) late();
    told = true;
  };
  const whole = setTimeout(tell, maxMs).unref();
  function judge(): void {
    if (bytes < least) tell();
    bytes = 0;
  }
  // Read first what arrived while this process stood still.
  const stretch = setInterval(() => setImmediate(judge), progressMs).unref();
  return {
    onBytes(more: number) {
      bytes += more;
    },
    end() {
      told = true;
      clearTimeout(whole);
      clearInterval(stretch);
    },
  };
}

/** Finds CR without LF and LF without CR; `previous` is the last octet before the chunk. */
function findBareLineEnds(chunk: Uint8Array, previous: number, found: BareLineEnds): void {
  // Octet by octet: a search from line end to line end takes seven times as long for lines of one dot.
  let before = previous;
  for (let at = 0; at < chunk.length; at++) {
    const octet = chunk[at]!;
    if (octet === LF) found.lf ||= before !== CR;
    else if (before === CR) found.cr = true;
    before = octet;
  }
}

/**
 * Normalises line ends to CRLF. Null for a lone dot next to a bare LF, which some servers take for the end of
 * data (SMTP smuggling). RFC 5321 §4.1.1.4
 */
function withLineEnds(raw: Buffer): Buffer | null {
  let bare = 0;
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) {
    const isBare = raw[at - 1] !== CR;
    if (isBare) bare++;
    if (raw[at + 1] !== DOT) continue;
    if (raw[at + 2] === LF || (isBare && raw[at + 2] === CR && raw[at + 3] === LF)) return null;
  }
  const out = Buffer.allocUnsafe(raw.length + bare);
  let to = 0;
  let start = 0;
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) {
    if (raw[at - 1] === CR) continue;
    to += raw.copy(out, to, start, at);
    out[to++] = CR;
    out[to++] = LF;
    start = at + 1;
  }
  to += raw.copy(out, to, start);
  return out.subarray(0, to);
}

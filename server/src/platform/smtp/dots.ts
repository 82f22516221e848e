import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

interface Undotted {
  readonly content: Buffer;
  /** Where the end of data is in the piece; null: it goes on. */
  readonly end: number | null;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const LINE_WITH_DOT = Buffer.from('\n.');
/**
 * A connection that brings as much has its next piece in another turn of the event loop: libuv reads up to 32
 * pieces of a socket in one, and a few that send as fast as they can would make all others wait for them.
 */
const TURN_BYTES = 16_384;

/** The state before the next octet. */
type Place =
  | 'content'
  | 'cr'
  /** The beginning, or CRLF. */
  | 'line'
  /** A bare LF: a dot after it may be stuffed, and ends nothing. */
  | 'loose-line'
  /** Held back until the next octet. */
  | 'dot'
  | 'loose-dot'
  | 'dot-cr';

/**
 * Removes dot-stuffing and finds the end of data, CRLF.CRLF only, however the data is cut. RFC 5321 §4.5.2
 */
export function createUndotter(): (piece: Buffer) => Undotted {
  let place: Place = 'line';

  return (piece) => {
    if ((place === 'content' || place === 'cr') && piece.indexOf(LINE_WITH_DOT) === -1 && piece[0] !== DOT) {
      place = placeAfter(place, piece);
      return { content: piece, end: null };
    }
    // Room for held-back octets.
    const content = Buffer.allocUnsafe(piece.length + 2);
    let size = 0;
    for (let at = 0; at < piece.length; at++) {
      const octet = piece[at]!;
      if (place === 'dot-cr') {
        if (octet === LF) return { content: content.subarray(0, size), end: at + 1 };
        content[size++] = DOT;
        content[size++] = CR;
        place = 'cr';
      } else if (place === 'dot' || place === 'loose-dot') {
        if (octet === CR && place === 'dot') {
          place = 'dot-cr';
          continue;
        }
        if (octet !== DOT) content[size++] = DOT;
        place = 'content';
      } else if (octet === DOT && (place === 'line' || place === 'loose-line')) {
        place = place === 'line' ? 'dot' : 'loose-dot';
        continue;
      }
      content[size++] = octet;
      if (octet === CR) place = 'cr';
      else if (octet === LF) place = place === 'cr' ? 'line' : 'loose-line';
      else place = 'content';
    }
    return { content: content.subarray(0, size), end: null };
  };
}

function placeAfter(before: Place, piece: Buffer): Place {
  const last = piece.at(-1);
  if (last === undefined) return before;
  if (last === CR) return 'cr';
  if (last !== LF) return 'content';
  const previous = piece.length > 1 ? piece.at(-2) : before === 'cr' ? CR : null;
  return previous === CR ? 'line' : 'loose-line';
}

/**
 * Replaces the library's dot parser, which makes a chunk and a turn per dot, ignores back-pressure and takes
 * 18 times as long on lines of dots.
 */
export function takeDotsOut(parser: SMTPStream): SMTPStream {
  let stream: SMTPStream['_dataStream'] = null;
  let undot = createUndotter();

  parser._feedDataStream = (piece, done) => {
    if (parser._dataStream !== stream) {
      stream = parser._dataStream;
      undot = createUndotter();
    }
    const { content, end } = undot(piece);
    parser._countDataBytes(content.length);
    if (end !== null) return parser._endDataMode(content, piece.subarray(end), done);
    const next = piece.length < TURN_BYTES ? done : () => void setImmediate(done);
    if (content.length === 0 || stream === null || !stream.writable || stream.write(content)) return next();
    const waited = stream;
    const goOn = () => {
      waited.off('drain', goOn);
      waited.off('close', goOn);
      next();
    };
    // A destroyed stream never drains.
    if (waited.destroyed) return next();
    waited.once('drain', goOn);
    waited.once('close', goOn);
  };
  return parser;
}

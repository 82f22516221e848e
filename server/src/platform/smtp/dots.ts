import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

/** What a piece of a message's data comes to. */
export interface Undotted {
  /** Without the dots that were added for the way. */
  readonly content: Buffer;
  /** Where in the piece the end of the data ends; null: it goes on. */
  readonly end: number | null;
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const LINE_WITH_DOT = Buffer.from('\n.');

/** As far as dots go, what the next octet follows. */
type Place =
  | 'content'
  | 'cr'
  /** The beginning, or CRLF. */
  | 'line'
  /** LF alone: the dot of a line after it may be an added one, and ends nothing. */
  | 'loose-line'
  /** These, held back until the next octet says what they are. */
  | 'dot'
  | 'loose-dot'
  | 'dot-cr';

/**
 * Takes the added dots out of the data of one message and finds its end, CRLF.CRLF alone, however the data is
 * cut. RFC 5321 §4.5.2
 */
export function createUndotter(): (piece: Buffer) => Undotted {
  let place: Place = 'line';

  return (piece) => {
    if ((place === 'content' || place === 'cr') && piece.indexOf(LINE_WITH_DOT) === -1 && piece[0] !== DOT) {
      place = placeAfter(place, piece);
      return { content: piece, end: null };
    }
    // What was held back may come before it.
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

/** After a piece without a line that begins with a dot. */
function placeAfter(before: Place, piece: Buffer): Place {
  const last = piece.at(-1);
  if (last === undefined) return before;
  if (last === CR) return 'cr';
  if (last !== LF) return 'content';
  const previous = piece.length > 1 ? piece.at(-2) : before === 'cr' ? CR : null;
  return previous === CR ? 'line' : 'loose-line';
}

/**
 * Has the library's parser take dots out in this way. Its own makes a chunk and a turn of the event loop for
 * each, waits for no reader in between, and so takes 18 times as long over lines of dots.
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
    if (content.length === 0 || stream === null || !stream.writable || stream.write(content)) return done();
    const waited = stream;
    const goOn = () => {
      waited.off('drain', goOn);
      waited.off('close', goOn);
      done();
    };
    // One that was destroyed never drains.
    if (waited.destroyed) return done();
    waited.once('drain', goOn);
    waited.once('close', goOn);
  };
  return parser;
}

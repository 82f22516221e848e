import { PassThrough } from 'node:stream';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { describe, expect, test } from 'vitest';
import { createUndotter, takeDotsOut } from '../../src/platform/smtp/dots.ts';

/** The data by RFC 5321 §4.5.2, read as a whole; what follows its end; null: it has none. */
function asWhole(data: string): { content: string; rest: string } | null {
  const end = /(?:^|\r\n)\.\r\n/.exec(data);
  if (end === null) return null;
  const dotted = data.slice(0, end.index + end[0].length - 3);
  return {
    content: dotted.replace(/(^|\n)\.\./g, '$1.'),
    rest: data.slice(end.index + end[0].length),
  };
}

function inPieces(pieces: readonly string[]): { content: string; rest: string } | null {
  const undot = createUndotter();
  let content = '';
  for (const [index, piece] of pieces.entries()) {
    const read = undot(Buffer.from(piece, 'latin1'));
    content += read.content.toString('latin1');
    if (read.end !== null) return { content, rest: piece.slice(read.end) + pieces.slice(index + 1).join('') };
  }
  return null;
}

const END = '\r\n.\r\nQUIT\r\n';
const SIGNS = ['.', '\r', '\n', 'x'];

/** Every text of these signs. */
function* texts(length: number): Generator<string> {
  if (length === 0) return yield '';
  for (const rest of texts(length - 1)) for (const sign of SIGNS) yield sign + rest;
}

describe('dots', () => {
  test('are taken out, and the end is found, of every text of six signs, whole, octet by octet and cut in two', () => {
    let compared = 0;
    for (let length = 0; length <= 6; length++) {
      for (const text of texts(length)) {
        const data = text + END;
        const whole = asWhole(data);
        const cuts = [[data], [...data]];
        for (let at = 1; at < data.length; at++) cuts.push([data.slice(0, at), data.slice(at)]);
        const wrong = cuts.find((pieces) => JSON.stringify(inPieces(pieces)) !== JSON.stringify(whole));
        expect(wrong, JSON.stringify(data)).toBeUndefined();
        compared += cuts.length;
      }
    }
    expect(compared).toBeGreaterThan(80_000);
  });

  test.each([
    ['a line of one dot first, its own piece', ['..', '\r\n', 'x', END], '.\r\nx\r\n'],
    [
      'a dot in a piece of its own is no end before CRLF',
      ['a\r\n', '.', '.\r\n', 'b', END],
      'a\r\n.\r\nb\r\n',
    ],
    ['an empty message', ['.\r\nQUIT\r\n'], ''],
    ['LF.LF and LF.CRLF end nothing', ['a\n.\nb\n.\r\nc', END], 'a\n.\nb\n.\r\nc\r\n'],
    ['CRLF.LF and CR.CR end nothing', ['a\r\n.\nb\r.\rc', END], 'a\r\n.\nb\r.\rc\r\n'],
    ['a dot before other signs stays', ['.a\r\n.b', END], '.a\r\n.b\r\n'],
    ['octets beyond ASCII', ['\xff\x00\r\n..\xfe', END], '\xff\x00\r\n.\xfe\r\n'],
  ])('%s', (_, pieces, content) => {
    expect(inPieces(pieces)).toEqual({ content, rest: 'QUIT\r\n' });
  });

  test('a piece without any is not copied', () => {
    const undot = createUndotter();
    undot(Buffer.from('Subject: x\r\n'));
    undot(Buffer.from('y'));
    const piece = Buffer.from('a line\r\nand.another.\r\n');
    expect(undot(piece).content).toBe(piece);
  });
});

describe('in the parser', () => {
  test('lines of dots come through in as many chunks as were written, which wait for their reader', async () => {
    const parser = takeDotsOut(new SMTPStream());
    const data = parser.startDataMode();
    const piece = Buffer.from('..\r\n'.repeat(16_384));
    let taken = 0;
    const write = (bytes: Buffer) =>
      new Promise<void>((resolve) => parser.write(bytes, () => resolve(void taken++)));
    const written = [write(piece), write(piece), write(Buffer.from('.\r\nNOOP\r\n'))];
    await new Promise((resolve) => setImmediate(resolve));
    // Nobody reads: the first is more than the stream holds.
    expect(taken).toBe(0);
    const chunks: Buffer[] = [];
    const commands: string[] = [];
    parser.oncommand = (command, done) => {
      commands.push(command.toString());
      done?.();
    };
    data.on('end', () => parser.continue());
    data.on('data', (chunk: Buffer) => chunks.push(chunk));
    await Promise.all(written);
    expect(chunks.length).toBeLessThanOrEqual(3);
    expect(Buffer.concat(chunks).equals(Buffer.from('.\r\n'.repeat(2 * 16_384)))).toBe(true);
    expect(commands).toEqual(['NOOP']);
  });

  test('of a flood one piece is read in a turn of the event loop', async () => {
    const parser = takeDotsOut(new SMTPStream());
    parser.startDataMode().resume();
    let taken = 0;
    for (let at = 0; at < 5; at++) parser.write(Buffer.alloc(65_536, 'x'), () => void taken++);
    const seen: number[] = [];
    while (taken < 5) {
      seen.push(taken);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([...new Set(seen)]).toEqual([0, 1, 2, 3, 4]);
  });

  test('one whose reader went away goes on with what follows the end', async () => {
    const parser = takeDotsOut(new SMTPStream());
    const commands: string[] = [];
    parser.oncommand = (command, done) => {
      commands.push(command.toString());
      done?.();
    };
    const data = parser.startDataMode();
    data.on('error', () => {});
    data.destroy();
    parser.continue();
    const input = new PassThrough();
    input.pipe(parser);
    input.write(`..\r\n${'x'.repeat(100_000)}\r\n`);
    input.end('.\r\nNOOP\r\n');
    await new Promise((resolve) => parser.on('finish', resolve));
    expect(commands).toEqual(['NOOP']);
  });
});

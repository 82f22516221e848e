import { describe, expect, it } from 'vitest';
import { readBlindCopies, withoutBlindCopies } from '../src/blind-copies.ts';
import { parseMessage } from '../src/parse.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const without = (text: string) => Buffer.from(withoutBlindCopies(bytes(text))).toString('latin1');

describe('a message without its Bcc', () => {
  const table: [string, string, string][] = [
    [
      'in the middle',
      'A: 1\r\nBcc: x@a.test\r\nB: 2\r\n\r\nBcc: body\r\n',
      'A: 1\r\nB: 2\r\n\r\nBcc: body\r\n',
    ],
    ['first, and with LF', 'bcc: x@a.test\nA: 1\n\nbody', 'A: 1\n\nbody'],
    ['last', 'A: 1\r\nBCC:x@a.test\r\n\r\nbody', 'A: 1\r\n\r\nbody'],
    [
      'folded',
      'A: 1\r\nBcc: x@a.test,\r\n\ty@a.test\r\n z@a.test\r\nB: 2\r\n 3\r\n\r\n',
      'A: 1\r\nB: 2\r\n 3\r\n\r\n',
    ],
    ['twice in a row', 'Bcc: x@a.test\r\nBcc: y@a.test\r\nA: 1\r\n\r\n', 'A: 1\r\n\r\n'],
    [
      'twice apart',
      'Bcc: x@a.test\r\nA: 1\r\nBcc: y@a.test\r\n z@a.test\r\nB: 2\r\n\r\n',
      'A: 1\r\nB: 2\r\n\r\n',
    ],
    ['with nothing after it', 'A: 1\r\nBcc: x@a.test', 'A: 1\r\n'],
    ['behind a mailbox line', 'From a Thu\r\nBcc: x@a.test\r\nA: 1\r\n\r\n', 'From a Thu\r\nA: 1\r\n\r\n'],
  ];
  it.each(table)('%s', (_, given, expected) => {
    expect(without(given)).toBe(expected);
  });

  it.each(['A: Bcc: x\r\n Bcc: y\r\nX-Bcc: z\r\nBccs: z\r\n\r\nBcc: b\r\n', '', '\r\nBcc: x'])(
    '%j has none, and is the same bytes',
    (given) => {
      const message = bytes(given);
      expect(withoutBlindCopies(message)).toBe(message);
    },
  );
});

describe('the Bcc field', () => {
  const read = (...lines: string[]) =>
    readBlindCopies(
      parseMessage(bytes(['From: a@a.test', 'To: b@a.test', ...lines, '', 'T', ''].join('\r\n')))
        .submittedHeader,
    );

  it('names mailboxes, or nobody', () => {
    expect(read('Bcc: Eva <eva@a.test>,\r\n =?utf-8?q?Jos=C3=A9?= <jose@a.test>')).toMatchObject([
      { displayName: 'Eva', address: 'eva@a.test' },
      { displayName: 'José', address: 'jose@a.test' },
    ]);
    expect(read('Bcc: ')).toEqual([]);
    expect(read()).toEqual([]);
  });

  it('stands once, and can be read', () => {
    expect(() => read('Bcc: a@a.test', 'bcc: b@a.test')).toThrow(
      'bcc: the message must have this header only once',
    );
    expect(() => read('Bcc: nobody')).toThrow('bcc: ');
  });
});

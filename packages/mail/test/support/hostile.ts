import fc from '@acuse/testkit/properties';
import { SEED } from './factories.ts';

/**
 * Pieces that break mail software somewhere: line ends, controls, look-alikes of our own syntax, every plane
 * of Unicode.
 */
const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    '\n',
    '\r',
    '\r\nBcc: victim@example.net\r\n',
    '\r\n\r\n<script>',
    '\r\n.\r\n',
    '\n.\n',
    '.',
    '..',
    'From ',
    '\nFrom me',
    '>From ',
    '\t',
    ' ',
    '   ',
    '\u00a0',
    '\u2028',
    '\u0085',
    '\u202e',
    '\u200b',
    '\ufeff',
    '=',
    '=\r\n',
    '=20',
    '=?utf-8?q?=0D=0ABcc:_x?=',
    '=?',
    '?=',
    '"',
    '\\',
    '<x@example.net>',
    ';',
    ',',
    '(',
    `--=_${SEED}_1`,
    `\r\n--=_${SEED}_1\r\n\r\n`,
    `--=_${SEED}_1--`,
    '--',
    '-- \n',
    'ñ',
    '名前',
    '👩‍👩‍👧‍👦',
    'e\u0301',
    '\ud83d\ude00',
    'x'.repeat(80),
    `${'word '.repeat(20)}`,
    '/',
    '..\\',
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

/** Rare enough that most texts get through without them. */
const refusedEverywhere = fc.constantFrom('\0', '\ud800', '\udc00');

export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 60, arbitrary: piece }, { weight: 1, arbitrary: refusedEverywhere }), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

/** Header text that is accepted more often than not: the same without line ends and controls. */
export const headerLikeText: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: hostileText },
  { weight: 9, arbitrary: hostileText.map((text) => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/gu, '')) },
);

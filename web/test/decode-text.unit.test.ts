import { expect, test } from 'vitest';
import { decodeText } from '../shared/mail/decode-text.ts';

const bytes = (of: Uint8Array) => new Uint8Array(of).buffer;
const utf8 = new TextEncoder().encode('contraseña');

test.each([
  ['UTF-8', utf8, { text: 'contraseña', guessed: false }],
  ['UTF-8, cut through its last character', utf8.slice(0, -2), { text: 'contrase\ufffd', guessed: false }],
  ['ISO-8859-1', Buffer.from('contrase\xf1a', 'latin1'), { text: 'contraseña', guessed: true }],
  ['nothing', new Uint8Array(), { text: '', guessed: false }],
])('%s', (_name, given, expected) => {
  expect(decodeText(bytes(given))).toEqual(expected);
});

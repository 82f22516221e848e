import { expect, test } from 'vitest';
import { shownText, visible } from '../shared/format/foreign-text.ts';

test.each([
  ['an override', 'exe.\u202egpj', 'exe.\ufffdgpj'],
  ['isolates and marks', '\u2066a\u2069\u200eb\u061c', '\ufffda\ufffd\ufffdb\ufffd'],
  ['a space without width', 'pay\u200bpal', 'pay\ufffdpal'],
  ['controls of C0 and C1', 'a\u0000b\u001b[31mc\u009b', 'a\ufffdb\ufffd[31mc\ufffd'],
  ['line separators', 'a\u2028b\u2029c', 'a\ufffdb\ufffdc'],
  ['what would break the line', 'a\r\nb\tc', 'a  b c'],
  ['letters that draw nothing', 'a\u3164b\u115fc\u2800', 'a\ufffdb\ufffdc\ufffd'],
  ['tags behind a letter', 'a\u{e0041}\u{e007f}', 'a\ufffd\ufffd'],
  ['a joiner between letters that do not join', 'pay\u200dpal', 'pay\ufffdpal'],
  ['a byte order mark', '\ufeffHola', '\ufffdHola'],
])('%s is shown', (_what, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
  ['a heart with its presentation, and a rainbow flag', '\u2764\ufe0f \u{1f3f3}\ufe0f\u200d\u{1f308}'],
  ['a skin tone', '\u{1f44d}\u{1f3fd}'],
  ['a flag of tags', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ['a keycap', '1\ufe0f\u20e3'],
  ['Persian with its joiner', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
  ['Hindi with its joiner', '\u0915\u094d\u200d\u0937'],
  ['Spanish, Hebrew and Chinese', 'Facturación ¿ñ? שלום 发票'],
])('%s stays as it is', (_what, text) => {
  expect(visible(text)).toBe(text);
});

test.each([null, undefined, '', ' \t\n', '\u200b', '\u00a0\u2800', '\u202e\u200f', '\ufe0f'])(
  'where there is nothing to see, it says so: %j',
  (text) => {
    expect(shownText(text, '(no subject)')).toBe('(no subject)');
  },
);

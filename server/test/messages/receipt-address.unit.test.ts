import { createCustomHeaders } from '@acuse/mail/custom-headers';
import { expect, test } from 'vitest';
import { withReceiptAddress } from '../../src/messages/make-message.ts';

const HOST = 'bounce.shop.example';
const fieldsOf = (value: string, host: string | null = HOST) =>
  withReceiptAddress(createCustomHeaders([['Disposition-notification-to', value]]), host)
    .map(({ field }) => field.replaceAll('\r\n ', ' '))
    .join('');

test.each([
  ['ana@shop.example', 'ana@shop.example, receipt@bounce.shop.example'],
  ['"Ana, S.A." <ana@shop.example>', '"Ana, S.A." <ana@shop.example>, receipt@bounce.shop.example'],
  ['a@x.example, b@x.example', 'a@x.example, b@x.example, receipt@bounce.shop.example'],
])('who asks for a read receipt gets it, and so do we: %s', (given, expected) => {
  expect(fieldsOf(given)).toBe(`Disposition-notification-to: ${expected}\r\n`);
});

test('without a bounce host, or without room, it goes as it came', () => {
  expect(fieldsOf('ana@shop.example', null)).toBe('Disposition-notification-to: ana@shop.example\r\n');
  const long = Array.from({ length: 200 }, (_, at) => `${'x'.repeat(30)}${at}@shop.example`).join(', ');
  const fits = long.slice(0, long.lastIndexOf(',', 4_090));
  expect(fieldsOf(fits)).not.toContain('receipt@');
});

test('nobody is asked who was not', () => {
  const headers = createCustomHeaders([['X-Order', '1']]);
  expect(withReceiptAddress(headers, HOST)).toEqual(headers);
});

import { describe, expect, test } from 'vitest';
import { NO_FILTERS, readText, toQuery } from '../portal/src/pages/messages/filters.ts';
import { toCurl } from '../shared/api/curl.ts';
import { toCsv } from '../shared/format/csv.ts';
import { createFormat } from '../shared/format/format.ts';
import {
  number,
  oneOf,
  parseSearchText,
  readSearch,
  searchText,
  text,
  writeSearch,
} from '../shared/routing/search.ts';
import { languageOf } from '../shared/words/words.ts';

describe('dates and numbers', () => {
  const mexico = createFormat('es', 'America/Mexico_City');
  test('half past midnight in UTC is the evening before in Mexico City, and a UTC day stays itself', () => {
    expect(mexico.dateTime('2026-11-22T00:30:00Z')).toBe('21 nov 2026, 18:30 CST');
    expect(mexico.utcDay('2026-11-22')).toBe('22 nov');
    expect(mexico.utc('2026-11-22T00:30:00.123Z')).toBe('2026-11-22 00:30:00 UTC');
  });
  test('clocks change where they do, and say which they are', () => {
    const [es, en] = [createFormat('es', 'America/Tijuana'), createFormat('en', 'America/Tijuana')];
    expect(es.dateTime('2027-03-14T09:59:00Z')).toBe('14 mar 2027, 01:59 PST');
    expect(es.dateTime('2027-03-14T10:00:00Z')).toBe('14 mar 2027, 03:00 PDT');
    expect(en.dateTime('2027-11-07T08:59:00Z')).toBe('Nov 7, 2027, 01:59 PDT');
    expect(en.dateTime('2027-11-07T09:00:00Z')).toBe('Nov 7, 2027, 01:00 PST');
    // Most of Mexico has had one time all year since 2022.
    expect(mexico.dateTime('2027-07-01T12:00:00Z')).toBe('1 jul 2027, 06:00 CST');
    expect(createFormat('es', 'Europe/Madrid').dateTime('2027-01-01T12:00:00Z')).toMatch(/13:00 GMT\+1$/);
  });
  test('amounts, shares, sizes and durations', () => {
    const english = createFormat('en', 'UTC');
    expect(english.bytes(1536)).toBe('1.5 KiB');
    expect(english.duration(125_000)).toBe('2 min 5 s');
    expect(english.duration(41)).toBe('41 ms');
    expect(english.percent(0.982)).toBe('98.2%');
    expect(mexico.money(5, 'MXN')).toBe('$0.05');
    expect(mexico.money(5, 'USD')).toBe('USD\u00a00.05');
    expect(mexico.money(123_450, undefined)).toBe('1,234.50');
  });
  test('a zone that nobody knows is UTC', () => {
    expect(createFormat('en', 'Mars/Olympus').time('2026-11-22T10:31:00Z')).toBe('10:31');
  });
});

test('the first language that we speak counts, Spanish where there is none', () => {
  expect([['fr', 'en-GB', 'es'], ['es-MX'], ['fr'], []].map(languageOf)).toEqual(['en', 'es', 'es', 'es']);
});

describe('search parameters', () => {
  const schema = { q: text(), days: number(14, { min: 1, max: 90 }), seal: oneOf(['any', 'plain'], 'any') };
  test('what does not fit is the default, and defaults stay out of the address', () => {
    expect(readSearch(schema, parseSearchText('q=a+b&days=900&seal=no&x=1'))).toEqual({
      q: 'a b',
      days: 14,
      seal: 'any',
    });
    expect(searchText(writeSearch(schema, { q: '', days: 30, seal: 'any' }))).toBe('?days=30');
  });
});

describe('the text filter of messages', () => {
  test.each([
    ['to:ana@example.com status:bounced', { to: 'ana@example.com', status: 'bounced' }],
    ['reason:mailbox_full', { reason: 'mailbox_full' }],
    ['ana@example.com', { q: 'ana@example.com' }],
    ['subject:"A 1042" tag:invoice', { subject: 'A 1042', tag: 'invoice' }],
    ['factura marzo tag:invoice', { q: 'factura marzo', tag: 'invoice' }],
    ['Re: hola', { q: 'Re: hola' }],
    ['', {}],
  ])('%s', (given, expected) => {
    expect(readText(given)).toEqual(expected);
  });
  test('a period of a link stands in the place of the usual one', () => {
    const query = toQuery({ ...NO_FILTERS, created_after: '2026-11-22T00:00:00Z' });
    expect(query).toEqual({ created_after: '2026-11-22T00:00:00Z', created_before: '' });
  });
  test('an answer of the recipient is a filter of the list', () => {
    const search = { ...NO_FILTERS, acknowledgement: 'refused' } as const;
    expect(toQuery(search)).toMatchObject({ acknowledgement: 'refused' });
  });
});

test('a cell never becomes a formula, and quotes are doubled', () => {
  expect(toCsv([['=1+1', 'a "b", c', null, 7]])).toBe('\'=1+1,"a ""b"", c",,7\r\n');
  expect(toCsv([['x;=1;y;-2', 'x; =1', -7]])).toBe("x;'=1;y;'-2,x; =1,-7\r\n");
});

test('the command is quoted for a shell', () => {
  const call = { method: 'POST', path: "/messages?q=it's", body: { subject: "it's" } };
  expect(toCurl('https://mail.example.com', call)).toBe(
    [
      `curl -sS -X POST 'https://mail.example.com/v1/messages?q=it'\\''s'`,
      `-H "Authorization: Bearer $ACUSE_API_KEY"`,
      `-H 'Content-Type: application/json'`,
      `-d '{"subject":"it'\\''s"}'`,
    ].join(' \\\n  '),
  );
});

import { expect, test } from 'vitest';
import {
  EXCERPT_HEADERS_MAX,
  EXCERPT_HEADERS_MAX_CHARS,
  EXCERPT_MAX_BYTES,
  excerptOf,
} from '../../src/platform/network/answer-excerpt.ts';

const bytes = (text: string) => Buffer.from(text, 'utf8');

test('the body is cut between characters, and is text whatever it was', () => {
  const { excerpt } = excerptOf({}, bytes(`${'a'.repeat(EXCERPT_MAX_BYTES - 1)}ñ`));
  expect(excerpt).toBe('a'.repeat(EXCERPT_MAX_BYTES - 1));
  expect(excerptOf({}, Buffer.from([0x61, 0, 0xff, 0x62])).excerpt).toBe('a\ufffd\ufffdb');
  expect(excerptOf({}, bytes('')).excerpt).toBe('');
});

test('header fields are bounded in number and in length, and open no session', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'v']));
  expect(Object.keys(excerptOf(many, bytes('')).headers)).toHaveLength(EXCERPT_HEADERS_MAX);
  const long = { 'x-a': 'v'.repeat(4_000), 'x-b': 'v'.repeat(4_000) };
  expect(Object.keys(excerptOf(long, bytes('')).headers)).toEqual(['x-a']);
  expect(JSON.stringify(excerptOf(long, bytes('')).headers).length).toBeLessThan(
    EXCERPT_HEADERS_MAX_CHARS + 100,
  );
  expect(excerptOf({ 'set-cookie': ['a=b', 'c=d'], via: ['1', '2'] }, bytes('')).headers).toEqual({
    'set-cookie': '(hidden)',
    via: '1, 2',
  });
});

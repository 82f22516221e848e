import { expect, test } from 'vitest';
import { Blob } from '../../src/platform/blob.ts';

const partsOf = ({ bytes, from, lengths }: Blob) =>
  from.map((start, at) => bytes.subarray(start - 1, start - 1 + lengths[at]!).toString());

test('each part is found where it says, and one that follows itself is there once', () => {
  const [a, b, empty] = ['first', 'zweite ñ', ''].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  const blob = new Blob([a, a, b, b, b, empty, empty, a]);
  expect(partsOf(blob)).toEqual(['first', 'first', 'zweite ñ', 'zweite ñ', 'zweite ñ', '', '', 'first']);
  expect(blob.bytes.toString()).toBe('firstzweite ñfirst');
  // Equal bytes of another object are another part.
  expect(new Blob([a, Buffer.from(a)]).bytes).toHaveLength(2 * a.length);
  expect(new Blob([]).bytes).toHaveLength(0);
});

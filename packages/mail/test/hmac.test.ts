import { createHmac } from 'node:crypto';
import fc from '@acuse/testkit/properties';
import { describe, expect, it } from 'vitest';
import { hmacSha256 } from '../src/hmac.ts';

describe('HMAC-SHA-256 with kept pads', () => {
  it('is what a whole HMAC is, for keys shorter and longer than a block', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 300 }), (key, data) => {
        const expected = createHmac('sha256', key).update(data).digest('hex');
        // Twice: made, then kept.
        for (let round = 0; round < 2; round++) expect(hmacSha256(key, data).toString('hex')).toBe(expected);
      }),
    );
  });
});

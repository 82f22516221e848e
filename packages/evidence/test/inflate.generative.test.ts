import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { InflateError, inflate } from '../src/inflate.ts';

/** The content by zlib, or null where it refuses it or does not read all of it. */
function byZlib(packed: Uint8Array): Uint8Array | null {
  try {
    const { buffer, engine } = inflateRawSync(packed, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return engine.bytesWritten === packed.length ? new Uint8Array(buffer) : null;
  } catch {
    return null;
  }
}

function byOurs(packed: Uint8Array, size: number): Uint8Array | null {
  try {
    return inflate(packed, size);
  } catch (error) {
    expect(error).toBeInstanceOf(InflateError);
    return null;
  }
}

const TEXT = fc.oneof(
  fc.uint8Array({ maxLength: 600 }),
  fc.array(fc.constantFrom('constancia', 'acuse ', 'sello', '\n', '0123456789', 'ñ'), { maxLength: 400 }),
);
const PACKERS = fc.record({
  level: fc.constantFrom(0, 1, 6, 9),
  strategy: fc.constantFrom(
    constants.Z_DEFAULT_STRATEGY,
    constants.Z_HUFFMAN_ONLY,
    constants.Z_RLE,
    constants.Z_FIXED,
  ),
  memLevel: fc.constantFrom(1, 8),
});
const PACKED = fc
  .record({ text: TEXT, packer: PACKERS })
  .map(({ text, packer }) => deflateRawSync(text instanceof Uint8Array ? text : text.join(''), packer));

describe('compressed data is read as zlib reads it', () => {
  test('whole', () => {
    fc.assert(
      fc.property(PACKED, (packed) => {
        const content = byZlib(packed)!;
        expect(byOurs(packed, content.length)).toEqual(content);
        expect(byOurs(packed, content.length + 1)).toBeNull();
        if (content.length > 0) expect(byOurs(packed, content.length - 1)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  // The first bytes hold the sets of codes, where a lenient reader differs.
  const WHERE = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 1 << 20 }));
  test('with bits changed, and cut', () => {
    let read = 0;
    fc.assert(
      fc.property(PACKED, fc.array(WHERE, { minLength: 1, maxLength: 3 }), fc.nat(), (whole, places, cut) => {
        const packed = new Uint8Array(cut % 5 === 0 ? whole.subarray(0, cut % whole.length) : whole);
        for (const place of places) {
          const bit = place % (packed.length * 8 || 1);
          if (packed.length > 0) packed[bit >> 3]! ^= 1 << (bit & 7);
        }
        const content = byZlib(packed);
        if (content !== null) read++;
        // Without zlib's word for the length, any: what it refuses is refused whatever the length.
        expect(byOurs(packed, content?.length ?? 4096)).toEqual(content);
      }),
      { numRuns: 4_000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});

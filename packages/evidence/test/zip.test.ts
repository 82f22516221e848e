import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leastCost, leastCostOf } from '@acuse/testkit/processor-cost';
import fc from '@acuse/testkit/properties';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { brokenZips, packZip } from '@acuse/testkit/vectors/broken-zip';
import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { bundleToJson, readBundle, writeBundle } from '../src/bundle.ts';
import { MAX_BUNDLE_ENTRIES } from '../src/bundle-entries.ts';
import { utf8 } from '../src/bytes.ts';
import { crc32 } from '../src/crc32.ts';
import { EvidenceError } from '../src/errors.ts';
import { verifyBundle } from '../src/verify.ts';
import { readZip, writeZip, type ZipLimits } from '../src/zip.ts';
import { completeBundle } from './bundle-support.ts';
import { expectRefusal, sha256 } from './support.ts';

const MIB = 1024 * 1024;
/** The most that a hostile bundle may cost, in plain readings of 25 MiB. */
const COST_MAX = 20;
const limits: ZipLimits = {
  entries: 4,
  totalBytes: 8 * MIB,
  entryBytes: (name) => (/^[a-d]$/.test(name) ? 4 * MIB : undefined),
};
const bundle = await completeBundle();
const zip = writeBundle(bundle);

test('CRC-32 of "123456789"', () => expect(crc32(utf8('123456789'))).toBe(0xcbf43926));

describe('writing', () => {
  test('the same entries make the same bytes, in whatever order they came', () => {
    expect(Buffer.compare(zip, writeBundle(new Map([...bundle].reverse())))).toBe(0);
  });

  test('unzip, zip and Python agree; files that they pack again alone are read, folders and more are not', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'bundle.zip'), zip);
    expect(execFileSync('unzip', ['-t', 'bundle.zip'], { cwd: folder }).toString()).toContain(
      'No errors detected',
    );
    execFileSync('unzip', ['-q', 'bundle.zip', '-d', 'out'], { cwd: folder });
    expect(readFileSync(join(folder, 'out/manifest.json'))).toEqual(
      Buffer.from(bundle.get('manifest.json')!),
    );
    expect(
      execFileSync('python3', ['-m', 'zipfile', '-t', 'bundle.zip'], { cwd: folder }).toString(),
    ).toContain('Done testing');
    const again = async (name: string, options: string[]) => {
      execFileSync('zip', ['-q', ...options, `../${name}`, '.'], { cwd: join(folder, 'out') });
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      const { checks } = await verifyBundle(bytes, { sha256, now: new Date() });
      return checks.find(({ ok }) => !ok)?.detail ?? 'valid';
    };
    expect(await again('plain.zip', ['-r', '-D', '-X'])).toBe('valid');
    expect(await again('folders.zip', ['-r', '-X'])).toMatch(/folder/);
    expect(await again('extra.zip', ['-r', '-D'])).toMatch(/another program packed it/);
  });

  test('what another packer deflated is read', async () => {
    const other = zipSync(Object.fromEntries(bundle), { level: 9 });
    expect(other.length).toBeLessThan(zip.length);
    expect((await verifyBundle(other, { sha256, now: new Date() })).valid).toBe(true);
  });
});

const entries = [
  { name: 'a', bytes: utf8('alpha alpha alpha alpha alpha') },
  { name: 'b', bytes: new Uint8Array(0) },
];
const packed = zipSync({ a: entries[0]!.bytes, b: entries[1]!.bytes });
const stored = writeZip(entries);

/** Overwrites a field of the central directory entry number `n`, or of its end record for -1. */
function patched(zipBytes: Uint8Array, n: number, offset: number, ...bytes: number[]): Uint8Array {
  const out = Buffer.from(zipBytes);
  const end = out.length - 22;
  let at = out.readUInt32LE(end + 16);
  for (let i = 0; i < n; i++) at += 46 + out.readUInt16LE(at + 28) + out.readUInt16LE(at + 30);
  out.set(bytes, (n < 0 ? end : at) + offset);
  return new Uint8Array(out);
}

/** The same field in both headers of entry 0; `offset`: in the directory's. */
function patchedBoth(zipBytes: Uint8Array, offset: number, ...bytes: number[]): Uint8Array {
  const out = Buffer.from(patched(zipBytes, 0, offset, ...bytes));
  out.set(bytes, offset - 2);
  return new Uint8Array(out);
}

describe('hostile ZIPs', () => {
  test('both ways of packing are read', () => {
    expect(readZip(packed, limits)).toEqual(entries);
    expect(readZip(stored, limits)).toEqual(entries);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(0), /does not end/],
    ['an end record alone, cut', stored.subarray(stored.length - 21), /does not end/],
    ['bytes behind', new Uint8Array([...stored, 0]), /does not end/],
    ['a comment', patched(stored, -1, 20, 1), /does not end/],
    ['bytes before', new Uint8Array([0, ...stored]), /directory is not at the position/],
    ['several disks', patched(stored, -1, 4, 1), /several files/],
    ['more entries than there are', patched(stored, -1, 8, 3, 0, 3), /damaged/],
    ['fewer entries than there are', patched(stored, -1, 8, 1, 0, 1), /another length/],
    ['too many entries', patched(stored, -1, 8, 5, 0, 5), /more than 4/],
    ['an encrypted entry', patched(packed, 0, 8, 1), /encrypted/],
    ['an unknown method', patched(packed, 0, 10, 12), /unknown way/],
    ['two sizes', patched(stored, 0, 24, 30), /two sizes/],
    ['a false CRC', patchedBoth(stored, 16, 0), /damaged/],
    ['a name that is not the local one', patched(stored, 0, 46, 0x63), /not what its directory/],
    ['an offset into nowhere', patched(stored, 0, 42, 0xff, 0xff, 0xff, 0x7f), /belong to no entry/],
    ['an offset into another entry', patched(stored, 1, 42, 0), /overlap/],
    ['a size beyond the file', patched(packed, 0, 20, 0xff, 0xff, 0xff, 0x00), /overlap|not what/],
    ['a larger size than what is inflated', patchedBoth(packed, 24, 0xff), /smaller than it says/],
    ['a smaller size than what is inflated', patchedBoth(packed, 24, 3), /larger than it says/],
    ['too large an entry', patched(packed, 0, 24, 1, 0, 0x40, 0), /larger than 4194304/],
  ])('%s', (_, bytes, reason) => expectRefusal(() => readZip(bytes, limits), 'bundle', reason));

  test.each(['../a', '/a', 'a/../b', 'c:\\a', 'a\0', 'A', 'a ', '.', 'é', 'a/b', ''])(
    'an entry named %j',
    (name) => expectRefusal(() => readZip(zipSync({ [name]: utf8('x') }), limits), 'bundle', /unknown/),
  );

  test('an entry twice', () => {
    const twice = writeZip([entries[0]!, entries[0]!]);
    expectRefusal(() => readZip(twice, limits), 'bundle', /twice/);
  });

  test('a folder', () => {
    const folder = zipSync({ 'x/': new Uint8Array(0), a: utf8('x') });
    expectRefusal(() => readZip(folder, limits), 'bundle', /folder/);
  });

  test('names that differ in case alone', () => {
    const both = { ...limits, entryBytes: () => 9 };
    expectRefusal(
      () => readZip(writeZip([entries[1]!, { ...entries[1]!, name: 'B' }]), both),
      'bundle',
      /twice/,
    );
  });

  test.each(brokenZips([...bundle].map(([name, bytes]) => ({ name, bytes }))))('%s: %s', (_, __, bytes) => {
    expectRefusal(() => readBundle(bytes), 'bundle', /^(the ZIP|is neither) /);
  });

  test('the same without any of that is read', () => {
    const same = packZip([...bundle].map(([name, bytes]) => ({ name, bytes })));
    expect([...readBundle(same).keys()]).toEqual([...bundle.keys()]);
  });

  test('a bomb is refused by what it says, and stopped when it lies', () => {
    const bomb = zipSync({ a: new Uint8Array(64 * MIB) }, { level: 9 });
    expect(bomb.length).toBeLessThan(MIB);
    expectRefusal(() => readZip(bomb, limits), 'bundle', /larger than 4194304 bytes/);
    const liar = patchedBoth(bomb, 24, 100, 0, 0, 0);
    const before = process.memoryUsage().arrayBuffers;
    const cost = leastCost(COST_MAX, () =>
      expectRefusal(() => readZip(liar, limits), 'bundle', /larger than it says/),
    );
    expect(cost).toBeLessThan(COST_MAX);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * MIB);
  });

  test('bytes at random, and a good ZIP with bytes changed, give entries or a refusal', () => {
    const change = fc.tuple(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const mutant = Uint8Array.from(packed);
        for (const [at, mask] of changes) mutant[at]! ^= mask;
        try {
          readZip(mutant, limits);
        } catch (error) {
          expect(error).toBeInstanceOf(EvidenceError);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('hostile bundles', () => {
  const failing = async (bytes: Uint8Array) => {
    const { cost, result } = await leastCostOf(COST_MAX, () =>
      verifyBundle(bytes, { sha256, now: new Date() }),
    );
    const { valid, checks } = result;
    expect(cost).toBeLessThan(COST_MAX);
    expect(valid).toBe(false);
    for (const { detail } of checks) expect(detail).not.toMatch(/^unexpected/);
    return checks.filter(({ ok }) => !ok).map(({ name }) => name);
  };

  test('an entry that no bundle has', async () => {
    const names = Object.fromEntries(bundle);
    for (const name of [
      '../manifest.json',
      'manifest.json/',
      'README',
      'delivery/1-sent.json',
      'delivery/01-read.json',
      'chain/../x.pem',
    ])
      expect(await failing(zipSync({ ...names, [name]: utf8('x') }))).toEqual(['bundle']);
  });

  test('an entry too large, and too many of them', async () => {
    expect(
      await failing(zipSync({ ...Object.fromEntries(bundle), 'manifest.json': new Uint8Array(65 * 1024) })),
    ).toEqual(['bundle']);
    const many = Array.from({ length: MAX_BUNDLE_ENTRIES + 1 }, (_, i) => [
      `revocation/${i}.crl`,
      new Uint8Array(0),
    ]);
    expect(await failing(zipSync(Object.fromEntries(many)))).toEqual(['bundle']);
  });

  test('a ZIP cut short anywhere', async () => {
    for (let size = 0; size < zip.length; size += 997)
      expect(await failing(zip.subarray(0, size))).toEqual(['bundle']);
  });

  test('JSON that is no bundle', async () => {
    const value = bundleToJson(bundle) as { type: string; entries: { name: string; text?: string }[] };
    const variants: unknown[] = [
      {},
      { ...value, type: 'x' },
      { ...value, more: 1 },
      { ...value, entries: {} },
      { ...value, entries: [...value.entries, value.entries[0]] },
      { ...value, entries: [...value.entries, null] },
      { ...value, entries: [...value.entries, { name: 'README', text: '' }] },
      { ...value, entries: value.entries.map(({ name }) => ({ name })) },
      { ...value, entries: value.entries.map((entry) => ({ ...entry, base64: '' })) },
      { ...value, entries: value.entries.map(({ name }) => ({ name, base64: '*' })) },
      { ...value, entries: value.entries.slice(1) },
    ];
    for (const variant of variants) expect(await failing(utf8(JSON.stringify(variant)))).toEqual(['bundle']);
    expect(await failing(utf8('{'))).toEqual(['bundle']);
    expect(await failing(utf8(`{"a":${'['.repeat(1_000_000)}`))).toEqual(['bundle']);
    expect(await failing(Uint8Array.of(0x7b, 0xff))).toEqual(['bundle']);
  });

  test('every entry replaced by nonsense of any kind', async () => {
    const nonsense = [
      new Uint8Array(0),
      utf8('{}'),
      utf8('null'),
      utf8('[]'),
      utf8('\n\n\n'),
      new Uint8Array(5000).fill(0x30),
      utf8('[['.repeat(20_000)),
    ];
    for (const name of bundle.keys())
      for (const bytes of nonsense) {
        const mutant = new Map(bundle).set(name, bytes);
        const names = await failing(writeBundle(mutant));
        expect(names).toContain('sums');
      }
  });

  test('reading gives back what was written', () => {
    const read = readBundle(zip);
    expect([...read.keys()]).toEqual([...bundle.keys()]);
    for (const [name, bytes] of bundle) expect(Buffer.compare(read.get(name)!, bytes)).toBe(0);
  });
});

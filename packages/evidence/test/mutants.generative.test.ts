import { strideOf } from '@acuse/testkit/cases';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import { assertSums, type Bundle } from '../src/bundle.ts';
import { verifyEntries } from '../src/verify.ts';
import { completeBundle, policy, storedEvidence, tampered } from './bundle-support.ts';
import { expectRefusal, sha256 } from './support.ts';

/**
 * Entries that are hashed as a whole are changed at every so many bytes; each mutant costs some milliseconds.
 * ACUSE_TEST_CASES=20: all.
 */
const SAMPLED = strideOf(20);

const bundle = await completeBundle();
const stored = await storedEvidence();
const { deliveries: _, outcomesNote: _a, history: _b, ...undelivered } = stored;
const { messageConstancia: __, revocation: ___, ...core } = undelivered;
const small = assembleBundle(core, sha256);

/** Names of failing checks when the one who tampers also makes the sums anew. */
async function verdict(mutant: Bundle): Promise<string[]> {
  const { valid, checks } = await verifyEntries(mutant, { sha256, now: new Date(), trust: policy });
  const failed = checks.filter(({ ok }) => !ok);
  expect(valid).toBe(failed.length === 0);
  for (const { detail } of failed) expect(detail).not.toMatch(/^unexpected/);
  return failed.map(({ name }) => name);
}

function flipped(bytes: Uint8Array, i: number, mask = 1): Uint8Array {
  const mutant = Uint8Array.from(bytes);
  mutant[i]! ^= mask;
  return mutant;
}

/**
 * The entries that prove something, and a check that names the damage. Beside them only VERIFY.md and the
 * policy, which is pinned here.
 */
const PROVING: [entry: string, check: RegExp][] = [
  ['manifest.json', /\b(manifest|inclusion)\b/],
  ['openings.json', /\bopenings\b/],
  ['proof.tlog-proof', /\b(checkpoint|inclusion|witness|stamped_checkpoint)\b/],
  ['checkpoint.txt', /\bstamped_checkpoint\b/],
  ['chain/constancia.pem', /\btimestamp(_chain)?\b/],
  ['constancia.tsr', /\btimestamp/],
  ['message.eml', /\bmessage\b/],
  ['submission.bin', /\bsubmission\b/],
];

const stepOf = (entry: string) => (/manifest|proof|txt/.test(entry) ? 1 : SAMPLED);

test('what they are made of verifies', async () => {
  expect([await verdict(bundle), await verdict(small)]).toEqual([[], []]);
});

describe('one byte changed and the sums made anew', () => {
  test.each(PROVING)('%s', async (entry, check) => {
    const bytes = small.get(entry)!;
    const unseen: number[] = [];
    for (let i = 0; i < bytes.length; i += stepOf(entry)) {
      const failed = await verdict(tampered(small, entry, flipped(bytes, i, 1 << (i % 7))));
      if (failed.length === 0) unseen.push(i);
      else expect(failed.join(), `byte ${i}`).toMatch(check);
    }
    // The tag of the certificate in a token: as another kind's it is passed over, and the chain's file has
    // the signer's.
    expect(unseen.length).toBeLessThanOrEqual(entry === 'constancia.tsr' ? 1 : 0);
  });
});

test('one byte of anything changed is seen by the sums, of the sums as well', () => {
  for (const [entry, bytes] of bundle) {
    const step = bytes.length > 1024 ? 31 : 1;
    for (let i = 0; i < bytes.length; i += step)
      expectRefusal(() => assertSums(new Map(bundle).set(entry, flipped(bytes, i)), sha256), 'sums');
  }
});

test('bytes cut off or added are seen in every entry', async () => {
  for (const [entry, check] of PROVING) {
    const bytes = small.get(entry)!;
    for (const mutant of [
      bytes.subarray(0, -1),
      bytes.subarray(1),
      new Uint8Array(0),
      Uint8Array.from([...bytes, 0x0a]),
    ]) {
      const failed = await verdict(tampered(small, entry, mutant));
      expect(failed.join(), entry).toMatch(check);
    }
  }
});

test("entries of the outcomes and of the message's own constancia prove themselves too", async () => {
  const names = [...bundle.keys()].filter((name) =>
    /^(delivery|message-constancia|chain\/(delivery|message))/.test(name),
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const bytes = bundle.get(name)!;
    for (const at of [0, 0.3, 0.5, 0.7, 0.99].map((part) => Math.floor(part * bytes.length))) {
      const failed = await verdict(tampered(bundle, name, flipped(bytes, at)));
      if (name.endsWith('.tsr') && failed.length === 0) continue;
      expect(failed.join(), `${name} ${at}`).toMatch(/\b(delivery|message_timestamp)/);
    }
  }
});

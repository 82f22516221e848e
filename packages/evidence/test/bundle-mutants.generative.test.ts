import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { casesOf } from '@acuse/testkit/cases';
import { leastCostOf } from '@acuse/testkit/processor-cost';
import { describe, expect, test } from 'vitest';
import { assembleBundle } from '../src/assemble.ts';
import { readBundle } from '../src/bundle.ts';
import { parseCanonical } from '../src/jcs.ts';
import { readTrustPolicy } from '../src/policy.ts';
import { verifyBundle, verifyEntries } from '../src/verify.ts';
import { policy, storedEvidence } from './bundle-support.ts';
import { bombs, cutZip, flipZipField, hostileNames, jsonForm, overlap } from './mutants/containers.ts';
import { changeDocument, rewriteDocument } from './mutants/documents.ts';
import { addEntry, cut, drop, exchange, flipByte, forgetSums, rename, swapWith } from './mutants/entries.ts';
import type { Mutant, Mutator, Subject } from './mutants/mutant.ts';
import { type Random, seededRandom } from './mutants/random.ts';
import { sha256 } from './support.ts';

/**
 * A thousand bundles that somebody changed, always the same ones: none is accepted, each is refused by a
 * check that looks at what was changed. Ten thousand: ACUSE_TEST_CASES=10; others:
 * ACUSE_MUTANT_SEED=<number>.
 */
const SEED = Number(process.env['ACUSE_MUTANT_SEED'] ?? 2026);
/** The most that one verification may cost, whatever the bytes, in plain readings of 25 MiB. */
const COST_MAX = 20;

const folder = resolve(import.meta.dirname, '../../../contract/vectors/bundles/good');

function vector(name: string): Subject {
  const bundle = readBundle(new Uint8Array(readFileSync(resolve(folder, `${name}.zip`))));
  const trust = readTrustPolicy(parseCanonical(bundle.get('policy.json')!, 'trust'), sha256);
  return { name, bundle, trust };
}

/** Everything that a bundle can hold, in bundles that are not too many at once. */
const SUBJECTS = [
  'sealed',
  'sealed',
  'complete',
  'renewed-with-others',
  'one-part-disclosed',
  'erased',
  'nom151',
  'issued',
];
const subjects = SUBJECTS.map(vector);

/** Two messages in one log, under one authority. */
const evidence = await storedEvidence();
const other = await storedEvidence({ messageId: '0197b1a0-0000-7000-8000-000000000002' });
const { deliveries: _, messageConstancia: __, outcomesNote: ___, history: ____, ...core } = evidence;
const { deliveries: _a, outcomesNote: _b, history: _c, ...short } = other;
const own = [evidence, core, core].map((each, i): Subject => {
  return { name: `own ${i}`, bundle: assembleBundle(each, sha256), trust: policy };
});
const others = [other, short].map((each) => assembleBundle(each, sha256));

const PLAN: readonly (readonly [what: string, mutator: Mutator, count: number, of: readonly Subject[]])[] = [
  ['a byte changed', flipByte, 200, subjects],
  ['cut and stuffed', cut, 80, subjects],
  ['the sums forgotten', forgetSums, 60, subjects],
  ['an entry gone', drop, 40, subjects],
  ['an entry renamed', rename, 50, subjects],
  ['an entry too many', addEntry, 30, subjects],
  ['two entries exchanged', exchange, 40, subjects],
  ['entries of another bundle', swapWith(others), 100, own],
  ['documents changed', changeDocument, 90, subjects],
  ['documents written otherwise', rewriteDocument, 20, subjects],
  ['fields of the ZIP changed', flipZipField, 110, subjects],
  ['the ZIP cut and stuffed', cutZip, 60, subjects],
  ['hostile and doubled names', hostileNames, 60, subjects],
  ['bombs', bombs, 4, subjects],
  ['overlapping entries', overlap, 16, subjects],
  ['the JSON form', jsonForm, 40, subjects],
];

/** Than all that a bundle here tells of. */
const LATER = new Date(Date.now() + 10 * 365 * 24 * 60 * 60 * 1000);

test('what they are made of verifies', async () => {
  for (const { name, bundle, trust } of [...subjects, ...own]) {
    const { valid, checks } = await verifyEntries(bundle, { sha256, now: LATER, trust });
    expect({ name, valid, failed: checks.filter(({ ok }) => !ok) }).toEqual({
      name,
      valid: true,
      failed: [],
    });
  }
  for (const bundle of others)
    expect((await verifyEntries(bundle, { sha256, now: LATER, trust: policy })).valid).toBe(true);
});

test('they are a thousand', () => {
  expect(PLAN.reduce((sum, [, , count]) => sum + count, 0)).toBe(1_000);
});

describe(`with the seed ${SEED}, every mutant is refused by name`, () => {
  test.each(PLAN)('%s', async (_what, mutator, count, of) => {
    for (let i = 0; i < casesOf(count); i++) {
      const random = seededRandom(SEED * 10_000 + i);
      const subject = random.pick(of);
      await expectRefused(subject, draw(mutator, subject, random), `${subject.name} ${i}`);
    }
  });
});

/** A real change: what changes nothing that is claimed is drawn again. */
function draw(mutator: Mutator, subject: Subject, random: Random): Mutant {
  for (let tries = 0; tries < 1_000; tries++) {
    const mutant = mutator(subject, random);
    if (mutant !== undefined) return mutant;
  }
  throw new Error(`nothing in ${subject.name} can be changed in this way`);
}

async function expectRefused({ trust }: Subject, mutant: Mutant, which: string): Promise<void> {
  const { content, named } = mutant;
  const { cost, result } = await leastCostOf(COST_MAX, () =>
    content instanceof Uint8Array
      ? verifyBundle(content, { sha256, now: LATER, trust })
      : verifyEntries(content, { sha256, now: LATER, trust }),
  );
  const { valid, checks } = result;
  const failed = checks.filter(({ ok }) => !ok);
  const names = failed.map(({ name }) => name).join(' ');
  const stumbled = failed.filter(({ detail }) => detail.startsWith('unexpected'));
  if (valid || !named.test(names) || stumbled.length > 0 || cost >= COST_MAX)
    expect.fail(
      `${which}, ${mutant.what}: valid ${valid}, cost ${cost}, ${JSON.stringify(failed)}, not ${named}`,
    );
}

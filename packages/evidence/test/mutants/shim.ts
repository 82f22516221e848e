// Questions of sdks/conformance to a library, answered by the code that /verify runs, and beside it mutants
// of bundles to ask all others about.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Bundle, readBundle, writeBundle } from '../../src/bundle.ts';
import { parseCanonical } from '../../src/jcs.ts';
import { readTrustPolicy } from '../../src/policy.ts';
import { verifyBundle } from '../../src/verify.ts';
import { sha256 } from '../support.ts';
import { cutZip, flipZipField, hostileNames, jsonForm, overlap } from './containers.ts';
import { changeDocument, rewriteDocument } from './documents.ts';
import { addEntry, cut, drop, exchange, flipByte, forgetSums, rename, swapWith } from './entries.ts';
import type { Mutant, Mutator, Subject } from './mutant.ts';
import { type Random, seededRandom } from './random.ts';
import { simpler } from './simpler.ts';
import {
  changePolicy,
  dropGroup,
  editLines,
  editSums,
  otherFile,
  renumber,
  reorderZip,
  twice,
} from './structure.ts';

/** Of other commands of the protocol there is no need. */
type Args = {
  readonly path: string;
  readonly now: string;
  readonly files: readonly { readonly path: string; readonly now: string }[];
  readonly seed: number;
  readonly count: number;
  readonly folder: string;
  readonly named: string;
  readonly base: string;
};

function subjectOf({ path }: { path: string }): Subject {
  const bundle = readBundle(read(path));
  const trust = readTrustPolicy(parseCanonical(bundle.get('policy.json')!, 'trust'), sha256);
  return { name: path, bundle, trust };
}
const read = (path: string) => new Uint8Array(readFileSync(path));

/** The kinds of change, each with how often it is drawn. */
function planOf(subjects: readonly Subject[]): Mutator[] {
  const structural = [dropGroup, editLines, changePolicy, changeDocument, drop, exchange, rename];
  const weighed: [number, Mutator][] = [
    [3, dropGroup],
    [4, editLines],
    [1, editSums],
    [1, reorderZip],
    [4, changePolicy],
    [1, renumber],
    [1, otherFile],
    [3, twice(structural)],
    [3, swapWith(subjects.map(({ bundle }) => bundle))],
    ...[flipByte, cut, drop, exchange].map((each): [number, Mutator] => [2, each]),
    [4, changeDocument],
    ...[forgetSums, rename, addEntry, rewriteDocument].map((each): [number, Mutator] => [1, each]),
    ...[flipZipField, cutZip, hostileNames, overlap, jsonForm].map((each): [number, Mutator] => [1, each]),
  ];
  return weighed.flatMap(([often, mutator]) => Array<Mutator>(often).fill(mutator));
}

/** A mutant that changes nothing, or cannot be written, is drawn again. */
function draw(plan: readonly Mutator[], subject: Subject, random: Random): Mutant {
  for (;;) {
    try {
      const mutant = random.pick(plan)(subject, random);
      if (mutant !== undefined) return mutant;
    } catch {
      // Another.
    }
  }
}

/** Writes `count` mutants of the files, always the same ones for a seed. */
function mutants({ files, seed, count, folder, named }: Args): object[] {
  const subjects = files.map(subjectOf);
  const plan = planOf(subjects);
  return Array.from({ length: count }, (_, i) => {
    const random = seededRandom(seed * 10_000 + i);
    const of = random.below(files.length);
    const { what, content } = draw(plan, subjects[of]!, random);
    const path = join(folder, `${named}-${seed}-${i}`);
    writeFileSync(path, bytesOf(content));
    return { path, what, base: files[of]!.path, now: files[of]!.now };
  });
}
const bytesOf = (content: Uint8Array | Bundle) =>
  content instanceof Uint8Array ? content : writeBundle(content);

/** Writes what is changed less than the mutant, and says where; none of a file that is no readable bundle. */
function simplerFiles({ base, path, folder }: Args): string[] {
  const written: string[] = [];
  try {
    for (const less of simpler(readBundle(read(base)), readBundle(read(path)))) {
      const file = join(folder, `less-${written.length}`);
      writeFileSync(file, writeBundle(less));
      written.push(file);
    }
  } catch {
    // Changed in its container alone.
  }
  return written;
}

const SKIPPED = 'not checked because ';

async function verify({ path, now }: Args): Promise<object> {
  const options = { sha256, now: new Date(now) };
  const { valid, verdict, is_bundle, reasons, warnings, checks } = await verifyBundle(read(path), options);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  return {
    valid,
    verdict,
    is_bundle,
    reasons: names(reasons),
    warnings: names(warnings),
    checks: checks.map((check) => ({ ...check, ok: check.detail.startsWith(SKIPPED) ? null : check.ok })),
  };
}

const OPS: Record<string, (args: Args) => unknown> = {
  info: () => ({ level: 3 }),
  verify_bundle: verify,
  mutants,
  simpler: simplerFiles,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, args } = JSON.parse(line);
  console.log(JSON.stringify({ id, result: await OPS[op]!(args) }));
}

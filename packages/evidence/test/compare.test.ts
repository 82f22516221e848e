import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { assembleBundle, type StoredEvidence } from '../src/assemble.ts';
import { utf8 } from '../src/bytes.ts';
import { checkpointText, signCheckpoint } from '../src/checkpoint.ts';
import { type Comparison, compareBundles } from '../src/compare.ts';
import { contradictionFiles } from '../src/contradiction-md.ts';
import { addMldsa44 } from '../src/cosignature-mldsa44.ts';
import { buildDeliveryManifest } from '../src/delivery.ts';
import { draftMessageManifest, finishManifest } from '../src/manifest.ts';
import { inclusionProof, leafHash, rangeHashOf } from '../src/merkle.ts';
import { loadMldsa44 } from '../src/mldsa44.ts';
import { openMessage } from '../src/openings.ts';
import { signOutcomes } from '../src/outcomes-note.ts';
import { issuePromise } from '../src/promise.ts';
import { MLDSA44, verifierKey } from '../src/verifier-key.ts';
import { verifyEntries } from '../src/verify.ts';
import { logSigner, policy, SEALED_AT, stamp, tampered } from './bundle-support.ts';
import { sampleDelivery, sampleMessage, sha256, signerFor } from './support.ts';

const HOUR = 3600;
const NOW = SEALED_AT.getTime() / 1000;
const input = sampleMessage();
const sealed = finishManifest(draftMessageManifest(input, sha256), 17n, sha256);
const message = sealed.canonicalHash;

const { keyOf } = await loadMldsa44();
const secondSigner = { name: logSigner.name, ...keyOf(sha256(utf8('second'))) };
const secondKey = verifierKey(secondSigner.name, secondSigner.publicKey, sha256, MLDSA44);

/** The outcome of the message, each outcome after the one before. */
const outcomes = (() => {
  const content = { ...sampleDelivery(message), messageId: input.messageId };
  const sent = buildDeliveryManifest(content, sha256);
  const made = {
    ...content,
    previous: sent.canonicalHash,
    occurredAt: new Date(Date.parse('2026-03-04T05:06:30Z')),
  };
  return [sent, buildDeliveryManifest(made, sha256)] as const;
})();

interface Told {
  /** Leaf of the message, and sizes of the trees: the first is the message's. */
  readonly at?: number;
  readonly size?: number;
  /** Other entries of the log: from this leaf on they are others. */
  readonly forkFrom?: number;
  /** How many outcomes it shows, and how many its note counts. */
  readonly shown?: number;
  readonly counts?: number | readonly Uint8Array[];
  readonly countedAt?: number;
  readonly stamped?: boolean;
  /** Its policy lists the log's second key, which signed only if so said. */
  readonly second?: 'signed' | 'stripped';
  /** Leaf of the first outcome. */
  readonly first?: number;
}

/** A bundle as somebody was given it. The outcomes are leaves 30 and 31 of a tree of 40. */
async function told(file: string, what: Told = {}) {
  const {
    at = 5,
    size = 13,
    forkFrom = 1000,
    shown = 0,
    counts = shown,
    countedAt = NOW,
    stamped = true,
    first = 30,
    second,
  } = what;
  const seconded = (note: string, at = NOW) =>
    second === 'signed' ? addMldsa44(note, at, secondSigner, sha256) : note;
  const leaves = (length: number) =>
    Array.from({ length }, (_, i) => {
      const entry =
        i === at ? message : (outcomes[i - first]?.canonicalHash ?? sha256(utf8(`${i}${i >= forkFrom}`)));
      return leafHash(entry, sha256);
    });
  const prove = (index: number, of: number) => {
    const ranges = rangeHashOf(leaves(of), sha256);
    const checkpoint = { origin: logSigner.name, size: of, rootHash: ranges(0, of) };
    const checkpointNote = seconded(signCheckpoint(checkpoint, logSigner, sha256));
    return {
      proof: { index, path: inclusionProof(index, of, ranges), checkpointNote },
      text: checkpointText(checkpoint),
    };
  };
  const own = prove(at, size);
  const entries =
    typeof counts === 'number' ? outcomes.slice(0, counts).map((each) => each.canonicalHash) : counts;
  const evidence: StoredEvidence = {
    manifest: sealed.manifestBytes,
    openings: openMessage(Buffer.from(message).toString('hex'), input, input.secret, sha256),
    message: input.raw,
    submission: input.submission,
    proof: own.proof,
    constancia: await stamp(sha256(utf8(own.text))),
    deliveries: await Promise.all(
      outcomes.slice(0, shown).map(async ({ manifestBytes }, i) => {
        const { proof, text } = prove(first + i, 40);
        return {
          manifest: manifestBytes,
          proof,
          ...(stamped && { constancia: await stamp(sha256(utf8(text))) }),
        };
      }),
    ),
    outcomesNote: seconded(
      signOutcomes(logSigner.name, [message, ...entries], countedAt, logSigner, sha256),
      countedAt,
    ),
    policy: { ...policy, witnessQuorum: 0, ...(second && { mldsa44Keys: [secondKey] }) },
  };
  return given(file, assembleBundle(evidence, sha256));
}

async function given(file: string, bundle: ReturnType<typeof assembleBundle>) {
  const { stamps } = await verifyEntries(bundle, { sha256, now: new Date() });
  return { file, bundle, stamps };
}

const compare = (
  files: readonly Awaited<ReturnType<typeof told>>[],
  promises: Parameters<typeof compareBundles>[1] = [],
) => compareBundles(files, promises, { sha256, now: new Date() });
const names = ({ contradictions }: Comparison) => contradictions.map(({ name }) => name);

describe('one log that told two readers', () => {
  test('the same, at two times, is told to agree', async () => {
    const before = await told('a.zip', { counts: 0, countedAt: NOW - HOUR });
    const after = await told('b.zip', { shown: 2, countedAt: NOW + HOUR });
    const { contradictions, held, open } = await compare([before, after]);
    expect(contradictions).toEqual([]);
    expect(held.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('2 counts of its outcomes, which nothing here contradicts'),
    ]);
    expect(open.map(({ detail }) => detail)).toEqual([
      'nothing here shows whether the tree of 13 leaves is the beginning of the larger ones',
    ]);
  });

  test.each<[string, Told, Told, string[]]>([
    ['two trees of one size', {}, { forkFrom: 9 }, ['fork']],
    ['another leaf beside the message', {}, { size: 21, forkFrom: 4 }, ['rewritten']],
    [
      'a tree that is not the beginning of a later one',
      {},
      { size: 40, forkFrom: 9, shown: 1, first: 12 },
      ['rewritten'],
    ],
    [
      'fewer outcomes later',
      { counts: 2, countedAt: NOW },
      { counts: 1, countedAt: NOW + HOUR },
      ['outcomes_fewer'],
    ],
    [
      'as many outcomes, and others',
      { counts: 1 },
      { counts: [outcomes[1].canonicalHash], countedAt: NOW + HOUR },
      ['outcomes_other'],
    ],
    [
      'more outcomes, with another beginning',
      { counts: [sha256(utf8('another'))], countedAt: NOW - HOUR },
      { shown: 2 },
      ['outcomes_other'],
    ],
    [
      'a count without an outcome that was stamped before',
      { counts: 0, countedAt: NOW + HOUR },
      { shown: 1, countedAt: NOW + HOUR },
      ['outcome_hidden'],
    ],
  ])('%s: a contradiction, whoever came first', async (_what, a, b, expected) => {
    const files = [await told('a.zip', a), await told('b.zip', b)];
    expect([names(await compare(files)), names(await compare(files.toReversed()))]).toEqual([
      expected,
      expected,
    ]);
  });

  test.each<[string, Told, Told]>([
    ['clocks 5 minutes apart', { counts: 0, countedAt: NOW + 300 }, { shown: 1, countedAt: NOW + HOUR }],
    [
      'an outcome without a time-stamp',
      { counts: 0, countedAt: NOW + 300 },
      { shown: 1, stamped: false, countedAt: NOW + HOUR },
    ],
    ['two counts of one second', { counts: 0, countedAt: NOW }, { counts: 1, countedAt: NOW }],
  ])('%s prove nothing', async (_what, a, b) => {
    expect(names(await compare([await told('a.zip', a), await told('b.zip', b)]))).toEqual([]);
  });
});

test.each<[string, Told, Told, string]>([
  ['two trees', {}, { forkFrom: 9 }, 'fork'],
  ['two counts', { counts: 2 }, { counts: 1, countedAt: NOW + HOUR }, 'outcomes_fewer'],
])(
  '%s that lack the second signature of a log that has one are no statement of it',
  async (_w, a, b, name) => {
    const first = await told('a.zip', { ...a, second: 'signed' });
    const both = await told('b.zip', { ...b, second: 'signed' });
    expect(names(await compare([first, both]))).toEqual([name]);
    const forged = await told('b.zip', { ...b, second: 'stripped' });
    expect(names(await compare([first, forged]))).toEqual([]);
  },
);

test('nobody frames a log with what it did not sign', async () => {
  const good = await told('a.zip', { shown: 1, countedAt: NOW + HOUR });
  const other = signerFor(logSigner.name.replace('acuse', 'other'));
  const note = signOutcomes(
    logSigner.name,
    [message],
    NOW + 2 * HOUR,
    { ...other, name: logSigner.name },
    sha256,
  );
  const proof = Buffer.from(good.bundle.get('proof.tlog-proof')!);
  const moved = proof.toString().replace(/^index 5$/m, 'index 4');
  for (const forged of [
    tampered(good.bundle, 'outcomes.note', utf8(note)),
    tampered(good.bundle, 'proof.tlog-proof', utf8(moved)),
    tampered(
      good.bundle,
      'history.txt',
      utf8(`consistency 13 40\n${Buffer.alloc(32).toString('base64')}\n\n`),
    ),
    tampered(good.bundle, 'outcomes.note', undefined),
  ])
    expect(names(await compare([good, await given('b.zip', forged)]))).toEqual([]);
});

test('a promise is kept by a tree that was stamped in time, and of others nothing is shown', async () => {
  const bundle = await told('a.zip');
  const promise = (canonicalHash: Uint8Array, deadline: number) => ({
    file: 'promise.txt',
    note: issuePromise({ origin: logSigner.name, canonicalHash, deadline }, logSigner, sha256),
  });
  expect((await compare([bundle], [promise(message, NOW + HOUR)])).held.at(-1)?.detail).toContain(
    'kept, as leaf 5',
  );
  expect((await compare([bundle], [promise(message, NOW - HOUR)])).open.at(-1)?.detail).toContain(
    'nothing in this file was stamped by then',
  );
  expect((await compare([bundle], [promise(sha256(message), NOW)])).open.at(-1)?.detail).toContain(
    'its entry is in no file here',
  );
});

test('what is written of a contradiction is checked with OpenSSL alone', async () => {
  const pairs: [Told, Told][] = [
    [{}, { forkFrom: 9 }],
    [{ counts: 2 }, { counts: 1, countedAt: NOW + HOUR }],
    [
      { counts: 0, countedAt: NOW + HOUR },
      { shown: 1, countedAt: NOW + HOUR },
    ],
  ];
  for (const [a, b] of pairs) {
    const [found] = (await compare([await told('a.zip', a), await told('b.zip', b)])).contradictions;
    const run = (change: (text: string) => string) => {
      const folder = tempFolder();
      let commands = '';
      for (const { name, content } of contradictionFiles(found!, sha256)) {
        const text = Buffer.from(content).toString();
        if (name === 'CONTRADICTION.md') commands = /```sh\n(.*?)```/s.exec(text)![1]!;
        writeFileSync(
          join(folder, name),
          name.startsWith('2-') && name.endsWith('.note') ? change(text) : content,
        );
      }
      return spawnSync('sh', ['-e', '-c', commands], { cwd: folder, encoding: 'utf8' }).status;
    };
    expect(run((text) => text)).toBe(0);
    expect(run((text) => text.replace('\n', '\n1'))).not.toBe(0);
  }
});

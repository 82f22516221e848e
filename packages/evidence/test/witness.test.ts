import fc from '@acuse/testkit/properties';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../src/bytes.ts';
import { checkpointText, signCheckpoint } from '../src/checkpoint.ts';
import { cosign } from '../src/cosignature.ts';
import { consistencyProof, emptyRoot, leafHash, rangeHashOf } from '../src/merkle.ts';
import { formatSignatureLine } from '../src/note.ts';
import { COSIGNATURE_V1, verifierKey } from '../src/verifier-key.ts';
import {
  type AddCheckpoint,
  decideCosignature,
  formatAddCheckpoint,
  parseAddCheckpoint,
  readCosignature,
  readTreeSize,
  type Witnessed,
} from '../src/witness.ts';
import { expectRefusal, sha256, signerFor } from './support.ts';

const log = signerFor('log.example/acuse');
const logKey = verifierKey(log.name, log.publicKey, sha256);
const witness = signerFor('witness.example/w1');
const witnessKey = verifierKey(witness.name, witness.publicKey, sha256, COSIGNATURE_V1);
const historyOf = (name: string) =>
  rangeHashOf(
    Array.from({ length: 300 }, (_, n) => leafHash(utf8(`${name} ${n}`), sha256)),
    sha256,
  );
const history = historyOf('entry');
const other = historyOf('other');
const rootAt = (size: number, ranges = history) => (size === 0 ? emptyRoot(sha256) : ranges(0, size));
const noteAt = (size: number, ranges = history, signer = log) =>
  signCheckpoint({ origin: log.name, size, rootHash: rootAt(size, ranges) }, signer, sha256);
const ask = (oldSize: number, size: number, change: Partial<AddCheckpoint> = {}): AddCheckpoint => ({
  oldSize,
  path: oldSize === 0 ? [] : consistencyProof(oldSize, size, history),
  note: noteAt(size),
  ...change,
});
const decide = (request: AddCheckpoint, known: Witnessed | null | undefined, keys = [logKey]) =>
  decideCosignature(request, keys, () => known, sha256);
const at = (size: number): Witnessed => ({ size, rootHash: rootAt(size) });

/** The request that C2SP tlog-witness shows. */
const EXAMPLE = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

describe('the request', () => {
  test("the specification's example there and back", () => {
    const parsed = parseAddCheckpoint(utf8(EXAMPLE));
    expect([parsed.oldSize, parsed.path.length]).toEqual([20852014, 4]);
    expect(formatAddCheckpoint(parsed)).toBe(EXAMPLE);
    expect(parseAddCheckpoint(utf8(formatAddCheckpoint(ask(0, 7))))).toEqual(ask(0, 7));
  });

  test.each([
    ['', 'nothing'],
    ['old 1\n', 'no checkpoint'],
    ['old 01\n\nx', 'a zero before the size'],
    ['old -1\n\nx', 'a minus'],
    ['old 1 \n\nx', 'a space'],
    ['old 9007199254740993\n\nx', 'a size beyond 2^53'],
    ['new 1\n\nx', 'another word'],
    ['old 1\nxxxx\n\nx', 'a line that is no hash'],
    [`old 1\n${`${Buffer.alloc(32).toString('base64')}\n`.repeat(64)}\nx`, '64 lines'],
    [`old 1\n\n${'x'.repeat(300_000)}`, 'too many bytes'],
  ])('%# is refused: %s', (body) => expectRefusal(() => parseAddCheckpoint(utf8(body)), 'add_checkpoint'));

  test('random bytes are refused, never anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string().map(utf8)), (body) => {
        expectRefusal(() => parseAddCheckpoint(body), 'add_checkpoint');
      }),
    );
  });

  test('the size of a conflict is a number and a newline', () => {
    expect(readTreeSize(utf8('123\n'))).toBe(123);
    expect(readTreeSize(utf8('0\n'))).toBe(0);
    for (const body of ['', '1', '01\n', '1\n\n', '-1\n', '9007199254740993\n', '1'.repeat(40), '<html>\n'])
      expect(readTreeSize(utf8(body)), body).toBeUndefined();
  });
});

describe('a witness', () => {
  test('signs what continues what it signed, for every pair of sizes', () => {
    for (const oldSize of [0, 1, 2, 3, 7, 8, 100, 256])
      for (const size of [oldSize, oldSize + 1, oldSize + 5, 299].filter((n) => n > 0)) {
        const known = oldSize === 0 ? null : at(oldSize);
        expect(decide(ask(oldSize, size), known), `${oldSize} to ${size}`).toMatchObject({
          kind: 'cosign',
          note: { text: checkpointText({ origin: log.name, size, rootHash: rootAt(size) }) },
        });
      }
  });

  test('tells its own size to who has another in mind, older or newer', () => {
    expect(decide(ask(0, 100), at(50))).toMatchObject({ kind: 'conflict', size: 50, forked: null });
    expect(decide(ask(70, 100), at(50))).toMatchObject({ kind: 'conflict', size: 50 });
    expect(decide(ask(50, 100), null)).toMatchObject({ kind: 'conflict', size: 0 });
    // A log that was rolled back cannot go on from where it is now.
    expect(decide(ask(40, 45), at(50))).toMatchObject({ kind: 'conflict', size: 50, forked: null });
  });

  test('signs no second history: not of the same size, not of a larger one', () => {
    const same = ask(50, 50, { note: noteAt(50, other) });
    expect(decide(same, at(50))).toMatchObject({ kind: 'refused', status: 422, forked: { size: 50 } });
    expect(decide({ ...same, oldSize: 40 }, at(50))).toMatchObject({
      kind: 'conflict',
      forked: { size: 50 },
    });
    const larger = ask(50, 60, { note: noteAt(60, other) });
    expect(decide(larger, at(50))).toMatchObject({ kind: 'refused', status: 422 });
    const theirs = ask(50, 60, { note: noteAt(60, other), path: consistencyProof(50, 60, other) });
    expect(decide(theirs, at(50))).toMatchObject({ kind: 'refused', status: 422 });
    expect(
      decide(
        ask(0, 0, { note: noteAt(0).replace(/\n\S+=\n/, `\n${Buffer.alloc(32).toString('base64')}\n`) }),
        null,
      ),
    ).toMatchObject({ kind: 'refused', status: 403 });
  });

  test.each<[string, AddCheckpoint, Witnessed | null | undefined, number]>([
    ['a log that it does not know', ask(0, 7), undefined, 404],
    ['another key', ask(0, 7, { note: noteAt(7, history, { ...witness, name: log.name }) }), null, 403],
    ['no signature', ask(0, 7, { note: noteAt(7).replace(/\u2014.*\n/, '') }), null, 400],
    ['another size under the signature', ask(0, 7, { note: noteAt(7).replace('\n7\n', '\n8\n') }), null, 403],
    ['no note', ask(0, 7, { note: 'x' }), null, 400],
    ['an old size beyond the checkpoint', ask(8, 8, { note: noteAt(7) }), at(8), 400],
    ['a proof where none is asked', ask(0, 7, { path: [rootAt(1)] }), null, 422],
    ['a proof too short', ask(3, 7, { path: [] }), at(3), 422],
  ])('refuses %s', (_name, request, known, status) => {
    expect(decide(request, known)).toMatchObject({ kind: 'refused', status });
  });

  test('knows a log by its name: the key of another does not speak for it', () => {
    const stranger = signerFor('stranger.example');
    const strangerKey = verifierKey(stranger.name, stranger.publicKey, sha256);
    expect(decide(ask(0, 7), null, [strangerKey])).toMatchObject({ status: 404 });
    const both = decide(ask(0, 7, { note: noteAt(7, history, stranger) }), null, [logKey, strangerKey]);
    expect(both).toMatchObject({ status: 403 });
  });
});

describe('the answer', () => {
  const text = checkpointText({ origin: log.name, size: 7, rootHash: rootAt(7) });
  const line = formatSignatureLine(cosign(text, 1_700_000_000, witness, sha256));
  const strange = formatSignatureLine(cosign(text, 1, signerFor('stranger.example'), sha256));

  test('is read for the one key that is asked for', () => {
    for (const body of [line, strange + line, line + strange]) {
      const read = readCosignature(utf8(body), text, witnessKey);
      expect([formatSignatureLine(read.line), read.unixSeconds]).toEqual([line, 1_700_000_000]);
    }
  });

  test.each([
    ['nothing', '', 'note'],
    ['another key alone', strange, 'note'],
    ['twice', line + line, 'note'],
    ['an error page', '<html>\n', 'note'],
    ['a text of its own', `x\n\n${line}`, 'note'],
    ['too much', line.repeat(200), 'note'],
    [
      'another checkpoint',
      formatSignatureLine(cosign(text.replace('7', '8'), 1, witness, sha256)),
      'cosignature',
    ],
  ])('refuses %s', (_name, body, check) => {
    expectRefusal(() => readCosignature(utf8(body), text, witnessKey), check);
  });
});

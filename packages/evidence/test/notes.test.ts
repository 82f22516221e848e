import { describe, expect, test } from 'vitest';
import { concat, toBase64, utf8 } from '../src/bytes.ts';
import { checkpointText, openCheckpoint, parseCheckpointText, signCheckpoint } from '../src/checkpoint.ts';
import { assertCosigned, cosign } from '../src/cosignature.ts';
import {
  assertSigned,
  assertSignedByOne,
  formatNote,
  formatSignatureLine,
  parseNote,
  signNote,
} from '../src/note.ts';
import { issuePromise, openPromise } from '../src/promise.ts';
import { formatTlogProof, parseTlogProof } from '../src/tlog-proof.ts';
import { COSIGNATURE_V1, formatVerifierKey, parseVerifierKey, verifierKey } from '../src/verifier-key.ts';
import { expectRefusal, sha256, signerFor } from './support.ts';

const log = signerFor('log.example/acuse');
const logKey = verifierKey(log.name, log.publicKey, sha256);
const stranger = signerFor('stranger.example');
const witness = signerFor('witness.example/w1');
const witnessKey = verifierKey(witness.name, witness.publicKey, sha256, COSIGNATURE_V1);
const rootHash = sha256(utf8('root'));
const checkpoint = { origin: log.name, size: 20852163, rootHash };

/** golang.org/x/mod/sumdb/note's example: a key, a text and its signature made by another implementation. */
const GO_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n\n" +
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

describe('notes', () => {
  test("Go's note verifies, its key there and back", () => {
    const key = parseVerifierKey(GO_KEY, sha256);
    expect(formatVerifierKey(key)).toBe(GO_KEY);
    const note = parseNote(utf8(GO_NOTE));
    assertSigned(note, key);
    expect(formatNote(note)).toBe(GO_NOTE);
    expectRefusal(
      () => assertSigned({ ...note, text: note.text.replace('you', 'we') }, key),
      'note',
      /does not verify/,
    );
  });

  test('unknown signatures are ignored, a false or doubled one of a known key is not', () => {
    const text = 'text\n\nwith an empty line\n';
    const mine = signNote(text, log, sha256);
    const other = signNote(text, stranger, sha256);
    const sameName = signNote(text, signerFor(log.name, 'another seed'), sha256);
    const open = (...signatures: (typeof mine)[]) =>
      assertSignedByOne(parseNote(utf8(formatNote({ text, signatures }))), [logKey]);
    expect(open(other, mine, sameName)).toBe(logKey);
    expectRefusal(() => open(other, sameName), 'note', /not signed by a known key/);
    expectRefusal(() => open(mine, mine), 'note', /twice/);
    expectRefusal(() => open({ ...mine, signature: other.signature }), 'note', /does not verify/);
    expectRefusal(() => open({ ...mine, signature: mine.signature.subarray(1) }), 'note', /does not verify/);
  });

  test('16 signatures and more are taken, 101 not', () => {
    const text = 'text\n';
    const line = formatSignatureLine(signNote(text, log, sha256));
    expect(parseNote(utf8(`${text}\n${line.repeat(100)}`)).signatures).toHaveLength(100);
    expectRefusal(() => parseNote(utf8(`${text}\n${line.repeat(101)}`)), 'note', /more than/);
    expectRefusal(() => parseNote(new Uint8Array(300_000).fill(0x61)), 'note', /larger/);
  });

  test.each([
    ['', 'nothing'],
    ['text\n', 'no signatures'],
    ['text\n\n', 'an empty list'],
    ['text\n\n\u2014 a AAAAAAA=', 'no last newline'],
    ['text\n\n- a AAAAAAA=\n', 'a hyphen'],
    ['text\n\n\u2014 a  AAAAAAA=\n', 'two spaces'],
    ['text\n\n\u2014 a AAAAAA==\n', 'a key id alone'],
    ['text\n\n\u2014 a AAAAAAA\n', 'no padding'],
    ['text\n\n\u2014 a+b AAAAAAA=\n', 'a plus'],
    ['text\n\n\u2014 a\u2003b AAAAAAA=\n', 'a Unicode space'],
    ['text\n\n\u2014  AAAAAAA=\n', 'no name'],
    ['te\rxt\n\n\u2014 a AAAAAAA=\n', 'a carriage return'],
    ['te\txt\n\n\u2014 a AAAAAAA=\n', 'a tab'],
    ['text\n\n\u2014 a AAAAAAA=\ntail\n', 'text below'],
  ])('%j is refused: %s', (text) => expectRefusal(() => parseNote(utf8(text)), 'note'));

  test('bytes that are not UTF-8 are refused, unsignable texts too', () => {
    expectRefusal(
      () => parseNote(concat(utf8('a'), Uint8Array.of(0xff), utf8('\n\n\u2014 a AAAAAAA=\n'))),
      'note',
      /UTF-8/,
    );
    for (const text of ['no newline', 'tab\t\n', '\ud800\n'])
      expectRefusal(() => signNote(text, log, sha256), 'note');
  });

  test.each([
    'a+c74f20a3',
    'a+c74f20a3+AR',
    'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    'Peter+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    GO_KEY.toUpperCase(),
    `${GO_KEY}\n`,
    `a+00000000+${toBase64(new Uint8Array(33).fill(2))}`,
    `a+00000000+${toBase64(Uint8Array.of(1, 2))}`,
  ])('key %j is refused', (text) => expectRefusal(() => parseVerifierKey(text, sha256), 'key'));

  test('a small-order key verifies nothing', () => {
    const key = verifierKey('weak', Uint8Array.from([1, ...Array<number>(31).fill(0)]), sha256);
    const forged = {
      name: 'weak',
      keyId: key.keyId,
      signature: Uint8Array.from([1, ...Array<number>(63).fill(0)]),
    };
    expectRefusal(
      () => assertSigned({ text: 'anything\n', signatures: [forged] }, key),
      'note',
      /does not verify/,
    );
  });
});

describe('checkpoints', () => {
  const text = `log.example/acuse\n20852163\n${toBase64(rootHash)}\n`;

  test('text and signature, there and back', () => {
    expect(checkpointText(checkpoint)).toBe(text);
    const opened = openCheckpoint(signCheckpoint(checkpoint, log, sha256), [logKey]);
    expect(opened.checkpoint).toEqual({ ...checkpoint, extensions: [] });
    expect(opened.note.text).toBe(text);
    expect(parseCheckpointText(`${text}extension\n`).extensions).toEqual(['extension']);
  });

  test.each([
    ['', 'nothing'],
    [text.slice(0, -1), 'no last newline'],
    [text.replace('20852163', '020852163'), 'a leading zero'],
    [text.replace('20852163', '-1'), 'a sign'],
    [text.replace('20852163', '9007199254740992'), 'too large'],
    [text.replace('20852163', '2e3'), 'an exponent'],
    [text.replace('=', ''), 'base64'],
    ['\n1\n', 'no origin'],
    [`${text}\n`, 'an empty extension'],
    ['a\n0\n', 'two lines'],
    [`a\n0\n${toBase64(rootHash.subarray(1))}\n`, 'a short root'],
  ])('%j is refused: %s', (bad) => expectRefusal(() => parseCheckpointText(bad), 'checkpoint'));

  test("another log's key signs nothing for this one", () => {
    const foreign = signCheckpoint(checkpoint, stranger, sha256);
    const strangerKey = verifierKey(stranger.name, stranger.publicKey, sha256);
    expectRefusal(() => openCheckpoint(foreign, [logKey, strangerKey]), 'checkpoint', /another log/);
    expectRefusal(() => openCheckpoint(foreign, [logKey]), 'note');
  });
});

describe('cosignatures', () => {
  const text = checkpointText(checkpoint);
  const signature = cosign(text, 1679315147, witness, sha256);

  test("say when, and stand beside the log's signature", () => {
    const bytes = signCheckpoint(checkpoint, log, sha256) + formatSignatureLine(signature);
    const { note } = openCheckpoint(bytes, [logKey]);
    expect(assertCosigned(note, witnessKey)).toBe(1679315147);
    expect(signature.signature).toHaveLength(72);
  });

  test('another time, text, key type or length is refused', () => {
    const refuse = (material: Uint8Array, noteText = text, key = witnessKey) =>
      expectRefusal(
        () => assertCosigned({ text: noteText, signatures: [{ ...signature, signature: material }] }, key),
        'cosignature',
      );
    const later = Uint8Array.from(signature.signature);
    later[7]! ^= 1;
    refuse(later);
    const absurd = Uint8Array.from(signature.signature);
    absurd[0] = 255;
    refuse(absurd);
    refuse(signature.signature, text.replace('2085', '2086'));
    refuse(signature.signature.subarray(0, 71));
    refuse(signature.signature.subarray(8));
    const plain = verifierKey(witness.name, witness.publicKey, sha256);
    const asPlain = { text, signatures: [{ ...signature, keyId: plain.keyId }] };
    expectRefusal(() => assertCosigned(asPlain, plain), 'cosignature');
    expectRefusal(() => assertCosigned({ text, signatures: [] }, witnessKey), 'note');
  });
});

describe('promises', () => {
  const promise = { origin: log.name, canonicalHash: sha256(utf8('manifest')), deadline: 1_800_000_000 };
  const note = issuePromise(promise, log, sha256);

  test("are the same each time, and open with the log's key", () => {
    expect(issuePromise(promise, log, sha256)).toBe(note);
    expect(openPromise(note, [logKey], sha256)).toEqual(promise);
  });

  test('no checkpoint passes for a promise nor a promise for a checkpoint', () => {
    expectRefusal(() => openPromise(signCheckpoint(checkpoint, log, sha256), [logKey], sha256), 'promise');
    expectRefusal(() => openCheckpoint(note, [logKey]), 'checkpoint');
  });

  test('every byte counts', () => {
    const bytes = utf8(note);
    for (let i = 0; i < bytes.length; i++) {
      const mutant = Uint8Array.from(bytes);
      mutant[i]! ^= 1;
      expect(() => openPromise(mutant, [logKey], sha256)).toThrow(/note|promise/);
    }
    expectRefusal(() => issuePromise({ ...promise, origin: 'other' }, log, sha256), 'promise');
    for (const deadline of [0, -1, 1.5, 1e13])
      expectRefusal(() => issuePromise({ ...promise, deadline }, log, sha256), 'promise');
  });
});

describe('tlog-proof', () => {
  const checkpointNote = signCheckpoint(checkpoint, log, sha256);
  const path = [sha256(utf8('1')), sha256(utf8('2'))];

  test('there and back, with and without extra data and path', () => {
    for (const proof of [
      { index: 73894, path, checkpointNote },
      { index: 0, path: [], checkpointNote, extra: utf8('extra') },
    ]) {
      const text = formatTlogProof(proof);
      expect(text.startsWith('c2sp.org/tlog-proof@v1\n')).toBe(true);
      expect(parseTlogProof(utf8(text))).toEqual(proof);
    }
  });

  const text = formatTlogProof({ index: 5, path, checkpointNote });
  test.each([
    ['', 'nothing'],
    [text.replace('v1', 'v2'), 'another version'],
    [text.replace('index 5', 'index 05'), 'a leading zero'],
    [text.replace('index 5', 'index -5'), 'a sign'],
    [text.replace('index 5\n', ''), 'no index'],
    [text.replace('index 5', 'index 9007199254740993'), 'an unsafe number'],
    [text.replace('index 5', 'extra ***\nindex 5'), 'extra data that is not base64'],
    [text.replace('index 5', 'extra AA==\nextra AA==\nindex 5'), 'extra data twice'],
    [text.replace('=\n', '\n'), 'base64 without padding'],
    [text.replace('index 5\n', `index 5\n${toBase64(utf8('short'))}\n`), 'a short hash'],
    [text.replace('index 5\n', `index 5\n${`${toBase64(rootHash)}\n`.repeat(60)}`), 'too many hashes'],
    [text.split('\n\n')[0]!, 'no checkpoint'],
    [text.replaceAll('\n', '\r\n'), 'CRLF'],
  ])('%# is refused: %2$s', (bad) => expectRefusal(() => parseTlogProof(utf8(bad)), 'proof'));
});

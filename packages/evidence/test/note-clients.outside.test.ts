import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../src/bundle.ts';
import { decodeUtf8 } from '../src/bytes.ts';
import { parseCanonical } from '../src/jcs.ts';
import { readTrustPolicy } from '../src/policy.ts';
import { parseTlogProof } from '../src/tlog-proof.ts';
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from '../src/verifier-key.ts';
import { sha256 } from './support.ts';

/**
 * Both kinds of notes in a bundle as another program opens them: transparency-dev/formats, put together in
 * packages/testkit/interop/tlog-client/notes; with second signatures in mldsa44-note, which needs a newer Go.
 */
const run = promisify(execFile);
const folder = tempFolder();
const program = join(folder, 'notes');
/** Where there is no network that is not always said at once (ms). */
const FETCHED_WITHIN_MS = 120_000;
const COMPILED_WITHIN_MS = 600_000;
const missing = await build(program, 'tlog-client', './notes');
const mldsa44Program = join(folder, 'mldsa44-note');
const mldsa44Missing = await build(mldsa44Program, 'mldsa44-note', '.');

/** Why there is no program; null: there is. */
async function build(program: string, module: string, folder: string): Promise<string | null> {
  const source = resolve(import.meta.dirname, '../../testkit/interop', module);
  // The Go that is here, and the versions that go.sum pins: no other toolchain is fetched.
  const env = { ...process.env, GOTOOLCHAIN: 'local', PATH: `${process.env['PATH']}:/usr/local/go/bin` };
  const go = (args: string[], timeout: number) => run('go', args, { cwd: source, env, timeout });
  try {
    await go(['mod', 'download'], FETCHED_WITHIN_MS);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'skipped: needs go';
    return `skipped: needs the modules of ${module}: ${(stderr ?? '').trim().split('\n').at(-1)}`;
  }
  await go(['build', '-trimpath', '-o', program, folder], COMPILED_WITHIN_MS);
  return null;
}

describe.skipIf(missing !== null)(
  `transparency-dev/formats${missing === null ? '' : ` (${missing})`}`,
  () => {
    const bundle = readBundle(
      readFileSync(resolve(import.meta.dirname, '../../../contract/vectors/bundles/good/complete.zip')),
    );
    const text = (name: string) => decodeUtf8(bundle.get(name)!)!;
    const [key] = readTrustPolicy(parseCanonical(bundle.get('policy.json')!, 'policy'), sha256).logKeys;
    const cosigner = formatVerifierKey(verifierKey(key!.name, key!.publicKey, sha256, COSIGNATURE_V1));
    const checkpoint = parseTlogProof(bundle.get('proof.tlog-proof')!).checkpointNote;
    const outcomes = text('outcomes.note');

    function keep(name: string, content: string): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    }
    const open = (...args: string[]) =>
      run(program, args).then(
        ({ stdout }) =>
          stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        (error: { stderr: string }) => error.stderr,
      );

    test('opens checkpoints by the key of the log, and counts of outcomes by the same key as a cosigner', async () => {
      const files = [keep('checkpoint.note', checkpoint), keep('outcomes.note', outcomes)];
      expect(await open(formatVerifierKey(key!), files[0]!, cosigner, files[1]!)).toEqual([
        { origin: 'log.example/acuse', size: 13 },
        {
          origin: expect.stringMatching(/^log\.example\/acuse\/m\/[0-9a-f]{64}$/),
          size: 4,
          time: Date.parse('2026-03-05T06:00:00Z') / 1000,
        },
      ]);
    });

    test('refuses either under the other key, and with another number', async () => {
      for (const [by, note] of [
        [cosigner, checkpoint],
        [formatVerifierKey(key!), outcomes],
        [formatVerifierKey(key!), checkpoint.replace('\n13\n', '\n14\n')],
        [cosigner, outcomes.replace('\n4\n', '\n3\n')],
      ] as const)
        expect(await open(by, keep('refused.note', note))).toMatch(
          /no verifiable signatures|invalid signature/,
        );
    });
  },
);

describe.skipIf(mldsa44Missing !== null)(
  `transparency-dev/formats with ML-DSA-44${mldsa44Missing === null ? '' : ` (${mldsa44Missing})`}`,
  () => {
    const bundle = readBundle(
      readFileSync(resolve(import.meta.dirname, '../../../contract/vectors/bundles/mldsa44/both.zip')),
    );
    const policy = readTrustPolicy(parseCanonical(bundle.get('policy.json')!, 'policy'), sha256);
    const [key, second] = [policy.logKeys[0]!, policy.mldsa44Keys![0]!];
    const checkpoint = parseTlogProof(bundle.get('proof.tlog-proof')!).checkpointNote;
    const outcomes = decodeUtf8(bundle.get('outcomes.note')!)!;
    const cosigner = verifierKey(key.name, key.publicKey, sha256, COSIGNATURE_V1);
    const open = async (note: string, ...keys: (typeof key)[]) => {
      const path = join(folder, 'mldsa44.note');
      writeFileSync(path, note);
      return run(mldsa44Program, [path, ...keys.map(formatVerifierKey)]).then(
        ({ stdout }) => JSON.parse(stdout),
        (error: { stderr: string }) => error.stderr,
      );
    };

    test('opens checkpoints and counts of outcomes by both keys of the log', async () => {
      expect(await open(checkpoint, key, second)).toMatchObject({ size: 13, signed: 2 });
      expect(await open(outcomes, cosigner, second)).toMatchObject({ size: 2, signed: 2 });
    });

    test('refuses either with another number, or without the second signature', async () => {
      const stripped = (note: string) => note.replace(/[^\n]{3000,}\n/, '');
      for (const [note, first] of [
        [checkpoint, key],
        [outcomes, cosigner],
      ] as const) {
        const other = note.replace(/\n(13|2)\n/, '\n7\n');
        expect(await open(other, second)).toMatch(/invalid signature/);
        expect(await open(stripped(note), first, second)).toMatch(/signed by 1 of 2 keys/);
      }
    });
  },
);

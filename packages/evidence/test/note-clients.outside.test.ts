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
 * packages/testkit/interop/tlog-client/notes.
 */
const run = promisify(execFile);
const folder = tempFolder();
const program = join(folder, 'notes');
/** Where there is no network that is not always said at once (ms). */
const FETCHED_WITHIN_MS = 120_000;
const COMPILED_WITHIN_MS = 600_000;
const missing = await build();

/** Why there is no program; null: there is. */
async function build(): Promise<string | null> {
  const source = resolve(import.meta.dirname, '../../testkit/interop/tlog-client');
  // The Go that is here, and the versions that go.sum pins: no other toolchain is fetched.
  const env = { ...process.env, GOTOOLCHAIN: 'local', PATH: `${process.env['PATH']}:/usr/local/go/bin` };
  const go = (args: string[], timeout: number) => run('go', args, { cwd: source, env, timeout });
  try {
    await go(['mod', 'download'], FETCHED_WITHIN_MS);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'skipped: needs go';
    return `skipped: needs the modules of tlog-client: ${(stderr ?? '').trim().split('\n').at(-1)}`;
  }
  await go(['build', '-trimpath', '-o', program, './notes'], COMPILED_WITHIN_MS);
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

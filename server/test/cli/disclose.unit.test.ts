import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { verifyBundle } from '@acuse/evidence/verify';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from './run.ts';

const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors/bundles');
let folder: string;
let proof: string;
beforeEach(() => {
  folder = tempFolder();
  proof = join(folder, 'proof.zip');
  copyFileSync(join(VECTORS, 'good/complete.zip'), proof);
});

/** Texts that nobody may find in a bundle that shows the attachment alone. */
const SECRETS = [
  'luis@receiver.example',
  'ana@sandbox.test',
  'Aviso',
  'Estimado',
  '4XyZ',
  'mx.receiver.example',
];

describe('acuse disclose', () => {
  test('lists the parts, for people and for machines', async () => {
    const said = await acuse(['disclose', proof]);
    expect(said.code).toBe(0);
    expect(said.out).toMatch(
      /^PART\s+TYPE\s+BYTES\s+FILE NAME\n0\s+text\/plain\s+\d+\s+-\n1\s+application\/pdf\s+19\s+contrato €\.pdf\n$/,
    );
    expect((await acuse(['disclose', proof, '--json'])).json.parts).toMatchObject([
      { part: 0, filename: null, media_type: 'text/plain' },
      { part: 1, filename: 'contrato €.pdf', media_type: 'application/pdf', size: 19 },
    ]);
    expect(existsSync(join(folder, 'proof-part-1.zip'))).toBe(false);
  });

  test('shows one attachment and nothing else, in a bundle that verifies', async () => {
    const out = join(folder, 'attachment.zip');
    const { code, json } = await acuse(['disclose', proof, '--part', '1', '-o', out, '--json']);
    expect({ code, json }).toMatchObject({ code: 0, json: { file: out, parts: [{ part: 1 }] } });
    const bytes = new Uint8Array(readFileSync(out));
    const { valid, facts } = await verifyBundle(bytes, { sha256, now: new Date() });
    expect({ valid, content: facts.content }).toEqual({ valid: true, content: 'disclosed' });
    const bundle = readBundle(bytes);
    expect([...bundle.keys()].filter((name) => /^(message|submission|parts|delivery)/.test(name))).toEqual([
      'parts/01.bin',
      'message-constancia.tsr',
    ]);
    expect(Buffer.from(bundle.get('parts/01.bin')!).toString('latin1')).toMatch(/^%PDF-1\.4/);
    const everything = Buffer.concat([...bundle.values()]).toString('utf8');
    for (const secret of SECRETS) expect(everything).not.toContain(secret);
    expect((await acuse(['verify', out, '--json'])).json.valid).toBe(true);
  });

  test('writes beside the bundle by default, never over a file that is there', async () => {
    expect((await acuse(['disclose', proof, '--part', '1', '--part', '0'])).code).toBe(0);
    expect(existsSync(join(folder, 'proof-part-1-0.zip'))).toBe(true);
    const again = await acuse(['disclose', proof, '--part', '1', '--part', '0', '--json']);
    expect([again.code, again.json.error.code]).toEqual([2, 'unwritable_file']);
    const over = await acuse(['disclose', proof, '--part', '1', '--output', proof, '--json']);
    expect([over.code, over.json.error.code]).toEqual([2, 'unwritable_file']);
    expect((await acuse(['verify', proof, '--json'])).json.valid).toBe(true);
  });

  test('shows less of what shows little already', async () => {
    const both = join(folder, 'both.zip');
    copyFileSync(join(VECTORS, 'good/both-parts-disclosed.zip'), both);
    expect((await acuse(['disclose', both, '--part', '0'])).code).toBe(0);
    expect((await acuse(['verify', join(folder, 'both-part-0.zip'), '--json'])).json.valid).toBe(true);
  });

  test.each([
    ['a part that is not there', 'good/complete.zip', '7', 1, /no such part/],
    ['a part that is closed', 'good/one-part-disclosed.zip', '0', 1, /no such part/],
    ['a bundle that does not verify', 'broken/proof-bit.zip', '1', 1, /does not verify: inclusion/],
    ['no bundle', 'broken/no-zip.zip', '1', 1, /ZIP/],
    ['a part that is no number', 'good/complete.zip', '1.5', 2, /--part takes/],
    ['a file that is not there', 'good/none.zip', '1', 2, /cannot be read/],
  ])('refuses %s', async (_name, file, part, code, message) => {
    const out = join(folder, 'out.zip');
    const said = await acuse(['disclose', join(VECTORS, file), '--part', part, '-o', out, '--json']);
    expect([said.code, said.json.error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(existsSync(out)).toBe(false);
  });

  test('shows no control character of a file name on a terminal', async () => {
    const bundle = readBundle(new Uint8Array(readFileSync(proof)));
    const openings = JSON.parse(Buffer.from(bundle.get('openings.json')!).toString('utf8'));
    openings.mail.parts[1].filename = 'x\u001b[2J.pdf';
    const entries = [...bundle].map(([name, bytes]) => ({
      name,
      base64: (name === 'openings.json'
        ? Buffer.from(JSON.stringify(openings))
        : Buffer.from(bytes)
      ).toString('base64'),
    }));
    const hostile = join(folder, 'hostile.json');
    writeFileSync(hostile, JSON.stringify({ type: 'acuse/bundle/v1', entries }));
    const { out } = await acuse(['disclose', hostile]);
    expect(out).toContain('x?[2J.pdf');
  });
});

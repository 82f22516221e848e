#!/usr/bin/env node
// Prints how far our reading of a labelled set of bounces agrees with its labels, and which labels we dispute
// and why. Usage: node scripts/classification-agreement.mjs [folder with labels.json and *.eml] Default
// folder: $ACUSE_CORPORA/bounces, else ../shared/corpora/bounces. Exit code 1 under 95 %, 2 without a set.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Share of the recipients on which a set and we must agree. */
const REQUIRED = 0.95;

const root = fileURLToPath(new URL('..', import.meta.url));
const corpora = process.env.ACUSE_CORPORA ?? join(root, '../shared/corpora');
const folder = process.argv[2] ?? join(corpora, 'bounces');

if (!existsSync(join(folder, 'labels.json'))) {
  console.error(`No labels.json in ${folder}; name the folder or set ACUSE_CORPORA.`);
  process.exit(2);
}

const bundleFolder = mkdtempSync(join(tmpdir(), 'acuse-agreement-'));
const bundle = join(bundleFolder, 'agreement.mjs');
process.on('exit', () => rmSync(bundleFolder, { recursive: true, force: true }));
await build({
  entryPoints: [join(root, 'packages/mail/src/report/agreement.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
});
const { compare, formatAgreement, summarize } = await import(bundle);

const labels = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8'));
const comparisons = labels.flatMap((labelled) =>
  compare(labelled, readFileSync(join(folder, labelled.file))),
);
const agreement = summarize(comparisons);
for (const line of formatAgreement(agreement)) console.log(line);
const enough = Math.min(agreement.hardAgrees, agreement.typeAgrees) >= REQUIRED * agreement.recipients;
process.exit(enough ? 0 : 1);

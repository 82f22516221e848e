#!/usr/bin/env node
// npm run docs:build -- [--out folder] [--url address of an installation] [--base path]: the pages that a
// server shows at /docs, as files to publish. docs/decisions/0035 says why they are made by the same program.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundlePath, ensureBuilt } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'server/dist/site') },
    url: { type: 'string', default: 'http://localhost:8025' },
    base: { type: 'string', default: '' },
  },
});
if (!/^(?:\/[\w.-]+)*$/.test(values.base))
  throw new Error('--base takes a path such as /0.1.0, without a slash at the end');
// The pages' own program and style are built beside the server.
for (const program of ['acuse', 'openapi'])
  if (!(await ensureBuilt(program))) throw new Error(`${program} could not be built`);
const { siteFiles } = await import(bundlePath('openapi'));
const files = siteFiles({ publicUrl: values.url.replace(/\/$/, ''), base: values.base });
const out = resolve(values.out);
// Only what an earlier build wrote: the folder may be shared with other versions.
rmSync(join(out, 'docs'), { recursive: true, force: true });
for (const [path, text] of files) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}
console.log(
  `wrote ${files.size} files to ${out}: publish them at ${values.base === '' ? 'the root of a host' : values.base}`,
);

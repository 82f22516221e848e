// Every JavaScript and shell example of the README, as it stands, against the real service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { live } from './support/live.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const blocks = (language) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code);

describe('README', live, () => {
  for (const [at, code] of blocks('js').entries())
    it(`example ${at + 1}: ${code
      .split('\n')
      .find((line) => line.includes('await') || line.includes('new'))
      ?.trim()}`, async () => {
      // Below this folder, so that the package finds itself by its name.
      const folder = await mkdtemp(join(here, '.example-'));
      try {
        await writeFile(join(folder, 'example.mjs'), code);
        await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

  it('the commands, as they are typed', async () => {
    const shell = blocks('sh').find((code) => code.includes('acuse-api'));
    const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
    const script = `set -e\nnpx() { shift 2; "${process.execPath}" "${main}" "$@"; }\n${shell}`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script]);
    assert.match(stdout, /"subject": "Invoice 1"/);
    assert.match(stdout, /POST http:.*\/rotate-secret\nAuthorization: Bearer \*\*\*/);
  });
});

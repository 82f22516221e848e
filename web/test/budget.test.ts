import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * What every visit begins with; then, beside each other, the frame of those who are signed in and the page:
 * gzip, as the build made the files (bytes).
 */
const FIRST_LOAD_MAX_BYTES = 120_000;
const FRAME_MAX_BYTES = 15_000;
const PAGE_MAX_BYTES = 15_000;
/** What verifies evidence, in a worker of its own. */
const VERIFIER_MAX_BYTES = 60_000;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

const dist = fileURLToPath(new URL('../../server/dist/web/', import.meta.url));

/** The script itself and all that it cannot begin without. */
function filesOf(
  manifest: Readonly<Record<string, Chunk>>,
  name: string,
  found = new Set<string>(),
): Set<string> {
  const chunk = manifest[name]!;
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const each of chunk.imports ?? []) filesOf(manifest, each, found);
  return found;
}

test.each(['portal', 'admin'])(
  '%s: the first load, the frame and every page keep to their budgets',
  (application) => {
    const manifest = JSON.parse(readFileSync(`${dist}${application}/manifest.json`, 'utf8'));
    const sizeOf = (files: Iterable<string>) =>
      [...files].reduce((sum, file) => sum + statSync(`${dist}${application}/${file}.gz`).size, 0);
    const first = filesOf(manifest, 'index.html');
    expect(sizeOf(first)).toBeLessThanOrEqual(FIRST_LOAD_MAX_BYTES);
    const frame = [...filesOf(manifest, 'src/shell/shell.tsx')].filter((file) => !first.has(file));
    expect(sizeOf(frame)).toBeLessThanOrEqual(FRAME_MAX_BYTES);
    const before = new Set([...first, ...frame]);
    const pages = Object.keys(manifest).filter((name) => /\/pages\/[^/]+(?:\/page)?\.tsx$/.test(name));
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) {
      const own = [...filesOf(manifest, page)].filter((file) => !before.has(file));
      expect([page, sizeOf(own) <= PAGE_MAX_BYTES ? 'fits' : sizeOf(own)]).toEqual([page, 'fits']);
    }
  },
);

test('the verifier keeps to its budget', () => {
  const assets = `${dist}portal/assets/`;
  const workers = readdirSync(assets).filter((name) => /^worker-.*\.js\.gz$/.test(name));
  expect(workers).toHaveLength(1);
  expect(statSync(assets + workers[0]!).size).toBeLessThanOrEqual(VERIFIER_MAX_BYTES);
});

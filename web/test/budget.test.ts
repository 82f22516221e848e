import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, type Portal, startPortal, type Visitor } from './support/portal.ts';

/** Bytes with brotli, as the build made the files: scripts and styles. */
const FIRST_VISIT_MAX_BYTES = 130_000;
/** Over HTTP/1.1 each costs a round trip: the document, scripts, styles, pictures. */
const FIRST_VISIT_MAX_FILES = 12;
/** Most API calls of a first visit. */
const FIRST_VISIT_MAX_CALLS = 12;
/** Beside each other: the frame of those who are signed in, and the page. */
const FRAME_MAX_BYTES = 15_000;
const PAGE_MAX_BYTES = 15_000;
/** The verifier of evidence, in a worker of its own. */
const VERIFIER_MAX_BYTES = 70_000;

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
}

const dist = fileURLToPath(new URL('../../server/dist/web/', import.meta.url));

const compressedBytes = (path: string) => statSync(`${dist}${path}.br`).size;

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
  '%s: a first visit, the frame and every page keep to their budgets',
  (application) => {
    const manifest = JSON.parse(readFileSync(`${dist}${application}/manifest.json`, 'utf8'));
    const sizeOf = (files: Iterable<string>) =>
      [...files].reduce((sum, file) => sum + compressedBytes(`${application}/${file}`), 0);
    const first = filesOf(manifest, 'index.html');
    const frame = [...filesOf(manifest, 'src/shell/shell.tsx')].filter((file) => !first.has(file));
    expect(sizeOf(frame)).toBeLessThanOrEqual(FRAME_MAX_BYTES);
    const before = new Set([...first, ...frame]);
    const pages = Object.keys(manifest).filter((name) => /\/pages\/[^/]+(?:\/page)?\.tsx$/.test(name));
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) {
      const own = [...filesOf(manifest, page)].filter((file) => !before.has(file));
      expect([page, sizeOf(own) <= PAGE_MAX_BYTES ? 'fits' : sizeOf(own)]).toEqual([page, 'fits']);
      expect(sizeOf(before) + sizeOf(own)).toBeLessThanOrEqual(FIRST_VISIT_MAX_BYTES);
    }
  },
);

test('the verifier keeps to its budget', () => {
  const workers = readdirSync(`${dist}portal/assets`).filter((name) => /^worker-.*\.js$/.test(name));
  expect(workers).toHaveLength(1);
  expect(compressedBytes(`portal/assets/${workers[0]}`)).toBeLessThanOrEqual(VERIFIER_MAX_BYTES);
});

describe.skipIf(!hasBrowser)(hasBrowser ? 'a browser that was never here' : 'skipped: needs chromium', () => {
  let portal: Portal;
  let sealed: string;

  beforeAll(async () => {
    portal = await startPortal();
    sealed = await portal.send({ subject: 'Contract 77' });
    const message = async () => (await portal.api('GET', `/v1/messages/${sealed}`)).body;
    await eventually(async () => (await message()).sealed_at !== null);
  });
  afterAll(() => portal?.stop());

  /** Everything that it loaded until nothing more came, without the worker that verifies evidence. */
  async function loaded({ page, visit }: Visitor, folder: string, path: string) {
    const asked: string[] = [];
    const manifest: Readonly<Record<string, Chunk>> = JSON.parse(
      readFileSync(`${dist}${folder}/manifest.json`, 'utf8'),
    );
    const own = new Set(Object.values(manifest).map(({ file }) => file));
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      const [script] = /assets\/[^/]+\.js$/.exec(pathname) ?? [];
      if (script === undefined || own.has(script)) asked.push(pathname);
    });
    await visit(path);
    await page.waitForLoadState('networkidle');
    const files = asked.filter((each) => /\.(?:js|css)$/.test(each));
    expect(files.length).toBeGreaterThan(3);
    return {
      asked,
      bytes: files.reduce(
        (sum, file) => sum + compressedBytes(folder + file.slice(file.indexOf('/assets/'))),
        0,
      ),
    };
  }

  const visits: { name: string; folder: string; path: string; by: () => Promise<Visitor> }[] = [
    {
      name: 'to sign in',
      folder: 'portal',
      path: '/sign-in',
      by: () => portal.asStranger({ ownProfile: true }),
    },
    {
      name: 'at home without a session',
      folder: 'portal',
      path: '/',
      by: () => portal.asStranger({ ownProfile: true }),
    },
    { name: 'at home', folder: 'portal', path: '/', by: () => portal.asOwner({ ownProfile: true }) },
    {
      name: 'in the list of messages',
      folder: 'portal',
      path: '/messages',
      by: () => portal.asOwner({ ownProfile: true }),
    },
    {
      name: 'at the evidence of a message',
      folder: 'portal',
      path: '/messages/:id/evidence',
      by: () => portal.asOwner({ ownProfile: true }),
    },
    { name: 'in the console', folder: 'admin', path: '/', by: () => portal.asOperator({ ownProfile: true }) },
    {
      name: 'in the queue',
      folder: 'admin',
      path: '/queue',
      by: () => portal.asOperator({ ownProfile: true }),
    },
  ];
  test.each(visits)('loads no more than its budget: $name', async ({ folder, path, by }) => {
    const visitor = await by();
    try {
      const { asked, bytes } = await loaded(visitor, folder, path.replace(':id', sealed));
      const isCall = (each: string) => /^\/(?:v1|log)\//.test(each);
      // Changes in the meantime are asked for again.
      const calls = [...new Set(asked.filter(isCall))];
      expect(calls.length <= FIRST_VISIT_MAX_CALLS ? [] : calls).toEqual([]);
      const files = asked.filter((each) => !isCall(each));
      expect(files.length <= FIRST_VISIT_MAX_FILES ? [] : files).toEqual([]);
      expect(bytes).toBeLessThanOrEqual(FIRST_VISIT_MAX_BYTES);
    } finally {
      await visitor.close();
    }
  });
});

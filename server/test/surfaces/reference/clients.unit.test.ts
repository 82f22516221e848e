import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../../../src/platform/http/http.ts';
import { clientRoutes } from '../../../src/surfaces/reference/clients/routes.ts';

const URL_OF = 'https://mail.example.com';

/** Two registries: what each serves, by path. */
const BUILT = {
  cargo: {
    language: 'rust',
    library: 'crates/acuse-1.0.0.crate',
    files: { 'crates/acuse-1.0.0.crate': 'crate', 'config.json': '{"dl":"{{url}}/cargo/{crate}"}' },
  },
  composer: { language: 'php', library: 'acuse-1.0.0.zip', files: { 'acuse-1.0.0.zip': 'zip' } },
  python: {
    language: 'python',
    library: 'acuse-1.0.0-py3-none-any.whl',
    files: { 'acuse-1.0.0-py3-none-any.whl': 'wheel', 'simple/acuse/index.html': '<a>acuse</a>' },
  },
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function build(folder: string): void {
  for (const [name, { files, ...facts }] of Object.entries(BUILT)) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, path)), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
    const listed = Object.entries(files).map(([path, text]) => [
      path,
      { bytes: text.length, sha256: sha256(text) },
    ]);
    const manifest = { ...facts, version: '1.0.0', files: Object.fromEntries(listed) };
    writeFileSync(join(folder, name, 'files.json'), JSON.stringify(manifest));
  }
  writeFileSync(join(folder, 'secret'), 'not served');
}

function serve(folder: () => string | null, publicUrl = URL_OF) {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  clientRoutes(app as unknown as App, { folder, publicUrl: () => publicUrl });
  return (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url, headers });
}

function built() {
  const folder = tempFolder();
  build(folder);
  return serve(() => folder);
}

test('a file has its type, length and ETag, and is not sent again to who has it', async () => {
  const get = built();
  const url = '/clients/cargo/crates/acuse-1.0.0.crate';
  const { statusCode, headers, body } = await get(url);
  expect([statusCode, body]).toEqual([200, 'crate']);
  expect(headers).toMatchObject({
    'content-type': 'application/gzip',
    'content-length': '5',
    etag: `"${sha256('crate').slice(0, 32)}"`,
    'x-content-type-options': 'nosniff',
  });
  const again = await get(url, { 'if-none-match': String(headers.etag) });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  const head = await get(url, {}, 'HEAD');
  expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, '5', '']);
});

test('what needs the address has that of this installation', async () => {
  const { body } = await built()('/clients/cargo/config.json');
  expect(JSON.parse(body)).toEqual({ dl: `${URL_OF}/clients/cargo/{crate}` });
});

test('a folder is its index', async () => {
  const get = built();
  for (const url of ['/clients/python/simple/acuse/', '/clients/python/simple/acuse']) {
    const { headers, body } = await get(url);
    expect([body, headers['content-type']]).toEqual(['<a>acuse</a>', 'text/html; charset=utf-8']);
  }
});

test('nothing is read that no registry lists', async () => {
  const get = built();
  for (const path of [
    'secret',
    'cargo/files.json',
    'cargo/../secret',
    'cargo/%2e%2e/secret',
    'cargo/..%2fsecret',
    'cargo/crates/../../secret',
    'cargo/constructor',
    '__proto__/x',
    'npm/acuse-client-1.0.0.tgz',
  ])
    expect([path, (await get(`/clients/${path}`)).statusCode]).toEqual([path, 404]);
});

test('the page has the command, the file and its checksum, in both languages', async () => {
  const get = built();
  const english = await get('/clients/');
  expect(english.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(english.body).toContain(`acuse[verify] @ ${URL_OF}/clients/python/acuse-`);
  expect(english.body).toContain(sha256('wheel'));
  expect(english.body).toContain('This installation was built without it.');
  expect(english.body).not.toMatch(/\{(?:url|version|http)|<script|\sstyle=/);
  const spanish = await get('/clients/', { 'accept-language': 'es-MX' });
  expect(spanish.body).toContain('<html lang="es">');
  expect((await get('/clients/?lang=en', { 'accept-language': 'es' })).body).toContain('<html lang="en">');
});

test('the MCP server is installed with the library that it needs, by no name', async () => {
  const folder = tempFolder();
  const put = (...names: string[]) => {
    mkdirSync(join(folder, 'npm'), { recursive: true });
    const files = Object.fromEntries(names.map((name) => [name, { bytes: 1, sha256: sha256(name) }]));
    const manifest = { language: 'typescript', version: '1.0.0', library: names[0], files };
    writeFileSync(join(folder, 'npm/files.json'), JSON.stringify(manifest));
  };
  const get = serve(() => folder);
  put('acuse-client-1.0.0.tgz');
  expect((await get('/clients')).body).not.toContain('MCP');
  put('acuse-client-1.0.0.tgz', 'acuse-mcp-1.0.0.tgz');
  const { body } = await get('/clients');
  const [client, mcp] = ['client', 'mcp'].map((name) => `${URL_OF}/clients/npm/acuse-${name}-1.0.0.tgz`);
  expect(body).toContain(`npm install -g ${client} ${mcp}`);
  expect(body).toContain(sha256('acuse-mcp-1.0.0.tgz'));
});

test('each line of the command of PHP runs only after the one before, and http is allowed where it is used', async () => {
  const folder = tempFolder();
  build(folder);
  for (const [url, allowed] of [
    ['https://mail.example.com', ''],
    ['http://localhost:8025', 'composer config secure-http false &amp;&amp;\n'],
  ]) {
    const { body } = await serve(() => folder, url)('/clients/');
    expect(body).toContain(
      'test -f composer.json || composer init -n --name example/app &amp;&amp;\n' +
        `composer config repositories.acuse composer ${url}/clients/composer &amp;&amp;\n${allowed}` +
        'composer require ',
    );
  }
});

test('a checkout without them says how they are built', async () => {
  for (const folder of [null, tempFolder()])
    for (const url of ['/clients/', '/clients/npm/acuse-client-1.0.0.tgz']) {
      const { statusCode, body } = await serve(() => folder)(url);
      expect([statusCode, body]).toEqual([
        404,
        expect.stringMatching(/npm run package:clients .+ one or two minutes/),
      ]);
    }
});

test('what a checkout builds while the service runs is there', async () => {
  let folder: string | null = null;
  const get = serve(() => folder);
  expect((await get('/clients/')).statusCode).toBe(404);
  folder = tempFolder();
  build(folder);
  expect((await get('/clients/')).statusCode).toBe(200);
});

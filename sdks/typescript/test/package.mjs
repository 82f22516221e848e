#!/usr/bin/env node
// The dry run of publishing: packs the library, installs the file into an empty project, compiles a program
// against it strictly and sends with it, by import and by require.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startService } from './support/service.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const project = mkdtempSync(join(tmpdir(), 'acuse-package-'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });

const PROGRAM = `import { Acuse, type OtherWebhookEvent, type Sent, verifyWebhook, ApiError, VerifyError } from '@acuse/client';
import { TRUST_BUNDLE, verifyBundle, type BundleReport } from '@acuse/client/verify';
import { FakeAcuse } from '@acuse/client/testing';

const acuse = new Acuse();
const draft = { from: 'billing@sandbox.test', to: 'delivered@sandbox.test', subject: 'Invoice 1', text: 'Hello.' };
const sent: Sent = await acuse.messages.send(draft, 'package-1');
const again = await acuse.messages.send(draft, 'package-1');
if (sent.message.id !== again.message.id || !again.replayed) throw new Error('no replay');
for await (const m of acuse.messages.list({ status: 'bounced', created_after: new Date(0) })) console.log(m.id);
const refused: BundleReport | unknown = await verifyBundle(new Uint8Array(3), { policy: TRUST_BUNDLE }).catch(
  (error: unknown) => error,
);
if (!(refused instanceof VerifyError)) throw new Error('three bytes are a bundle');
new FakeAcuse().refuse({ code: 'conflict' });
export async function receive(body: Uint8Array, headers: Headers, secret: string): Promise<string> {
  const event = await verifyWebhook(body, headers, secret);
  if (event.type === 'email.bounced') return event.data.message_id + event.data.bounce_type;
  // @ts-expect-error: of bounces alone
  console.log(event.data.bounce_type);
  switch (event.type) {
    case 'email.sealed':
      return event.data.message_id;
    case 'email.queued':
    case 'email.sent':
    case 'email.deferred':
    case 'email.complained':
      return event.type;
    default:
      return (event as OtherWebhookEvent).type;
  }
}
export const isOurs = (error: unknown) => error instanceof ApiError && error.fix;
console.log('sent', sent.message.id);
`;

/** The parts of Node that the README imports. */
const NODE = `declare module 'node:assert/strict' { const assert: any; export default assert; }
declare module 'node:fs/promises' { export const readFile: any; export const rm: any; }
`;

const CONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: [],
    // Examples of the README are JavaScript: what their functions take has no types.
    noImplicitAny: false,
  },
  include: ['*.mts', 'node.d.ts'],
};

/** What the README shows, which a program in TypeScript begins with. */
const shown = readFileSync(join(folder, 'README.md'), 'utf8')
  .split('```js\n')
  .slice(1)
  .map((rest) => rest.slice(0, rest.indexOf('```')));

const { ACUSE_URL, ACUSE_API_KEY } = process.env;
const service = ACUSE_URL
  ? { url: ACUSE_URL, key: ACUSE_API_KEY, stop: async () => {} }
  : await startService();
try {
  const [{ filename, files }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', project], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).replace(/^[^[]*(?=\[\s*\{)/, ''),
  );
  const names = files.map(({ path }) => path);
  for (const name of [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'dist/index.js',
    'dist/evidence.js',
    'dist/cli/main.js',
  ])
    assert.ok(names.includes(name), `${name} is not in the package`);
  assert.ok(!names.some((name) => /^(src|test|shim)\//.test(name)), 'sources are in the package');
  // The first packing has built it, as publishing does. Nobody is asked.
  const dry = [
    'publish',
    '--dry-run',
    '--ignore-scripts',
    '--fetch-retries=0',
    '--registry',
    'http://127.0.0.1:9/',
  ];
  const published = spawnSync('npm', dry, { cwd: folder, encoding: 'utf8' });
  assert.equal(published.status, 0, published.stderr);
  assert.doesNotMatch(published.stderr, /auto-corrected|invalid/);
  console.log(published.stdout.trim());

  writeFileSync(join(project, 'package.json'), '{"name":"fresh","private":true,"type":"module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`]);
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(CONFIG));
  writeFileSync(join(project, 'node.d.ts'), NODE);
  writeFileSync(join(project, 'program.mts'), PROGRAM);
  for (const [at, code] of shown.entries()) writeFileSync(join(project, `shown-${at}.mts`), code);
  run(process.execPath, [join(dirname(require.resolve('typescript/package.json')), 'bin/tsc')]);
  const env = { ...process.env, ACUSE_URL: service.url, ACUSE_API_KEY: service.key };
  assert.match(run(process.execPath, ['program.mjs'], { env }), /^sent [0-9a-f-]{36}/m);
  writeFileSync(
    join(project, 'program.cjs'),
    "const { Acuse } = require('@acuse/client'); new Acuse().account.get().then((a) => console.log(a.sandbox));",
  );
  assert.match(run(process.execPath, ['--no-warnings', 'program.cjs'], { env }), /true/);
  assert.match(run('npx', ['--no-install', 'acuse-api', 'account', 'get'], { env }), /"sandbox": true/);
  console.log(`package: ${filename} installs into an empty project, compiles and sends`);
} finally {
  await service.stop();
  rmSync(project, { recursive: true, force: true });
}

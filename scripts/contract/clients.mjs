#!/usr/bin/env node
// Clients that generators make of contract/openapi.json: each compiles under its language's strictest
// settings, and sends, lists and reads an error against a service of its own. `npm run contract:clients`.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from './service.mjs';
import { has, npmTool, npmTools, pythonTool, run } from './tools.mjs';

const HERE = new URL('.', import.meta.url).pathname;
const DOCUMENT = join(HERE, '../../contract/openapi.json');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

const work = mkdtempSync(join(tmpdir(), 'acuse-clients-'));
const service = await startService();
const env = { ...process.env, ACUSE_URL: service.url, ACUSE_API_KEY: service.key };
try {
  typescript(join(work, 'typescript'));
  if (has('python3', '-c', 'import venv')) python(join(work, 'python'));
  else skip('Python', 'Python 3.10 or newer');
  if (has('go', 'version')) go(join(work, 'go'));
  else skip('Go', 'Go 1.24 or newer');
} finally {
  await service.stop();
  rmSync(work, { recursive: true, force: true });
}

function typescript(folder) {
  mkdirSync(folder);
  cpSync(join(HERE, 'clients/client.ts'), join(folder, 'client.ts'));
  run(npmTool('openapi-typescript'), [DOCUMENT, '--output', join(folder, 'api.d.ts')]);
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], types: [], noEmit: false },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ noPropertyAccessFromIndexSignature: true, noImplicitReturns: true, skipLibCheck: false },
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['client.ts', 'process.d.ts'] }),
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'process.d.ts'),
    'declare const process: { env: Record<string, string | undefined> };',
  );
  cpSync(join(npmTools(), 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules/@') && keeps(path),
  });
  run(npmTool('tsc'), ['--project', folder, '--pretty', 'false']);
  process.stdout.write(run(process.execPath, [join(folder, 'client.js')], { env }));
}

/** Of what the tools installed, only what the client itself needs. */
function keeps(path) {
  return path.endsWith('node_modules') || /node_modules\/openapi-(fetch|typescript-helpers)/.test(path);
}

function python(folder) {
  mkdirSync(folder);
  cpSync(join(HERE, 'clients/client.py'), join(folder, 'client.py'));
  run(pythonTool('openapi-python-client'), [
    ...['generate', '--path', DOCUMENT, '--meta', 'none', '--output-path', join(folder, 'acuse')],
    ...['--config', join(HERE, 'clients/python.yaml')],
  ]);
  run(pythonTool('mypy'), ['--strict', '--cache-dir', join(folder, 'cache'), '.'], { cwd: folder });
  process.stdout.write(run(pythonTool('python3'), ['client.py'], { cwd: folder, env }));
}

function go(folder) {
  mkdirSync(join(folder, 'acuse'), { recursive: true });
  cpSync(join(HERE, 'clients/main.go.txt'), join(folder, 'main.go'));
  cpSync(join(HERE, 'clients/go.mod.txt'), join(folder, 'go.mod'));
  cpSync(join(HERE, 'clients/go.sum.txt'), join(folder, 'go.sum'));
  const inFolder = { cwd: folder, env: { ...env, GOFLAGS: '' } };
  run('go', ['run', OAPI_CODEGEN, '-config', join(HERE, 'clients/go.yaml'), DOCUMENT], inFolder);
  run('go', ['vet', './...'], inFolder);
  process.stdout.write(run('go', ['run', '.'], inFolder));
}

function skip(language, needs) {
  console.log(`${language}: skipped: needs ${needs}`);
  if (process.env.CI !== undefined) process.exitCode = 1;
}

import { expect, test } from 'vitest';
import { unownedIn } from './check-unowned.mjs';

const linesIn = (text: string, path = 'docs/page.md') => unownedIn(path, text);

test.each([
  'npx acuse verify proof.zip',
  'Run `npx acuse`.',
  'npx -y @acuse/mcp',
  'npx --yes acuse-api account get',
  'npm exec acuse verify',
  'pnpm dlx acuse',
  'uvx acuse verify',
  'pipx run acuse',
  'npm install -g acuse',
  'npm i @acuse/client',
  'pip install "acuse[verify]"',
  'cargo install acuse',
  'go install acuse.dev/go/cmd/acuse',
])('%s runs or installs whatever has that name', (line) => {
  expect(linesIn(`first\n${line}\n`)).toEqual([expect.stringMatching(/^docs\/page\.md:2: /)]);
});

test.each([
  'npx vitest run server/test/surfaces/reference',
  'npx --no acuse-api account get',
  "run('npx', ['--no-install', 'acuse-api'])",
  './acuse verify proof.zip',
  'acuse verify proof.zip',
  'npm install && npm start',
  'npm install @fastify/cors',
])('%s does not', (line) => {
  expect(linesIn(line)).toEqual([]);
});

test('a client library says from where it is installed, and runs nothing by name', () => {
  const readme = 'sdks/python/README.md';
  for (const command of [
    'pip install "acuse[verify] @ https://mail.example.com/clients/python/acuse.whl"',
    'cargo add acuse@1.0.0 --registry acuse',
    'composer config repositories.acuse composer https://x &&\ncomposer require acuse/acuse',
  ])
    expect(linesIn(command, readme)).toEqual([]);
  for (const command of [
    'pip install "acuse[verify]"',
    'composer config repositories.acuse composer https://x\ncomposer require acuse/acuse',
  ])
    expect(linesIn(command, readme)).toHaveLength(1);
  expect(linesIn('npx acuse-api', 'sdks/typescript/README.md')).toHaveLength(1);
});

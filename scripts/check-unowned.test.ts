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

test('a client library says how it is installed, and runs nothing by name', () => {
  expect(linesIn('pip install acuse', 'sdks/python/README.md')).toEqual([]);
  expect(linesIn('npx acuse-api', 'sdks/typescript/README.md')).toHaveLength(1);
});

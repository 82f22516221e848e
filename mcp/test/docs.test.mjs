// Documents for agents and for those who set them up: examples run, and say what is so.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TOOLS } from '../dist/server.js';
import { live, MAIN } from './support.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(`${root}${path}`, 'utf8');
/** Texts of the fenced blocks of a language. */
const blocks = (text, language) =>
  `\n${text}`
    .split('\n```')
    .filter((each, at) => at % 2 === 1 && each.split('\n', 1)[0] === language)
    .map((each) => `${each.slice(language.length + 1)}\n`);

describe('docs/agents.md', () => {
  const page = read('docs/agents.md');

  it('names every tool and every variable, as --help does', () => {
    for (const { name } of TOOLS) assert.ok(page.includes(`\`${name}\``), name);
    const help = execFileSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' });
    for (const text of [page, help]) {
      const names = [...text.matchAll(/ACUSE_MCP_[A-Z_]+/g)].map(([name]) => name);
      const source = [...read('mcp/src/config.ts').matchAll(/env\['(ACUSE_MCP_\w+)'\]/g)].map(
        ([, name]) => name,
      );
      assert.deepEqual([...new Set(names)].sort(), [...new Set(source)].sort());
    }
  });

  it('has configurations that are JSON', () => {
    const texts = [...blocks(page, 'json'), ...blocks(read('mcp/README.md'), 'json')];
    assert.ok(texts.length > 3);
    for (const text of texts) {
      const { mcpServers, servers, context_servers: contextServers } = JSON.parse(text);
      const { command, args, env, url, headers } = (mcpServers ?? servers ?? contextServers).acuse;
      if (url === undefined) {
        assert.ok(command === 'acuse-mcp' || args.join(' ') === '-y @acuse/mcp', text);
        assert.ok(env.ACUSE_API_KEY && env.ACUSE_URL, text);
      } else assert.match(headers.Authorization, /^Bearer (?:acuse_|\$)/);
    }
  });
});

describe('README.md', live, () => {
  it('has a program that runs', () => {
    const [program] = blocks(read('mcp/README.md'), 'js');
    const path = `${root}mcp/test/.readme-example.mjs`;
    writeFileSync(path, program);
    try {
      assert.equal(execFileSync(process.execPath, [path], { encoding: 'utf8' }), 'false\n');
    } finally {
      rmSync(path);
    }
  });
});

describe('/llms.txt', live, () => {
  it('names every client library with its first request, and that in TypeScript runs', async () => {
    const text = await (await fetch(`${process.env.ACUSE_URL}/llms.txt`)).text();
    const { languages } = JSON.parse(read('sdks/names.json'));
    const { version } = JSON.parse(read('package.json'));
    const samples = JSON.parse(read('server/src/surfaces/reference/site/client-samples.json'));
    for (const [language, name] of Object.entries(samples.names)) {
      const install = languages[language].install
        .replace(/\{http:([^{}]*)\}/g, process.env.ACUSE_URL.startsWith('http:') ? '$1' : '')
        .replaceAll('{url}', process.env.ACUSE_URL)
        .replaceAll('{version}', version);
      assert.ok(text.includes(`${name}: ${install}`), language);
      assert.ok(text.includes(samples.first[language]), language);
    }
    const path = `${root}mcp/test/.llms-example.mjs`;
    writeFileSync(path, `${blocks(text, 'typescript')[0]}console.log(message.id, replayed);\n`);
    try {
      assert.match(
        execFileSync(process.execPath, [path], { encoding: 'utf8' }),
        /^[0-9a-f-]{36} (true|false)\n$/,
      );
    } finally {
      rmSync(path);
    }
  });
});

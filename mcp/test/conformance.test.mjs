// The protocol's own conformance suite, with a Node that is new enough for it (this one, or the one that is
// installed with the suite): what it asks of every server.
// Its other scenarios call tools and prompts made for it, which a server for mail does not have.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../dist/config.js';
import { serveHttp } from '../dist/http.js';
import { envOf, live } from './support.mjs';

/** The suite's packages, pinned; installed on first use, not by npm ci. */
const TOOLS = fileURLToPath(new URL('conformance/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const NODE_MIN = 22;
const INSTALL_MS = 120_000;
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'];

/** A Node that is new enough: this one, or that of the suite's packages; null where there is none. */
function nodeOf(modules) {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MIN) return process.execPath;
  const own = join(modules, `node-${process.platform}-${process.arch}/bin/node`);
  return existsSync(own) ? own : null;
}

/** The packages of the suite; null where they cannot be installed. */
function install() {
  const lock = createHash('sha256').update(readFileSync(join(TOOLS, 'package-lock.json')));
  const folder = join(CACHE, `acuse-mcp-conformance-${lock.digest('hex').slice(0, 12)}`);
  if (!existsSync(join(folder, 'complete'))) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      copyFileSync(join(TOOLS, file), join(folder, file));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: INSTALL_MS });
    if (status !== 0) return null;
    mkdirSync(join(folder, 'complete'));
  }
  return join(folder, 'node_modules');
}

const modules = live.skip ? null : install();
const node = modules && nodeOf(modules);
const suite = modules && join(modules, '@modelcontextprotocol/conformance/dist/index.js');
const skip =
  live.skip ||
  (modules === null && 'needs the packages of the suite, which cannot be installed here') ||
  (node === null && `needs Node ${NODE_MIN}: this is ${process.versions.node}`);

// Not of the whole: node:test would not count what is skipped with it.
describe('the conformance suite of the protocol', () => {
  let http;
  let front;
  before(async () => {
    if (skip) return;
    http = await serveHttp(readConfig(envOf()), '127.0.0.1:0', () => {});
    // The suite has no key to send: this adds one, and changes nothing else.
    front = createServer((incoming, outgoing) => {
      const authorization = `Bearer ${process.env.ACUSE_API_KEY}`;
      const { method, headers } = incoming;
      const onward = request(http.url, { method, headers: { ...headers, authorization } }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });
  after(async () => {
    front?.close();
    await http?.close();
  });

  for (const scenario of SCENARIOS)
    it(`passes ${scenario}`, { skip, timeout: 60_000 }, async () => {
      const url = `http://127.0.0.1:${front.address().port}/mcp`;
      const child = spawn(node, [suite, 'server', '--url', url, '--scenario', scenario]);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part) => {
          output += part;
        });
      const [code] = await once(child, 'close');
      assert.equal(code, 0, output.slice(-4000));
      assert.match(output, /Passed: \d{1,3}\/\d{1,3}, 0 failed/);
    });
});

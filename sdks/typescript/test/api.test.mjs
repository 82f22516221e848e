// The command acuse-api, which is `acuse api` of the service too.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { draft, live } from './support/live.mjs';

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Exit code, stdout and stderr of acuse-api; `input` is piped into it. */
function api(args, env = {}, input = '') {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...process.env, ...env }, encoding: 'buffer' },
      (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout: String(stdout), stderr: String(stderr), bytes: stdout }),
    );
    // It may end without reading.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The same where somebody looks: what it says there. */
async function seen(args, env = {}) {
  const said = [];
  const { run } = await import('../dist/cli/run.js');
  const before = { ...process.env };
  Object.assign(process.env, env);
  const code = await run(args, {
    program: 'acuse-api',
    input: (async function* () {})(),
    out: (text) => said.push(text),
    error: (text) => said.push(text),
    isTerminal: true,
  });
  for (const name of Object.keys(env)) process.env[name] = before[name] ?? '';
  return { code, said: said.join('') };
}

/** A service that answers what a test says; `asked`: the requests. */
async function service(answer, work) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    asked.push({ url: request.url, headers: request.headers, body });
    const { status = 200, type = 'application/json', content } = answer(request, asked.length);
    response.writeHead(status, { 'Content-Type': type }).end(content);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const env = {
    ACUSE_URL: `http://127.0.0.1:${server.address().port}`,
    ACUSE_API_KEY: 'acuse_a_canary',
  };
  try {
    await work(env, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('acuse-api', () => {
  it('lists every resource', async () => {
    const { code, stdout } = await api(['--help']);
    assert.equal(code, 0);
    assert.match(stdout, /messages: send, send-raw/);
    assert.match(stdout, /api-keys: create, list, revoke/);
  });

  for (const [name, args, told] of [
    ['a resource', ['mesages', 'list'], /no resource or operation mesages/],
    ['a method', ['messages', 'launch'], /no method launch; it has send/],
    ['an option', ['messages', 'list', '--colour', 'blue'], /no option --colour; it has --limit/],
    ['an argument too few', ['messages', 'get'], /takes <id>/],
    ['a body that is not JSON', ['messages', 'send', '--data', '{'], /not JSON/],
    ['a file that is not there', ['messages', 'send', '--data', '@/nonexistent'], /cannot be read/],
    ['a key where none is taken', ['domains', 'list', '--key', 'k'], /takes no --key/],
    ['a resource alone', ['messages'], /needs a method; it has send/],
    ['a path', ['GET', '/v1/mesages'], /No operation has the path/],
    ['a method for a path', ['DELETE', '/v1/messages'], /takes POST, GET, not DELETE/],
    ['a parameter in a path', ['GET', '/v1/messages?colour=blue'], /no option --colour/],
    ['a half escape in a path', ['GET', '/v1/messages/%E0%A4%A'], /not the start of an escape/],
    ['a way out of a path', ['GET', '/v1/messages/..'], /does not name anything/],
    ['an option twice', ['messages', 'list', '--tag', 'a', '--tag', 'b'], /given twice/],
    ['--all where there is no list', ['account', 'get', '--all'], /not a list/],
    ['no file for a CSV', ['suppressions', 'import-csv'], /needs --data @<file>, text\/csv/],
    ['an empty key', ['messages', 'send', '--key', ''], /key/i],
  ])
    it(`${name} that does not exist or fit: exit code 2`, async () => {
      const { code, stderr } = await api(args, { ACUSE_API_KEY: 'acuse_a_canary' });
      assert.equal(code, 2);
      assert.match(JSON.parse(stderr).error.message, told);
    });

  it('no service: exit code 3, and the key to try again with', async () => {
    const env = { ACUSE_URL: 'http://127.0.0.1:1', ACUSE_API_KEY: 'acuse_a_canary' };
    const { code, stderr } = await api(['messages', 'send', '--data', '{}', '--key', 'k1'], env);
    assert.equal(code, 3);
    assert.equal(JSON.parse(stderr).error.idempotency_key, 'k1');
    assert.doesNotMatch(stderr, /canary/);
  });

  it('--dry-run shows the request without the key and makes none', async () => {
    const env = { ACUSE_URL: 'http://127.0.0.1:1', ACUSE_API_KEY: 'acuse_a_canary' };
    const { code, stdout } = await api(
      ['messages', 'send', '--data', '{"a":1}', '--key', 'k', '--dry-run'],
      env,
    );
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^POST http:\/\/127\.0\.0\.1:1\/v1\/messages\nAuthorization: Bearer \*\*\*\nIdempotency-Key: k/,
    );
  });
});

describe('acuse-api and what comes and goes', () => {
  it('says how a resource, a method and an operation are called', async () => {
    assert.match(
      (await api(['webhooks', '--help'])).stdout,
      /acuse-api webhooks rotate-secret <id>\n {4}POST /,
    );
    assert.match((await api(['messages', 'send', '-h'])).stdout, /^acuse-api messages send --data @<file> /);
    assert.match((await api(['getMessage', '--help'])).stdout, /messages get <id>/);
    assert.match((await api(['GET', '/v1/rates', '--help'])).stdout, /rates get \[--days <days>\]/);
  });

  it('an operation by its name, its id and its path is the same request', async () => {
    await service(
      () => ({ content: '{"data":[],"next_cursor":null}' }),
      async (env, asked) => {
        for (const words of [
          ['messages', 'list-events', 'a/b', '--limit', '5'],
          ['listMessageEvents', 'a/b', '--limit=5'],
          ['get', '/v1/messages/a%2Fb/events?limit=5'],
        ])
          assert.equal((await api(words, env)).code, 0);
        assert.deepEqual(
          asked.map(({ url }) => url),
          Array(3).fill('/v1/messages/a%2Fb/events?limit=5'),
        );
      },
    );
  });

  it('no key: what to set, before any request', async () => {
    const { code, stderr } = await api(['account', 'get'], { ACUSE_API_KEY: '' });
    assert.equal(code, 2);
    assert.match(JSON.parse(stderr).error.fix, /ACUSE_API_KEY/);
  });

  it('hostile bytes of an answer are escapes, in JSON, in errors and in text', async () => {
    const hostile = 'a\u001b]0;x\u0007\u202e\u009b2J\u{e0041}é';
    const content = JSON.stringify({ error: { code: 'not_found', message: hostile } });
    const clean = /^[\n\x20-\x7eé]*$/;
    await service(
      (_, nth) => (nth === 1 ? { content: JSON.stringify({ status: hostile }) } : { status: 404, content }),
      async (env) => {
        const { stdout } = await api(['health', 'live'], env);
        assert.match(stdout, clean);
        assert.equal(JSON.parse(stdout).status, hostile);
        const { code, stderr } = await api(['messages', 'get', 'a'], env);
        assert.equal(code, 1);
        // What a server says of an error has lost what it could do before it is printed (docs/clients.md).
        assert.match(stderr, /^[\n\x20-\x7eé\ufffd]*$/);
        assert.equal(JSON.parse(stderr).error.message, 'a\ufffd]0;x\ufffd\ufffd\ufffd2J\u{e0041}é');
      },
    );
    await service(
      () => ({ type: 'text/plain; charset=utf-8', content: `${hostile}\r\nb` }),
      async (env) => {
        const shown = (await seen(['log', 'key'], env)).said;
        assert.match(shown, clean);
        assert.match(shown, /\\u001b\]0;x\\u0007\\u202e\\u009b2J\\u\{e0041\}é\nb$/);
        // A file gets what came.
        assert.equal((await api(['log', 'key'], env)).stdout, `${hostile}\r\nb`);
      },
    );
  });

  it('a file goes to a file, and never onto a terminal', async () => {
    const bytes = Buffer.from([0x50, 0x4b, 0, 0x1b, 0xff]);
    await service(
      () => ({ type: 'application/zip', content: bytes }),
      async (env, asked) => {
        const refused = await seen(['evidence', 'get-bundle', 'a'], env);
        assert.equal(refused.code, 2);
        assert.match(refused.said, /add --output <file>/);
        assert.equal(asked.length, 0);
        await inFolder(async (folder) => {
          const path = join(folder, 'proof.zip');
          const { stdout } = await api(['evidence', 'get-bundle', 'a', '-o', path], env);
          assert.deepEqual(JSON.parse(stdout), { file: path, bytes: 5 });
          assert.deepEqual(await readFile(path), bytes);
          const nowhere = await api(['evidence', 'get-bundle', 'a', '-o', join(folder, 'no/x')], env);
          assert.equal(nowhere.code, 1);
          assert.match(JSON.parse(nowhere.stderr).error.fix, /--output/);
          assert.deepEqual(await readdir(folder), ['proof.zip']);
        });
        assert.deepEqual((await api(['evidence', 'get-bundle', 'a'], env)).bytes, bytes);
      },
    );
  });

  it('a list has a page, or with --all an item a line', async () => {
    const key = { name: 'a', scopes: [], created_at: '2026-11-20T09:30:00.000Z', last_used_at: null };
    const page = (_, nth) => ({
      content: JSON.stringify({
        data: [{ ...key, id: String(nth) }],
        next_cursor: nth % 2 === 1 ? 'more' : null,
      }),
    });
    await service(page, async (env, asked) => {
      const all = await api(['GET', '/v1/api-keys', '--all'], env);
      assert.equal(all.stdout.match(/\n/g).length, 2);
      assert.deepEqual(
        asked.map(({ url }) => url),
        ['/v1/api-keys', '/v1/api-keys?after=more'],
      );
      const one = await seen(['api-keys', 'list', '--limit', '1'], env);
      assert.match(one.said, /there is more: --after more, or --all/);
    });
  });

  it('the body comes from an argument, a file or a pipe', async () => {
    await service(
      () => ({ status: 201, content: '{}' }),
      async (env, asked) => {
        const body = '{"name":"example.com","é":"\\u001b"}';
        await inFolder(async (folder) => {
          await writeFile(join(folder, 'body.json'), body);
          for (const data of [body, `@${join(folder, 'body.json')}`, '-', '@-'])
            await api(['domains', 'create', '--data', data], env, body);
        });
        assert.deepEqual(
          asked.map((each) => String(each.body)),
          Array(4).fill(body),
        );
        const { code, stderr } = await api(['domains', 'create', '--data', '-'], env, Buffer.from([0xff]));
        assert.equal(code, 2);
        assert.match(JSON.parse(stderr).error.message, /not UTF-8/);
        assert.match(
          (await api(['domains', 'create', '--data', '{"a" 1}'], env)).stderr,
          /not JSON: .*position/,
        );
      },
    );
  });

  it('a refusal that ends by itself has exit code 3', async () => {
    const limited = { error: { code: 'quota_exceeded', message: 'No.' } };
    await service(
      () => ({ status: 429, content: JSON.stringify(limited) }),
      async (env) => assert.equal((await api(['account', 'get'], env)).code, 3),
    );
  });
});

describe('acuse-api against the service', live, () => {
  it('sends from a file, and says what to do about a refusal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-client-'));
    const path = join(folder, 'send.json');
    await writeFile(path, JSON.stringify(draft()));
    const { code, stdout } = await api(['messages', 'send', '--data', `@${path}`, '--json']);
    assert.equal(code, 0);
    const { id } = JSON.parse(stdout);
    assert.equal(JSON.parse((await api(['messages', 'get', id])).stdout).id, id);
    await writeFile(path, JSON.stringify(draft({ from: 'x@unverified.example' })));
    const refused = await api(['messages', 'send', '--data', `@${path}`]);
    assert.equal(refused.code, 1);
    const { error } = JSON.parse(refused.stderr);
    assert.equal(error.code, 'domain_not_verified');
    assert.match(error.fix, /domains/);
    await rm(folder, { recursive: true });
  });
});

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** How long the server may take to be ready, a build included (ms). */
const READY_LIMIT_MS = 120_000;
/** How long to wait for what the server does by itself, such as delivering (ms). */
const EFFECT_LIMIT_MS = 60_000;
const POLL_MS = 50;
/** The largest page of a list. */
const PAGE = 100;

const SETTINGS = {
  ACUSE_PORT: '0',
  ACUSE_SANDBOX_SMTP_PORT: '0',
  ACUSE_ADMIN_PORT: '0',
  ACUSE_RETURN_PATH_PORT: '0',
  ACUSE_SUBMISSION_PORT: '0',
  ACUSE_SUBMISSIONS_PORT: '0',
  ACUSE_KEY_RATE: '0',
  ACUSE_ADDRESS_RATE: '0',
  ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
  ACUSE_SEAL_INTERVAL: '1s',
};

/**
 * The real server in a folder of its own, without rate limits, and its effects as it reports them. With
 * ACUSE_URL and ACUSE_API_KEY: that server, which must have the same settings.
 */
export async function startServer(folder) {
  const { ACUSE_URL: base_url, ACUSE_API_KEY: api_key } = process.env;
  if (base_url && api_key) {
    // Shims are told in each request.
    delete process.env.ACUSE_URL;
    delete process.env.ACUSE_API_KEY;
    return { url: base_url, key: api_key, stop: async () => {}, ...effectsAt({ base_url, api_key }) };
  }
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const child = spawn(process.execPath, [join(ROOT, 'scripts/start.mjs')], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...SETTINGS, ACUSE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-20_000);
    });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const since = performance.now();
  while (!said.includes('Stop with Ctrl-C')) {
    if (child.exitCode !== null || performance.now() - since > READY_LIMIT_MS) {
      await stop();
      throw new Error(`the server did not start:\n${said}`);
    }
    await pause(POLL_MS);
  }
  const sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  return { url: sandbox.base_url, key: sandbox.api_key, stop, ...effectsAt(sandbox) };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function effectsAt({ base_url: url, api_key: key }) {
  const get = async (path) => {
    const ask = () => fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
    let answer = await ask();
    // The suite's own look is not what is tried: a server that has much to do is asked again.
    for (const since = performance.now(); answer.status === 503; answer = await ask()) {
      if (performance.now() - since > EFFECT_LIMIT_MS) break;
      await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    }
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  /** Everything in a list. */
  const all = async (path, filter = {}) => {
    const items = [];
    for (let after = null; ; ) {
      const query = new URLSearchParams({ ...filter, limit: PAGE, ...(after === null ? {} : { after }) });
      const page = await (await get(`${path}?${query}`)).json();
      items.push(...page.data);
      after = page.next_cursor;
      if (after === null) return items;
    }
  };
  return {
    get,
    all,
    /** Messages that the server has accepted for an address. */
    messages: (to) => all('/v1/messages', { to }),
    /** The mails of an address, once every accepted message is there. */
    async mails(to) {
      const accepted = await all('/v1/messages', { to });
      const since = performance.now();
      for (;;) {
        const mails = await all('/sandbox/mailbox', { to });
        if (mails.length >= accepted.length || performance.now() - since > EFFECT_LIMIT_MS) return mails;
        // In proportion: many mails are many pages, and whoever looks keeps the server from delivering.
        await pause(Math.max(POLL_MS, (performance.now() - since) / 4));
      }
    },
  };
}

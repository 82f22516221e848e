// npm run bench -- lists [messages]: how long lists take in an account with a million messages, filter by
// filter. One request at a time on one connection of loopback, so that the times are the server's and some
// tenths of a millisecond of HTTP.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { fill } from './scale-fill.mjs';
import { BUSY, NEEDLE } from './scale-rows.mjs';
import { inFreshFolder, makeAccount, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const MESSAGES = 1_000_000;
const ROUNDS = 9;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export async function run([count = String(MESSAGES)]) {
  await inFreshFolder(async (dataDir) => {
    const key = await makeAccount(dataDir);
    const service = await startService(dataDir, {
      roles: 'api',
      env: { ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true' },
    });
    try {
      const call = caller(service.url, key);
      const { id: webhookId } = await call('POST', '/v1/webhooks', {
        url: 'https://127.0.0.1:1/',
        events: ['*'],
      });
      const tenantId = await inDatabase(dataDir, accountOf);
      const given = { count: Number(count), accounts: 1, tenantId, webhookId };
      const oldest = await fill(superuser(dataDir), given);
      printTable(await measure(call, pathsOf({ webhookId, oldest })), 1);
    } finally {
      await service.stop();
    }
  });
}

const ownerOf = (dataDir) => JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')).url;

/** How to reach the embedded database in this folder as its superuser. */
export const superuser = (dataDir) => ownerOf(dataDir).replace('user=acuse', 'user=postgres');

/** The account that has an endpoint. */
export async function accountOf(client) {
  await client.query('set role acuse_worker');
  const { rows } = await client.query('select tenant_id from webhook_endpoints');
  return rows[0].tenant_id;
}

/** As the owner of the embedded database in this folder, or who `url` says. */
export async function inDatabase(dataDir, work, url = ownerOf(dataDir)) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Every list with every filter. */
export function pathsOf({ webhookId, oldest }) {
  const monthAgo = new Date(Date.now() - 29 * 86_400_000).toISOString();
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const list = (name, filters) =>
    filters.map((filter) => `${name}?${filter}${filter === '' ? '' : '&'}limit=100`);
  const range = [`created_after=${weekAgo}`, `created_before=${monthAgo}`];
  return [
    ...list('messages', [
      '',
      ...range,
      ...['sent', 'bounced', 'complained', 'scheduled', 'queued,deferred'].map(
        (status) => `status=${status}`,
      ),
      ...['certified=true', 'sealed=true', 'sealed=false', 'certified=true&sealed=false'],
      ...['bounce_type=hard', 'bounce_type=suppressed', 'status=bounced&bounce_type=expired'],
      ...['from=billing@sandbox.test', 'from=sandbox.test', 'from=nobody@sandbox.test'],
      ...[`to=${BUSY}`, 'to=r7@example7.com', 'to=busy.example', 'to=nobody.example'],
      ...[`to=${BUSY}&status=complained`, `to=${BUSY}&bounce_type=expired`, `to=${BUSY}&subject=${NEEDLE}`],
      ...['subject=march', `subject=${NEEDLE}`, `tag=${NEEDLE}`, `template_id=${oldest}`],
      ...[`metadata_key=${NEEDLE}`, 'metadata_key=order&metadata_value=none'],
      `created_before=${weekAgo}&subject=${NEEDLE}&certified=true&sealed=true&status=sent`,
    ]),
    ...[`messages/${oldest}`, `messages/${oldest}/events`, `messages/${oldest}/waiting`],
    ...list('events', [
      '',
      ...range,
      'order=asc',
      'type=email.bounced',
      'type=email.complained',
      `message_id=${oldest}`,
    ]),
    ...list('verifications', ['', ...range, `message_id=${oldest}`, 'result=invalid']),
    ...list('suppressions', [
      ...['', ...range, 'address=gone5@example.com', 'address=none@example.com'],
      ...['source=bounce', 'source=complaint', 'source=manual'],
    ]),
    ...list(`webhooks/${webhookId}/deliveries`, [
      ...['', ...range, 'status=delivered', 'status=failed', 'status=pending'],
      ...['type=email.queued', 'type=email.bounced'],
    ]),
    ...[
      'rates?days=14',
      'rates?days=366',
      'account',
      'domains',
      'senders',
      'templates',
      'webhooks',
      'api-keys',
    ],
  ].map((path) => `/v1/${path}`);
}

async function measure(call, paths) {
  const rows = [];
  for (const path of paths) {
    const times = [];
    let found = null;
    for (let round = 0; round < ROUNDS; round++) {
      const startedMs = performance.now();
      const answer = await call('GET', path);
      times.push(performance.now() - startedMs);
      found = answer.data?.length ?? null;
    }
    rows.push({
      path: path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').replace(/=2\d{3}-[^&]*/g, '={time}'),
      rows: digits(found),
      'median ms': digits(median(times), 1),
      'worst ms': digits(Math.max(...times), 1),
    });
  }
  return rows;
}

/** Requests of the machine API, one after the other on one connection. */
export function caller(url, key) {
  return (method, path, body, more = {}) =>
    new Promise((resolve, reject) => {
      const type = body && { 'content-type': 'application/json' };
      const headers = { authorization: `Bearer ${key}`, ...type, ...more };
      const asked = request(url + path, { method, agent, headers }, async (answer) => {
        const chunks = [];
        for await (const chunk of answer) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode < 300) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path} answered ${answer.statusCode} ${text}`));
      });
      asked.on('error', reject);
      asked.end(body && JSON.stringify(body));
    });
}

#!/usr/bin/env node
// schemathesis over all operations of the document, against a service of its own: `npm run contract:fuzz --
// [minutes] [seed]`. Every check and phase; fails with the first finding's curl command in the output.
import { spawnSync } from 'node:child_process';
import { startService } from './service.mjs';
import { CACHE, pythonTool } from './tools.mjs';

const [minutes = '3', seed] = process.argv.slice(2);
const here = new URL('.', import.meta.url).pathname;
const schemathesis = pythonTool('schemathesis');
const service = await startService();
try {
  const there = await fill(service);
  const { status } = spawnSync(
    schemathesis,
    [
      ...['--config-file', `${here}schemathesis.toml`],
      ...['run', `${service.url}/openapi.json`, '--header', `Authorization: Bearer ${service.key}`],
      ...['--max-time', String(Math.round(Number(minutes) * 60))],
      ...['--continue-on-failure', '--no-color'],
      ...(seed === undefined ? [] : ['--seed', seed]),
    ],
    {
      stdio: 'inherit',
      // Where it keeps what it found.
      cwd: CACHE,
      env: {
        ...process.env,
        ACUSE_KEY_ID: there.keyId,
        ACUSE_IDS: JSON.stringify(there.ids),
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: here,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  process.exitCode = status ?? 1;
} finally {
  await service.stop();
}

/** One of each kind of resource, so that operations on one have something to work on. */
async function fill({ url, key }) {
  const call = async (method, path, body) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'Idempotency-Key': `fill-${path}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const message = await call('POST', 'messages', {
    from: 'Billing <billing@sandbox.test>',
    to: 'delivered@sandbox.test',
    subject: 'Invoice 1',
    text: 'Hello.',
    certified: true,
  });
  const template = await call('POST', 'templates', { name: 'there', subject: 'Invoice', text: 'Hello.' });
  const domain = await call('POST', 'domains', { name: 'there.example.com' });
  const webhook = await call('POST', 'webhooks', { url: 'http://127.0.0.1:9/there', events: ['*'] });
  const [ownKey] = (await call('GET', 'api-keys')).data;
  const ids = { messages: message.id, templates: template.id, domains: domain.id, webhooks: webhook.id };
  return { keyId: ownKey.id, ids };
}

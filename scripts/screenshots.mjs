#!/usr/bin/env node
// npm run screenshots [-- <page> …]: every page of both applications in both languages and themes, at 320,
// 768 and 1280 px, into .screenshots/; with --language es --theme dark --width 320 of that look alone. Starts
// a service of its own with an empty data folder and some messages; needs Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ADMIN_PAGES, AGENT, PORTAL_PAGES, PUBLIC_PAGES, SHARE, TEMPLATE } from '../web/test/pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, '.screenshots');
const READY_TIMEOUT_MS = 90_000;
/** Messages that give lists and details something to show. */
const RECIPIENTS = ['delivered', 'bounced', 'deferred', 'complained', 'greylisted', 'delivered'];
const SETTLED_MS = 5_000;
const HEIGHT = 900;
const SHARED_MS = 30 * 86_400_000;

const LOCALES = { en: 'en-US', es: 'es-MX' };
const several = { type: 'string', multiple: true };
const { positionals: wanted, values: looks } = parseArgs({
  allowPositionals: true,
  options: {
    language: { ...several, default: ['es', 'en'] },
    theme: { ...several, default: ['light', 'dark'] },
    width: { ...several, default: ['320', '768', '1280'] },
  },
});
const names = [...PUBLIC_PAGES, ...PORTAL_PAGES, ...ADMIN_PAGES].map(({ name }) => name);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`screenshots: no page is called ${unknown.join(', ')}. The pages: ${names.join(', ')}`);
  process.exit(2);
}
const executablePath = [process.env.ACUSE_TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  console.error('screenshots: needs chromium');
  process.exit(1);
}

/** A program that webhooks call, and that has a bad day. */
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    const isDown = request.url === '/crm';
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'text/html' });
    response.end(isDown ? '<h1>503 Service Unavailable</h1>' : 'ok');
  });
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
const folder = mkdtempSync(join(tmpdir(), 'acuse-screenshots-'));
const server = spawn(process.execPath, [join(root, 'server/bin/acuse.mjs'), 'serve', '--ports', 'auto'], {
  env: {
    ...process.env,
    ACUSE_DATA_DIR: folder,
    ACUSE_LOG_LEVEL: 'error',
    // Nobody answers there: pictures are the same with and without a network.
    ACUSE_DNS_SERVERS: '127.0.0.1:9',
    ACUSE_WEBHOOK_ALLOW_PRIVATE: 'true',
    ACUSE_MCP_URL: AGENT.mcpUrl,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await untilReady();
  const sandbox = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  const known = await sendSome(sandbox);
  mkdirSync(out, { recursive: true });
  console.log(`${await takeAll(sandbox, known)} screenshots in ${out}`);
} finally {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}

async function untilReady() {
  let said = '';
  const ready = new Promise((resolve) => {
    server.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes('is ready')) resolve();
    });
  });
  const ended = once(server, 'exit').then(() => Promise.reject(new Error('the service ended')));
  const late = sleep(READY_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error('the service was not ready in time');
  });
  ended.catch(() => {});
  late.catch(() => {});
  await Promise.race([ready, ended, late]);
}

async function sendSome({ base_url: base, api_key: ownKey, tenant_id: tenant }) {
  const call = async (method, path, body, key = ownKey) => {
    const answer = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const ask = async (...request) => (await call(...request)).id;
  const webhook = await addWebhooks(ask);
  const ids = {};
  for (const [index, name] of RECIPIENTS.entries())
    ids[name] = await ask('POST', '/v1/messages', {
      from: 'Facturación <billing@sandbox.test>',
      to: `Ana Ruiz <${name}+${index}@sandbox.test>`,
      subject: `Factura A-104${index}: contrato de servicios`,
      tags: index % 2 === 0 ? ['factura', 'noviembre'] : ['factura'],
      text: 'Hola Ana',
      html: '<h1>Hola Ana</h1><p>Su <a href="https://example.com/f">factura</a>.</p>',
    });
  const template = await ask('POST', '/v1/templates', TEMPLATE.created);
  await ask('PATCH', `/v1/templates/${template}`, TEMPLATE.changed);
  const domain = await ask('POST', '/v1/domains', { name: 'boletines.example.com' });
  for (const address of ['*@boletines.example.com', 'facturas@boletines.example.com'])
    await ask('POST', '/v1/senders', { address });
  await ask('POST', '/v1/suppressions', { address: 'baja@example.com', reason: 'Pidió no recibir correos' });
  await sleep(SETTLED_MS);
  const { data: deliveries } = await call('GET', `/v1/webhooks/${webhook}/deliveries`);
  const delivery = deliveries.at(-1).id;
  const { data: mails } = await call('GET', '/sandbox/mailbox');
  const [{ id: mail }] = mails;
  const { client_id } = await call('POST', '/oauth/register', AGENT.metadata);
  const asks = String(new URLSearchParams({ ...AGENT.asks, client_id }));
  const { delivered: sent, greylisted: deferred } = ids;
  const approval = await askToSend(call);
  return { sent, deferred, template, domain, tenant, webhook, delivery, mail, asks, approval };
}

/** A send that waits for a person; its id. */
async function askToSend(call) {
  const asking = { name: 'Claude', scopes: ['messages:send'], needs_approval: true };
  const { key } = await call('POST', '/v1/api-keys', asking);
  const body = {
    from: 'Facturación <billing@sandbox.test>',
    to: 'Ana Ruiz <ana@sandbox.test>',
    reply_to: 'Cobranza <cobranza@sandbox.test>',
    subject: 'Factura A-2051: contrato de servicios',
    text: 'Hola Ana',
    html: '<h1>Hola Ana</h1><p>Su <a href="https://example.com/f">factura</a>.</p>',
    attachments: [{ filename: 'factura.pdf', content_type: 'application/pdf', content: 'JVBERi0=' }],
  };
  const { error } = await call('POST', '/v1/messages', body, key);
  return error.message.slice(error.message.lastIndexOf('/') + 1);
}

/** One that is down, whose id is returned, and one that works. */
async function addWebhooks(ask) {
  const hooks = `http://127.0.0.1:${receiver.address().port}`;
  const events = ['email.sent', 'email.bounced', 'email.sealed'];
  await ask('POST', '/v1/webhooks', { url: `${hooks}/erp/events`, events: ['*'] });
  return ask('POST', '/v1/webhooks', { url: `${hooks}/crm`, events, description: 'CRM' });
}

async function takeAll(sandbox, known) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const [owner, operator] = [
    await signIn(browser, sandbox.portal_sign_in),
    await signIn(browser, sandbox.admin_sign_in),
  ];
  await proveSome(sandbox, known, owner);
  await noteSome(sandbox, operator);
  const all = { ...known, share: await shareOf(browser, sandbox, owner, known.sent) };
  const applications = [
    { pages: PUBLIC_PAGES, cookies: owner, base: sandbox.base_url },
    { pages: PORTAL_PAGES, cookies: owner, base: `${sandbox.base_url}/portal` },
    { pages: ADMIN_PAGES, cookies: operator, base: sandbox.admin_url },
  ];
  let taken = 0;
  for (const language of looks.language)
    for (const colorScheme of looks.theme)
      for (const width of looks.width.map(Number)) {
        const options = { locale: LOCALES[language], colorScheme, viewport: { width, height: HEIGHT } };
        for (const application of applications)
          taken += await takePages(browser, { ...application, known: all, options });
      }
  await browser.close();
  return taken;
}

/** The path of a link by which a stranger sees this message, which people make and programs cannot. */
async function shareOf(browser, { base_url: base }, cookies, id) {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const answer = await context.request.post(`${base}/v1/portal/messages/${id}/shares`, {
    data: SHARE,
    headers: { origin: base, 'sec-fetch-site': 'same-origin' },
  });
  const { pathname, hash } = new URL((await answer.json()).url);
  await context.close();
  return pathname + hash;
}

async function takePages(browser, { pages: all, base, known, cookies, options }) {
  const signedIn = await browser.newContext(options);
  await signedIn.addCookies(cookies);
  const stranger = await browser.newContext(options);
  const isWanted = ({ name }) => wanted.length === 0 || wanted.some((each) => name.startsWith(each));
  const pages = all.filter(isWanted);
  for (const { name, open, press, shows, path } of pages) {
    const page = await (open === true ? stranger : signedIn).newPage();
    await page.goto(base + path(known));
    await page.locator('h1').waitFor({ state: 'attached' });
    if (press !== undefined) await page.locator(press).first().click();
    if (shows !== undefined) await page.locator(shows).waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    const { locale, colorScheme, viewport } = options;
    const file = `${name}.${locale.slice(0, 2)}.${colorScheme}.${viewport.width}.png`;
    await page.screenshot({ path: join(out, file), fullPage: true });
    await page.close();
  }
  await signedIn.close();
  await stranger.close();
  return pages.length;
}

/** Links that were shared, and a verification, as people of the account make them. */
async function proveSome({ base_url: base }, { sent }, cookies) {
  const ask = (path, body) =>
    fetch(`${base}/v1/portal${path}`, {
      method: 'POST',
      headers: {
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify(body),
    });
  const expires = new Date(Date.now() + SHARED_MS).toISOString();
  const whole = { message: true, parts: [], delivery: true };
  for (const [note, disclose] of [
    ['Notaría 12', whole],
    ['Despacho Ruiz, solo el contrato', { message: false, parts: [0], delivery: false }],
  ]) {
    const answer = await ask(`/messages/${sent}/shares`, { expires_at: expires, disclose, note });
    const { url, error } = await answer.json();
    if (url === undefined) throw new Error(`a share of ${sent} was refused: ${error.message}`);
    const { pathname, hash } = new URL(url);
    await fetch(base + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: hash.slice(1) }),
    });
  }
  await ask('/verify', { message_id: sent });
  await ask('/verify', { message_id: 'A-1042' });
}

/** How destinations are spoken to, as an operator writes it. */
async function noteSome({ admin_url: base }, cookies) {
  for (const [path, body] of [
    [
      'correo.example.com/conversations',
      { value: 2, reason: 'Lo pidió su postmaster: folio 4711', days: 90 },
    ],
    ['boletines.example.net/no_pipelining', { value: 1, reason: 'Su cortafuegos pierde lo que llega junto' }],
  ])
    await write('PUT', `notes/${path}`, body);
  for (const body of [
    { warms_up: true, source: 'localhost', reason: 'Dirección nueva' },
    { receiver: '*', period: 'hour', steps: [500], reason: 'Acordado con el proveedor', days: 90 },
  ])
    await write('POST', 'caps', body);

  function write(method, path, body) {
    return fetch(`${new URL(base).origin}/v1/admin/queue/${path}`, {
      method,
      headers: {
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify(body),
    });
  }
}

async function signIn(browser, link) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('main button').click();
  await page.waitForURL((url) => !url.pathname.endsWith('/link'));
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type DnsPeer, startDnsPeer } from '@acuse/testkit/dns-peer';
import { eventually } from '@acuse/testkit/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/accounts/templates/liquid.ts';
import { compileTemplate } from '../../src/accounts/templates/render.ts';
import { loadConfig } from '../../src/config/config.ts';
import { RETRY_WAITS_MS } from '../../src/webhooks/outcome.ts';
import { newWebhookSecret, webhookHeaders } from '../../src/webhooks/sign.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { masterKey, openShell, type Shell } from '../support/shell.ts';

/**
 * The examples of the documentation, run as a reader copies them, on one real server. A fenced `sh` block is
 * run here, or an HTML comment above it says why not: `<!-- not run: … -->`.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/guides', 'docs/guides/es'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
  readonly notRun: string | undefined;
}

const FENCED = /(?:<!-- not run: ([^>]*) -->\n)?^```([^\n]*)\n(.*?)^```$/gms;

const blocks: Block[] = PAGES.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(FENCED)].map(([, notRun, language, text]) => ({
    page,
    language: language!,
    text: text!,
    notRun,
  })),
);
const run = new Set<Block>();

/** The one block that is to be run and has this text in it. */
function example(page: string, contains: string): string {
  const found = blocks.filter(
    (it) => it.page === page && it.notRun === undefined && it.text.includes(contains),
  );
  expect(found).toHaveLength(1);
  run.add(found[0]!);
  // The sandbox's time-stamps are a development authority's: unproven, as it should be.
  return found[0]!.text.replace(/acuse verify proof\.zip[^\n#]*/g, '$& || [ $? = 5 ] ');
}

const processes = createProcesses();
let service: Service;
let dns: DnsPeer;
let folder: string;
let shell: Shell['run'];

/** A reader's shell: in a folder with .acuse, `acuse` and `./acuse` at hand, on the server's database. */
beforeAll(async () => {
  // Knows of no name: what an example asks of the DNS, it asks here.
  dns = await startDnsPeer(() => undefined);
  const settings = { ACUSE_DNS_SERVERS: dns.server, ACUSE_MASTER_KEY: masterKey() };
  const databaseUrl = await processes.database();
  service = await processes.start({ databaseUrl, env: settings });
  ({ folder, run: shell } = openShell({
    DATABASE_URL: databaseUrl,
    ACUSE_DATA_DIR: service.dataDir,
    ...settings,
    KEY: service.sandbox.api_key,
  }));
  symlinkSync(service.dataDir, join(folder, '.acuse'));
});

afterAll(async () => {
  await processes.end();
  await dns.close();
});

/** Puts this server's addresses in place of the usual ones. */
const here = (script: string): string =>
  script
    .replaceAll('http://localhost:8025', service.baseUrl)
    .replaceAll('--port 8028', `--port ${service.sandbox.submission_port}`);

/** Each line of a block as a command of its own, comments left out. */
const lines = (script: string): string[] =>
  script
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== '');

/** Facts that the chapter on direct delivery takes as given. */
const DIRECT = {
  ACUSE_DELIVERY: 'direct',
  ACUSE_HOSTNAME: 'mail.example.com',
  ACUSE_LOG_ORIGIN: 'mail.example.com/log',
};

const idOf = async (fields: object): Promise<string> => (await service.send(fields)).body.id;

async function sealed(id: string): Promise<string> {
  await eventually(async () => {
    const { status } = await service.call('GET', `/v1/messages/${id}/evidence`);
    return status === 200;
  });
  return id;
}

async function reached(id: string, status: string): Promise<string> {
  await service.until(id, status);
  return id;
}

// curl ends its answer without a line's end.
const UNPROVEN = /Consistent, but nobody you trust vouches for it$/m;

describe('README.md', () => {
  test('the way by hand: sent, read, sealed, and verified without a server', async () => {
    const said = await shell(here(example('README.md', 'Idempotency-Key: invoice-1')));
    expect(said).toContain('"subject":"Invoice 1"');
    expect(said).toMatch(UNPROVEN);
  });

  test('the same with commands', async () => {
    writeFileSync(join(folder, 'README.md'), '# Attached');
    expect(await shell(example('README.md', 'acuse messages send'))).toMatch(/status +sent[\s\S]*sealed +2/);
  });

  test('the same over SMTP', async () => {
    expect(await shell(here(example('README.md', 'swaks')))).toMatch(/<~ +250 2\.0\.0 OK: queued as/);
  });
});

test('docs/quick-start.md: sent, followed, and proven', async () => {
  const more = { ACUSE_URL: service.baseUrl, ACUSE_API_KEY: service.sandbox.api_key };
  const said = [];
  for (const part of ['quick-start-1', '/attempts', 'acuse verify'])
    said.push(await shell(example('docs/quick-start.md', part), more));
  expect(JSON.parse(said[0]!)).toMatchObject({ subject: 'Invoice 1', status: 'queued' });
  expect(said[2]).toMatch(UNPROVEN);
});

test.each(['docs/guides/acknowledgement.md', 'docs/guides/es/acuse.md'])(
  '%s: a recipient is asked to acknowledge',
  async (page) => {
    const more = { ACUSE_URL: service.baseUrl, ACUSE_API_KEY: service.sandbox.api_key };
    const sent = JSON.parse(await shell(example(page, '{{acknowledgement_url}}'), more));
    expect(sent).toMatchObject({ certified: true, acknowledgement: { status: 'requested', source: null } });
  },
);

describe('docs/webhooks.md', () => {
  const body = Buffer.from('{"type":"email.sent","text":"ñ 漢"}');
  const signing = { webhookId: 'w', eventId: 'e', type: 'email.sent', body, previousSecret: null };
  const secret = newWebhookSecret();
  const signature = webhookHeaders({ ...signing, secret, at: new Date() })['Service-Signature']!;
  /** [body, header, genuine] */
  const cases: [string, string, boolean][] = [
    [body.toString(), signature, true],
    [`${body} `, signature, false],
    [body.toString(), signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')), false],
    [body.toString(), '', false],
    [body.toString(), 'sha256=ñ', false],
  ];

  test('Node.js checks a signature', async () => {
    const path = join(folder, 'genuine.mjs');
    writeFileSync(path, example('docs/webhooks.md', 'timingSafeEqual'));
    const { isGenuine } = await import(pathToFileURL(path).href);
    for (const [text, header, genuine] of cases)
      expect(isGenuine(Buffer.from(text), header, secret)).toBe(genuine);
    expect(isGenuine(body, undefined, secret)).toBe(false);
  });

  test('Python checks a signature', async () => {
    const program = `${example('docs/webhooks.md', 'compare_digest')}
import json, sys
for body, header, genuine in json.loads(sys.argv[1]):
    assert is_genuine(body.encode(), header, sys.argv[2]) == genuine
assert not is_genuine(b"", None, sys.argv[2])`;
    await promisify(execFile)('python3', ['-c', program, JSON.stringify(cases), secret]);
  });

  test('the event that it shows has the names of a real one', () => {
    const shown = JSON.parse(example('docs/webhooks.md', '"created_at"'));
    expect(Object.keys(shown)).toEqual(['type', 'created_at', 'data']);
    expect(RETRY_WAITS_MS.map((wait) => wait / 1_000)).toEqual([5, 300, 1800, 7200, 18000, 36000, 36000]);
  });
});

describe('docs/operating.md', () => {
  test('accounts', async () => {
    const commands = lines(example('docs/operating.md', 'acuse tenants create'));
    const tenant = JSON.parse(await shell(commands[0]!)).id;
    let domain = '';
    for (const command of commands.slice(1)) {
      const given = command.replace('<domain id>', domain).replace('<id>', tenant);
      if (given.includes('domains verify'))
        await expect(shell(given)).rejects.toThrow(); // publishes nothing
      else if (given.includes('domains create')) domain = JSON.parse(await shell(`${given} --json`)).id;
      else await shell(given);
    }
    expect(await shell('acuse tenants list')).toMatch(/suspended .*Example SA/);
  });

  test('source pools', async () => {
    const text = example('docs/operating.md', 'ACUSE_SOURCE_POOLS=');
    const tenant = String(service.sandbox.tenant_id);
    await shell(text.replace('<id>', tenant), DIRECT);
    await shell(`acuse tenants update ${tenant} --source-pool default`);
  });

  test('the settings of a production server contradict nothing', () => {
    const text = example('docs/operating.md', 'ACUSE_LOG_ORIGIN=');
    const env = Object.fromEntries(lines(text).map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(loadConfig(env).warnings).toEqual([]);
  });

  test('private networks', () => {
    const [name, value] = example('docs/operating.md', 'ACUSE_PRIVATE_NETWORKS=').trim().split('=');
    expect(loadConfig({ ...DIRECT, ACUSE_DATA_DIR: folder, [name!]: value! }).warnings).toEqual([]);
  });

  test('the queue', async () => {
    const text = example('docs/operating.md', 'acuse queue show');
    const id = await reached(await idOf({ to: 'deferred@sandbox.test' }), 'deferred');
    for (const command of lines(text)) await shell(command.replace('<message id>', id));
  });

  test('renewal', async () => {
    for (const command of lines(example('docs/operating.md', 'acuse renew'))) await shell(command);
  });

  test('archives', async () => {
    const made = example('docs/operating.md', 'acuse archive create');
    await shell(`${made}\n${example('docs/operating.md', 'acuse archive drop')}`);
  });

  test('retention and erasure', async () => {
    const plain = await reached(await idOf({ certified: false }), 'sent');
    const certified = await sealed(await idOf({}));
    for (const command of lines(example('docs/operating.md', 'acuse retention')))
      await shell(command.replace('<id>', command.includes('--force') ? certified : plain));
    expect((await service.call('GET', `/v1/messages/${plain}/content`)).status).toBe(404);
  });
});

/** Everything of a page's shell blocks in order; what a JSON block after one shows is in its output. */
async function walk(page: string, more: Readonly<Record<string, string>>): Promise<void> {
  let said = '';
  for (const block of blocks.filter((it) => it.page === page && it.notRun === undefined)) {
    if (block.language === 'sh') {
      run.add(block);
      // A refusal is an answer here.
      said = await shell(`curl() { command curl "$@"; }\n${block.text}`, more);
    } else if (block.language === 'json') expect(JSON.parse(said)).toMatchObject(JSON.parse(block.text));
    else if (block.language === 'text') expect(said.replaceAll('\r', '').trim()).toBe(block.text.trim());
  }
}

describe('docs/guides/', () => {
  test.each([
    'attachments',
    'batch',
    'scheduling',
    'idempotency',
    'suppressions',
    'templates',
    'test-addresses',
    'es/inicio-rapido',
  ])('%s: run in order, and answers what it shows', async (guide) => {
    await walk(`docs/guides/${guide}.md`, {
      ACUSE_URL: service.baseUrl,
      ACUSE_API_KEY: service.sandbox.api_key,
    });
  });

  test('templates: each tag and filter writes what the page says', () => {
    const { text: page } = blocks.find(({ language }) => language === 'json variables')!;
    const rows = [
      ...readFileSync(join(root, 'docs/guides/templates.md'), 'utf8').matchAll(/^\| `(.*)` \| `(.*)` \|$/gm),
    ].map((row) => row.slice(1).map((cell) => cell.replaceAll('\\|', '|')));
    const liquid = createEngine((text) => text);
    const shown = rows.map(([template]) => template!).join(' ');
    for (const name of Object.keys(liquid.filters)) expect(shown).toMatch(new RegExp(`\\| ${name}\\b`));
    for (const name of Object.keys(liquid.tags)) expect(shown).toContain(`{% ${name}`);
    for (const [template, output] of rows) {
      const source = template!.startsWith('{% liquid') ? template!.replace('\\n', '\n') : template!;
      const { text } = compileTemplate({ subject: '', text: source, html: null }).render(JSON.parse(page));
      expect(text!.trim(), template).toBe(output!.trim());
    }
  });

  test('smtp: Nodemailer and Python send', async () => {
    const trusted = service.sandbox.ca_file;
    const env = {
      SMTP_HOST: 'localhost',
      SMTP_PORT: String(service.sandbox.submission_port),
      ACUSE_API_KEY: service.sandbox.api_key,
      NODE_EXTRA_CA_CERTS: trusted,
      SSL_CERT_FILE: trusted,
      PATH: process.env['PATH']!,
    };
    mkdirSync(join(folder, 'smtp'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'smtp/node_modules'));
    const inFolder = { cwd: join(folder, 'smtp'), env };
    writeFileSync(join(folder, 'smtp/send.mjs'), example('docs/guides/smtp.md', 'nodemailer'));
    const { stdout } = await promisify(execFile)(process.execPath, ['send.mjs'], inFolder);
    expect(stdout).toMatch(/^250 2\.0\.0 OK: queued as /);
    await promisify(execFile)('python3', ['-c', example('docs/guides/smtp.md', 'smtplib')], inFolder);
    const { body } = await service.call('GET', '/v1/messages?limit=2');
    expect(body.data.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
      'Invoice 1',
      'Invoice 2',
    ]);
  });

  const more = () => ({ ACUSE_URL: service.baseUrl, ACUSE_API_KEY: service.sandbox.api_key });

  test.each([
    ['first-certified-email', 'notice-2026-0001', 'court-expert', 'cd expert'],
    ['es/primer-correo-certificado', 'aviso-2026-0001', 'es/perito', 'cd perito'],
  ])('%s: sent and proven; the expert checks it', async (guide, key, expert, unpack) => {
    const [sending, checking] = [`docs/guides/${guide}.md`, `docs/guides/${expert}.md`];
    const sent = JSON.parse(await shell(example(sending, key), more()));
    expect(sent).toMatchObject({ certified: true, promise: expect.anything() });
    expect(await shell(example(sending, '/proof-bundle'), more())).toMatch(UNPROVEN);
    expect(await shell(example(checking, 'acuse verify proof.zip\n'))).toMatch(/^Sealed /m);
    expect(await shell(example(checking, unpack))).toMatch(/constancia\.tsr: OK[\s\S]*Time stamp:/);
  });

  test('the expert, under a policy of their own', async () => {
    await shell('unzip -o -q proof.zip policy.json');
    expect(await shell(example('docs/guides/court-expert.md', '--trust policy.json'))).toMatch(
      /^Keys +those of the policy that you gave/m,
    );
  });

  test('the look at a restored copy', async () => {
    expect(await shell(example('docs/guides/restore.md', 'acuse restore check'))).toContain(
      'all evidence in the database holds',
    );
  });

  test('rates, and what waits by destination', async () => {
    const rates = example('docs/guides/es/entregabilidad.md', '/v1/rates');
    expect(JSON.parse(await shell(rates, more()))).toHaveProperty('days', 14);
    for (const command of lines(example('docs/guides/deliverability.md', 'acuse queue list')))
      await shell(command);
  });

  test('suppressions of a former provider', async () => {
    for (const guide of ['migrating', 'es/migrar']) {
      const text = example(`docs/guides/${guide}.md`, '/v1/suppressions/import');
      expect(JSON.parse(await shell(text, more()))).toMatchObject({ created: 2, known: 0, failed: 0 });
      expect(JSON.parse(await shell(text, more()))).toMatchObject({ created: 0, known: 2 });
    }
  });
});

test('docs/errors.md: the error that a misspelt field has', async () => {
  const text = example('docs/errors.md', 'cerified');
  const answer = await service.send({ cerified: true });
  expect(answer.body).toEqual(JSON.parse(text));
});

test('docs/evidence-format.md: the fields that a manifest has', async () => {
  const page = readFileSync(join(root, 'docs/evidence-format.md'), 'utf8');
  const section = /^## 3\..*?(?=^## 4\.)/ms.exec(page)![0];
  const rows = [...section.matchAll(/^\| (`[^|]*) \|(.*)\|$/gm)].filter(
    ([, , value]) => !/^ optional/.test(value!),
  );
  const shown = rows.flatMap(([, names]) => [...names!.matchAll(/`([a-z_]+)/g)].map(([, name]) => name!));
  const id = await sealed(await idOf({}));
  const { body } = await service.call('GET', `/v1/messages/${id}/proof-bundle`, undefined, {
    accept: 'application/json',
  });
  const entry = body.entries.find(({ name }: { name: string }) => name === 'manifest.json');
  const real = JSON.parse(entry.text ?? Buffer.from(entry.base64, 'base64').toString());
  expect([...new Set(shown)].sort()).toEqual(Object.keys(real).sort());
});

test('every example of the documentation is run here, or says why not', () => {
  const known = ['sh', 'json', 'text', 'yaml', 'js', 'python', 'sql', 'php', 'ruby', 'java', 'go', 'rust'];
  for (const block of blocks) {
    const place = `${block.page}: ${block.text.slice(0, 60)}`;
    expect(known, place).toContain(block.language.split(' ')[0]);
    // scripts/contract/frameworks.mjs runs that page.
    if (block.page === 'docs/guides/frameworks.md') continue;
    if (
      ['sh', 'js', 'python', 'sql', 'php'].includes(block.language.split(' ')[0]!) &&
      block.notRun === undefined
    )
      expect(run.has(block), `not run: ${place}`).toBe(true);
  }
});

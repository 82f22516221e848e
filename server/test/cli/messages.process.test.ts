import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands.ts';
import { API_ERRORS, type ApiErrorCode, apiError } from '../../src/errors.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { acuse, type Said } from './run.ts';

const COMMANDS = await allCommands();

/** The commands that send and read, on a real service. */
const processes = createProcesses();
let service: Service;
let folder: string;
beforeAll(async () => {
  service = await processes.start({ databaseUrl: await processes.database() });
  folder = processes.folder();
});
afterAll(processes.end);

const messages = (...args: string[]): Promise<Said> =>
  acuse(['messages', ...args], { ACUSE_DATA_DIR: service.dataDir });
const send = (...args: string[]) => messages('send', '--from', 'billing@sandbox.test', ...args);

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('messages send', () => {
  test('prints id and status; the same key again sends nothing', async () => {
    const again = ['--to', 'delivered@sandbox.test', '--text', 'Hello', '--idempotency-key', 'cli-1'];
    const first = await send(...again);
    expect(first).toMatchObject({ code: 0, err: '' });
    const [, id] = /^id +([0-9a-f-]{36})\nstatus +queued\n$/.exec(first.out)!;
    expect((await send(...again)).out).toMatch(new RegExp(`${id}[^]*This key was used before`));
    expect((await send(...again, '--json')).json).toMatchObject({ id, replayed: true });
    const other = await send(...again.with(3, 'Another'));
    expect([other.code, other.err]).toEqual([1, expect.stringContaining('used with a different submission')]);
  });

  test('with files, tags, and everything that a message may have, until it is sealed', async () => {
    const said = await send(
      ...['--to', 'Ana <delivered+cli@sandbox.test>', '--subject', 'Invoice 1', '--certified'],
      ...['--text-file', file('body.txt', 'Grüße'), '--html-file', file('body.html', '<p>Grüße</p>')],
      ...['--attach', file('invoice.pdf', '%PDF-1.7'), '--attach', file('data.bin', Buffer.of(0, 255))],
      ...['--tag', 'invoice', '--reply-to', 'answers@sandbox.test', '--wait', '--json'],
    );
    expect(said.json).toMatchObject({ status: 'sent', certified: true, tags: ['invoice'] });
    expect(said.json.sealed_at).not.toBeNull();
    const { body } = await service.call('GET', '/sandbox/mailbox?to=delivered%2Bcli@sandbox.test');
    const mail = await service.call('GET', `/sandbox/mailbox/${body.data[0].id}`);
    expect(mail.body).toMatchObject({
      subject: 'Invoice 1',
      text: expect.stringContaining('Grüße'),
      attachments: [
        { filename: 'invoice.pdf', content_type: 'application/pdf', size_bytes: 8 },
        { filename: 'data.bin', content_type: 'application/octet-stream', size_bytes: 2 },
      ],
    });
  });

  test('to several recipients', async () => {
    const said = await send(
      ...['--to', 'delivered+a@sandbox.test', '--to', 'delivered+b@sandbox.test'],
      ...['--cc', 'delivered+c@sandbox.test', '--bcc', 'delivered+d@sandbox.test'],
      ...['--text', 'Hello', '--plain', '--wait', '--json'],
    );
    expect(said.json.copies.map(({ field }: { field: string }) => field)).toEqual(['to', 'cc', 'bcc']);
    expect(said.json.followed.map(({ status }: { status: string }) => status)).toEqual([
      'sent',
      'sent',
      'sent',
    ]);
  });

  test('again: messages resend makes a new message, once for each key', async () => {
    const sent = await send(
      '--to',
      'delivered@sandbox.test',
      '--text',
      'Hello',
      '--plain',
      '--wait',
      '--json',
    );
    const again = ['resend', sent.json.id, '--idempotency-key', 'cli-again'];
    const first = await messages(...again, '--wait', '--json');
    expect(first.json).toMatchObject({ status: 'sent', to: 'delivered@sandbox.test', replayed: false });
    expect(first.json.id).not.toBe(sent.json.id);
    expect((await messages(...again)).out).toContain('This key was used before');
    const unknown = await messages('resend', '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('No such resource')]);
  });

  test('--wait tells a bounce by its exit code, and shows the way there', async () => {
    const said = await send('--to', 'bounced@sandbox.test', '--text', 'Hello', '--plain', '--wait');
    expect(said.code).toBe(1);
    expect(said.out).toMatch(/ queued\n[\s\S]* bounced\n[\s\S]*reply +550 5\.1\.1/);
    expect(said.err).toMatch(/bounced: acuse messages attempts [0-9a-f-]{36}\n/);
  });

  test('from a template', async () => {
    const made = await service.call('POST', '/v1/templates', {
      name: 'cli',
      subject: 'Invoice {{number}}',
      text: 'Hello {{name}}',
    });
    expect(made.status).toBe(201);
    const said = await send(
      ...['--to', 'delivered@sandbox.test', '--template', made.body.id],
      ...['--var', 'number=7', '--var', 'name=A=B', '--json'],
    );
    expect(said.json).toMatchObject({ subject: 'Invoice 7', template_id: made.body.id });

    await service.call('POST', '/v1/templates', {
      name: 'cli-nested',
      subject: 'Invoice {{number}}',
      text: 'Hello {{customer.name}}',
      variants: { es: { subject: 'Factura {{number}}', text: 'Hola {{customer.name}}' } },
    });
    const nested = (...more: string[]) =>
      send('--to', 'delivered@sandbox.test', '--template', 'cli-nested', ...more);
    const variables = file('variables.json', '{"number": 1, "customer": {"name": "Ana"}}');
    const spanish = await nested('--variables', variables, '--var', 'number=8', '--locale', 'es', '--json');
    expect(spanish.json.subject).toBe('Factura 8');
    const misspelt = await nested('--var', 'numbr=8');
    expect([misspelt.code, misspelt.err]).toEqual([1, expect.stringContaining('did you mean numbr?')]);
    for (const content of ['{', '[]', 'null'])
      expect((await nested('--variables', file('bad.json', content))).code).toBe(2);
  });

  test('later, with metadata, and past suppressed recipients', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const said = await send(
      ...['--to', 'suppressed@sandbox.test', '--to', 'delivered@sandbox.test', '--skip-suppressed'],
      ...['--text', 'Hello', '--send-at', at, '--metadata', 'order=42', '--json'],
    );
    expect(said.json).toMatchObject({ status: 'scheduled', send_at: at, metadata: { order: '42' } });
    expect(said.json.to).toContain('delivered@');
  });

  test.each<[string[], RegExp]>([
    [['--text', 'x'], /missing --to/],
    [['--to', 'a@b.example'], /a message needs content: give --text/],
    [['--to', 'a@b.example', '--text', 'x', '--text-file', 'y'], /--text and --text-file contradict/],
    [['--to', 'a@b.example', '--text', 'x', '--certified', '--plain'], /contradict each other/],
    [['--to', 'a@b.example', '--text-file', '/no/such'], /\/no\/such cannot be read/],
    [['--to', 'a@b.example', '--text', 'x', '--var', 'novalue'], /--var takes name=value/],
    [['--to', 'a@b.example', '--text', 'x', '--url', 'nowhere'], /--url takes an http or https URL/],
  ])('%j is wrong use: exit code 2', async (args, message) => {
    const said = await send(...args);
    expect({ code: said.code, out: said.out }).toEqual({ code: 2, out: '' });
    expect(said.err).toMatch(message);
  });
});

describe('messages list, show, events, attempts', () => {
  test('show a bounce with the way it went', async () => {
    const to = 'bounced+looked-into@sandbox.test';
    const { id } = (await send('--to', to, '--subject', 'Looked', '--text', 'x', '--wait', '--json')).json;
    expect((await messages('list', '--to', to)).out).toMatch(new RegExp(`${id} +bounced .*${to.slice(8)}`));
    expect((await messages('list', '--status', 'bounced', '--limit', '1', '--json')).json.data).toHaveLength(
      1,
    );
    expect((await messages('show', id)).out).toMatch(
      /status +bounced\nreply +550 5\.1\.1 .*\(sandbox\.test\)/,
    );
    expect((await messages('events', id)).out).toMatch(
      /email\.queued[\s\S]*email\.bounced +.*bounce_type=hard/,
    );
    expect((await messages('attempts', id)).out).toMatch(
      /attempt 1 at .*bounced[\s\S]*ms {2}C: RCPT TO:[\s\S]*S: 550/,
    );
    expect((await messages('attempts', id, '--json')).json.data).toHaveLength(1);
  });

  test('an unknown message, a wrong key, a service that is not there', async () => {
    const missing = await messages('show', '../account');
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('No such resource')]);
    const denied = await messages('list', '--key', 'acuse_wrong');
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('give --key or ACUSE_API_KEY')]);
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const away = await messages('list', '--url', `http://127.0.0.1:${port}`, '--key', 'x', '--json');
    expect([away.code, away.json.error.code]).toEqual([3, 'service_unavailable']);
    // A name without an address, and a port without a service, are repaired in different places.
    expect(away.json.error.message).toContain(`(connect ECONNREFUSED 127.0.0.1:${port})`);
    const none = await acuse(['messages', 'list'], { ACUSE_DATA_DIR: join(folder, 'none') });
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/ACUSE_DATA_DIR.*--url and --key/)]);
  });

  test("the sandbox's key goes to the sandbox only; ACUSE_URL and ACUSE_API_KEY go before it", async () => {
    const elsewhere = await messages('list', '--url', 'http://127.0.0.1:1');
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('an API key for')]);
    const env = { ACUSE_URL: `${service.baseUrl}/`, ACUSE_API_KEY: service.sandbox.api_key };
    expect((await acuse(['messages', 'list'], { ...env, ACUSE_DATA_DIR: folder })).code).toBe(0);
  });
});

describe('words', () => {
  const ROUTE = /\b(?:GET|POST|PUT|PATCH|DELETE) \/v1|\{id\}|\bendpoint\b|\bheader\b|Retry-After/;

  test('no error of the table speaks of HTTP where a command was typed', () => {
    // A command sends what these are about by itself.
    const { method_not_allowed: _, unsupported_media_type: __, ...errors } = API_ERRORS;
    for (const code of Object.keys(errors)) expect(apiError(code as ApiErrorCode).command).not.toMatch(ROUTE);
  });

  test('one error, for who calls the API and for who types commands', async () => {
    const asked = (headers: Record<string, string>) =>
      service.call(
        'POST',
        '/v1/messages',
        { from: 'a@unknown.example', to: 'a@sandbox.test', text: 'x' },
        headers,
      );
    const key = { 'idempotency-key': 'words' };
    const [program, person, other] = [
      await asked(key),
      await asked({ ...key, prefer: 'wording=commands' }),
      await asked({ ...key, prefer: 'return=minimal' }),
    ];
    expect(program.body.error.message).toContain('register it with POST /v1/domains and');
    expect(person.body.error.message).toContain('register it with acuse domains create and');
    expect(other.body).toEqual(program.body);
    expect([person.status, person.body.error.code]).toEqual([422, 'domain_not_verified']);
  });

  test('what refusals say becomes the next command to type', async () => {
    const from = async (address: string) => {
      const said = await messages('send', '--from', address, '--to', 'a@sandbox.test', '--text', 'x');
      expect(said.err).not.toMatch(ROUTE);
      return said.err;
    };
    expect(await from('a@unknown.example')).toContain('register it with acuse domains create');
    const to = 'delivered+by-hand@sandbox.test';
    await service.call('POST', '/v1/suppressions', { address: to });
    expect((await send('--to', to, '--text', 'x')).err).toContain(`acuse suppressions remove ${to}`);
  });

  test('no help speaks of routes', async () => {
    for (const { name } of COMMANDS.filter(({ name }) => !name.startsWith('witness')))
      expect((await acuse([...name.split(' '), '--help'])).out, name).not.toMatch(
        /\b(?:GET|POST|PUT|PATCH|DELETE) \//,
      );
  });
});

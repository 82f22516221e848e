import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { emptyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allCommands, commandsFor } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const COMMANDS = await allCommands();

const KEY = randomBytes(32).toString('base64');
const folder = tempFolder();
let database: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  [database, empty] = await Promise.all([testDatabase(), emptyDatabase()]);
});

afterAll(() => Promise.all([database.drop(), empty.drop()]));

async function acuse(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string; json: never }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const all = { DATABASE_URL: database.url, ACUSE_DATA_DIR: folder, ACUSE_MASTER_KEY: KEY, ...env };
  const code = await runCommandLine(args, await commandsFor(args), {
    stdout,
    stderr,
    env: all,
    version: '1.2.3',
  });
  const [out, err] = [stdout, stderr].map((stream) => String(stream.read() ?? '')) as [string, string];
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out) as never;
    },
  };
}

describe('the frame', () => {
  test.each([[[]], [['--help']], [['help']]])('acuse %s lists the commands', async (args) => {
    const { code, out } = await acuse(args);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toContain(name);
  });

  test('what names a command loads its group alone', async () => {
    const sizes = new Map<string, number>();
    for (const { name } of COMMANDS) {
      const group = name.split(' ')[0]!;
      sizes.set(group, (sizes.get(group) ?? 0) + 1);
    }
    const largest = Math.max(...sizes.values());
    for (const { name } of COMMANDS) {
      const loaded = (await commandsFor([...name.split(' '), '--json'])).map((command) => command.name);
      expect(loaded).toContain(name);
      expect(loaded.length, name).toBeLessThanOrEqual(largest);
    }
    expect(await commandsFor(['--version'])).toEqual([]);
    // All of them, to list what begins with the word or to say what could be meant.
    for (const argv of [['messages'], ['mesages', 'send'], ['help', 'serve'], ['--help'], []])
      expect(await commandsFor(argv)).toEqual(COMMANDS);
  });

  test('every command has help with an example, and takes --json', async () => {
    for (const { name, examples, raw } of COMMANDS) {
      const words = name.split(' ');
      // Behind its name --help is another program's.
      const { code, out } = await acuse(raw === true ? ['help', ...words] : [...words, '--help']);
      expect(code, name).toBe(0);
      expect(examples.length, name).toBeGreaterThan(0);
      expect(
        examples.every((line) => line.includes(`acuse ${name}`)),
        name,
      ).toBe(true);
      expect(out).toContain('--json');
    }
  });

  test('a group lists its commands', async () => {
    const { code, out } = await acuse(['keys']);
    expect(code).toBe(0);
    expect(out).toContain('keys revoke');
    expect(out).not.toContain('tenants list');
  });

  test('--version', async () => {
    expect(await acuse(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
  });

  test.each<[string[], RegExp]>([
    [['tenant', 'list'], /unknown command "tenant list": did you mean tenants list\?/],
    [['xyzzy'], /unknown command "xyzzy"; acuse --help/],
    [['keys', 'create'], /missing --name/],
    [['keys', 'create', '--nam', 'x'], /unknown option --nam: did you mean --name\?/],
    [['keys', 'create', '--name'], /argument missing/],
    [['keys', 'create', '--name', 'x', '--scope', 'root'], /--scope takes .*not "root"/],
    [['keys', 'revoke'], /missing <id>/],
    [['keys', 'revoke', 'a', 'b'], /unexpected argument "b"/],
    [['tenants', 'update', 'x', '--status', 'sleepy'], /--status takes active, suspended, deactivated/],
    [['tenants', 'create', '--name', 'x', '--quota', '-1'], /argument is ambiguous/],
    [['tenants', 'create', '--name', 'x', '--quota', 'many'], /--quota takes a whole number, not "many"/],
  ])('%j is wrong use: exit code 2', async (args, message) => {
    const { code, err, out } = await acuse(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  test('with --json an error is a document too', async () => {
    expect((await acuse(['nonsense', '--json'])).json).toMatchObject({
      error: { code: 'usage', message: expect.any(String) },
    });
  });

  test('a bad environment is wrong use, with every problem', async () => {
    const { code, err } = await acuse(['tenants', 'list'], { ACUSE_PORT: 'x', ACUSE_DB_POOL: '0' });
    expect(code).toBe(2);
    expect(err).toMatch(/ACUSE_PORT: [\s\S]*ACUSE_DB_POOL: /);
  });

  test('a database that is not there is exit code 3', async () => {
    const { code, json } = await acuse(['tenants', 'list', '--json'], {
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      ACUSE_DB_WAIT: '0s',
    });
    expect(code).toBe(3);
    expect(json).toMatchObject({ error: { code: 'database_unavailable' } });
  });

  test('a database that was not migrated is left alone: exit code 3', async () => {
    const env = { DATABASE_URL: empty.url };
    expect(await acuse(['tenants', 'list'], env)).toMatchObject({
      code: 3,
      err: expect.stringContaining('acuse db migrate'),
    });
    const { pending } = (await acuse(['db', 'migrate', '--dry-run', '--json'], env)).json as {
      pending: string[];
    };
    expect((await acuse(['db', 'migrate', '--json'], env)).json).toEqual({ applied: pending });
    expect((await acuse(['tenants', 'list'], env)).code).toBe(0);
  });
});

describe('config', () => {
  test('lists every setting with secrets masked', async () => {
    const { out } = await acuse(['config'], {
      ACUSE_SMARTHOST: 'smtps://me:hunter2@relay.example',
      ACUSE_DELIVERY: 'sandbox',
    });
    expect(out).toContain('ACUSE_SMARTHOST=smtps://me:********@relay.example   (from the environment)');
    expect(out).not.toContain('hunter2');
  });
});

describe('accounts', () => {
  interface Listed {
    data: { id: string; name: string }[];
    next_cursor: string | null;
  }

  test('a tenant is opened, changed and listed; the only one needs no name', async () => {
    expect((await acuse(['keys', 'list'])).err).toContain('there is no account yet');
    const made = (await acuse(['tenants', 'create', '--name', 'Example', '--quota', '5', '--json'])).json as {
      id: string;
    };
    expect(made).toMatchObject({ name: 'Example', status: 'active', quota_messages_month: 5 });
    const changed = await acuse([
      'tenants',
      'update',
      made.id,
      '--status',
      'suspended',
      '--default-certified',
      'false',
      '--json',
    ]);
    expect(changed.json).toMatchObject({
      status: 'suspended',
      default_certified: false,
      quota_messages_month: 5,
    });
    await acuse(['tenants', 'update', made.id, '--status', 'active']);
    expect((await acuse(['keys', 'list'])).out).toBe('no keys\n');
    expect((await acuse(['tenants', 'list'])).out).toContain('Example');
  });

  test('an unknown tenant is refused: exit code 1', async () => {
    const { code, json } = await acuse(['tenants', 'update', 'nobody', '--name', 'x', '--json']);
    expect(code).toBe(1);
    expect(json).toMatchObject({ error: { code: 'not_found' } });
  });

  test('a key is made, shown once, listed without its secret, and ended', async () => {
    const made = (await acuse(['keys', 'create', '--name', 'shop', '--scope', 'messages:send', '--json']))
      .json as { id: string; key: string };
    expect(made).toMatchObject({ scopes: ['messages:send'], key: expect.stringMatching(/^acuse_/) });
    const listed = await acuse(['keys', 'list', '--json']);
    expect(listed.out).not.toContain(made.key);
    expect((listed.json as Listed).data.map(({ id }) => id)).toContain(made.id);
    expect((await acuse(['keys', 'revoke', made.id])).code).toBe(0);
    expect((await acuse(['keys', 'revoke', made.id])).code).toBe(1);
  });

  test('a domain is registered, vouched for and given a sender', async () => {
    const made = (await acuse(['domains', 'create', 'example.com', '--json'])).json as {
      id: string;
      records: object[];
    };
    expect(made).toMatchObject({ name: 'example.com', status: 'pending' });
    expect(made.records.length).toBeGreaterThan(2);
    expect((await acuse(['domains', 'vouch', made.id, '--json'])).json).toMatchObject({ status: 'verified' });
    expect((await acuse(['domains', 'show', made.id])).out).toMatch(
      /status +verified[\s\S]*_acuse-challenge\.example\.com/,
    );
    const sender = (await acuse(['senders', 'add', '*@example.com', '--json'])).json as { id: string };
    expect((await acuse(['senders', 'disable', sender.id])).out).toContain('is off');
    expect((await acuse(['senders', 'enable', sender.id, '--json'])).json).toMatchObject({ active: true });
    expect((await acuse(['senders', 'delete', sender.id])).code).toBe(0);
    expect((await acuse(['domains', 'delete', made.id])).code).toBe(0);
    expect((await acuse(['domains', 'list'])).out).toBe('no domains\n');
  });

  test("addresses go on and off the tenant's list and the operator's", async () => {
    for (const scope of [[], ['--global']]) {
      expect(
        (await acuse(['suppressions', 'add', 'Jo@Example.com', '--reason', 'asked', ...scope, '--json']))
          .json,
      ).toMatchObject({ created: true });
      expect((await acuse(['suppressions', 'list', ...scope])).out).toContain('jo@example.com');
      expect((await acuse(['suppressions', 'remove', 'jo@EXAMPLE.com', ...scope])).code).toBe(0);
      expect((await acuse(['suppressions', 'remove', 'jo@example.com', ...scope])).code).toBe(1);
    }
  });

  test('lists are paged', async () => {
    await acuse(['tenants', 'create', '--name', 'Second']);
    const first = (await acuse(['tenants', 'list', '--limit', '1', '--json'])).json as Listed;
    const second = (await acuse(['tenants', 'list', '--limit', '1', '--after', first.next_cursor!, '--json']))
      .json as Listed;
    expect([first.data[0]!.name, second.data[0]!.name, second.next_cursor]).toEqual([
      'Second',
      'Example',
      null,
    ]);
    expect((await acuse(['keys', 'list'])).err).toContain('there are several accounts');
  });
});

import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProcesses, type Service } from '../support/process.ts';
import { openShell, type Shell } from '../support/shell.ts';

/** `acuse api` as it is typed; what the program does: sdks/typescript/test/api.test.mjs. */
const processes = createProcesses();
const dataDir = tempFolder();
let service: Service;
let shell: Shell;

beforeAll(async () => {
  const databaseUrl = await processes.database();
  service = await processes.start({ databaseUrl, dataDir });
  shell = openShell({ ACUSE_DATA_DIR: dataDir });
});
afterAll(() => processes.end());

/** A command that fails: its exit code, and the error that it says. */
async function refused(line: string, more?: Record<string, string>) {
  const { code, stderr = '' } = await shell.run(line, more).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  const said = stderr.split('\n').find((each) => each.startsWith('{"error"')) ?? '{}';
  return { exit: code, ...(JSON.parse(said) as { error?: { code: string; fix?: string } }).error };
}

test('it finds the sandbox, sends from a file and a pipe, and reads by name, id and path', async () => {
  const draft = JSON.stringify({
    ...{ from: 'billing@sandbox.test', to: 'delivered@sandbox.test' },
    ...{ subject: "it's $HOME", text: 'Hello.' },
  });
  const script = `cat > draft.json <<'END'\n${draft}\nEND\nacuse api messages send --key one --data @draft.json --json`;
  const { id, subject } = JSON.parse(await shell.run(script));
  expect(subject).toBe("it's $HOME");
  const again = JSON.parse(await shell.run('acuse api sendMessage --key one --data - < draft.json'));
  expect(again.id).toBe(id);
  for (const words of [`messages get ${id}`, `getMessage ${id}`, `GET /v1/messages/${id}`])
    expect(JSON.parse(await shell.run(`acuse api ${words}`)).id).toBe(id);
  const lines = (await shell.run('acuse api messages list --all')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([id]);
});

test('--help is the program’s own, and acuse help tells of it', async () => {
  expect(await shell.run('acuse api --help')).toMatch(/^acuse api <resource> <method>/);
  expect(await shell.run('acuse api webhooks replay --help')).toContain(
    'acuse api webhooks replay <id> --data @<file>',
  );
  expect(await shell.run('acuse help api')).toContain('Usage: acuse api');
  expect(await shell.run('acuse --help')).toMatch(/^ +api +Calls any operation/m);
});

test('what it ends with: 1 refused, 2 a usage error, 3 nobody there', async () => {
  const unknown = '01936b0e-7c2a-7d10-9c1e-5a0f3f6b2a11';
  expect(await refused(`acuse api messages get ${unknown}`)).toMatchObject({ exit: 1, code: 'not_found' });
  expect(await refused('acuse api messages launch')).toMatchObject({ exit: 2, fix: 'acuse api --help' });
  const away = { ACUSE_URL: 'http://127.0.0.1:1', ACUSE_API_KEY: 'acuse_a_b' };
  expect(await refused('acuse api account get', away)).toMatchObject({ exit: 3, code: 'no_answer' });
});

test('the sandbox’s key is sent to no other address', async () => {
  for (const name of ['ACUSE_URL', 'ACUSE_BASE_URL'])
    expect(await refused('acuse api account get', { [name]: 'http://127.0.0.1:1' })).toMatchObject({
      exit: 2,
      code: 'configuration',
      fix: expect.stringContaining('ACUSE_API_KEY'),
    });
  const printed = await shell.run('acuse api account get --dry-run');
  expect(printed).toBe(`GET ${service.sandbox.base_url}/v1/account\nAuthorization: Bearer ***\n`);
});

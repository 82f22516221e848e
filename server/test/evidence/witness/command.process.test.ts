import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatVerifierKey } from '@acuse/evidence/verifier-key';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acuse } from '../../cli/run.ts';
import { type CommandProcess, startCommand } from '../../support/command-process.ts';
import { testLog } from './support.ts';

const log = testLog('log.example/a');
const logKey = formatVerifierKey(log.key);
let folder: string;
let keyFile: string;
let vkey: string;
const started: CommandProcess[] = [];

beforeEach(async () => {
  folder = tempFolder();
  keyFile = join(folder, 'witness.key');
  const made = await acuse(['witness', 'key', keyFile, '--name', 'witness.example/w1', '--json']);
  vkey = made.json.vkey;
});
afterEach(async () => {
  for (const { child } of started.splice(0)) child.kill('SIGKILL');
});

function start(...args: string[]): CommandProcess {
  const command = startCommand(['witness', '--key', keyFile, '--listen', '127.0.0.1:0', ...args]);
  started.push(command);
  return command;
}
const post = async (url: string, body: string) =>
  (await fetch(`${url}/add-checkpoint`, { method: 'POST', body })).status;

test('a witness runs until it is told to stop, and remembers over a kill -9', async () => {
  const first = start('--log', logKey);
  const [, url] = await first.said(/listening on (http\S+) for log\.example\/a/);
  expect(first.stdout()).toContain(vkey);
  expect(await post(url!, log.ask(0, 100))).toBe(200);
  const second = start('--log', logKey);
  expect(await second.ended).toBe(3);
  expect(second.stderr()).toMatch(/in use by another acuse witness/);
  first.child.kill('SIGKILL');
  await first.ended;

  // Keys may also come from a file.
  const keys = join(folder, 'logs.txt');
  writeFileSync(keys, `# ours\n\n${logKey}\n`);
  const third = start('--log', keys, '--json');
  const { url: again, logs } = JSON.parse((await third.said(/^\{.*\}\n/))[0]);
  expect(logs).toEqual(['log.example/a']);
  expect(await post(again, log.ask(0, 100, 'forged'))).toBe(409);
  expect(await post(again, log.ask(100, 101))).toBe(200);
  third.child.kill('SIGTERM');
  expect(await third.ended).toBe(0);
});

test('a key is made once, and for its owner alone', async () => {
  expect(readFileSync(keyFile, 'utf8')).toMatch(/^PRIVATE\+KEY\+witness\.example\/w1\+[0-9a-f]{8}\+\S+\n$/);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const again = await acuse(['witness', 'key', keyFile, '--name', 'witness.example/w1']);
  expect([again.code, again.err]).toEqual([2, expect.stringMatching(/already exists/)]);
  chmodSync(keyFile, 0o644);
  const exposed = await acuse(['witness', '--key', keyFile, '--log', logKey, '--json']);
  expect([exposed.code, exposed.json.error.code]).toEqual([2, 'key_exposed']);
});

test.each<[string, string[], string]>([
  ['no log', [], 'usage'],
  ['a log key that is none', ['--log', 'log.example/a+00000000+AAAA'], 'invalid_key'],
  ["another witness's key as a log's", ['--log', 'WITNESS'], 'invalid_key'],
  ['a file that is not there', ['--log', 'nowhere.txt'], 'unreadable_file'],
  ['an address that is none', ['--log', logKey, '--listen', 'nowhere'], 'usage'],
])('refuses %s', async (_name, args, code) => {
  const given = args.map((arg) => (arg === 'WITNESS' ? vkey : arg));
  const said = await acuse(['witness', '--key', keyFile, ...given, '--json']);
  expect([said.code, said.json.error.code]).toEqual([2, code]);
});

test('refuses a damaged state', async () => {
  writeFileSync(`${keyFile}.state`, 'x');
  const said = await acuse(['witness', '--key', keyFile, '--log', logKey, '--json']);
  expect([said.code, said.json.error.code]).toEqual([1, 'invalid_state']);
});

test('a name that no key can have is refused', async () => {
  const said = await acuse(['witness', 'key', join(folder, 'other.key'), '--name', 'a name', '--json']);
  expect([said.code, said.json.error.code]).toEqual([2, 'usage']);
});

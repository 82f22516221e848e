import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatTlogProof } from '@acuse/evidence/tlog-proof';
import { eventually } from '@acuse/testkit/eventually';
import { type LyingLog, startLyingLog } from '@acuse/testkit/lying-log';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acuse } from '../../cli/run.ts';
import { type CommandProcess, startCommand } from '../../support/command-process.ts';

let log: LyingLog;
let folder: string;
let stateFile: string;
let running: CommandProcess | null;

beforeEach(async () => {
  log = await startLyingLog();
  folder = tempFolder();
  stateFile = join(folder, 'state.json');
  running = null;
  log.append(300);
  log.publish();
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await log.close();
});

const monitor = (...args: string[]) =>
  acuse(['monitor', log.url, '--key', log.vkey, '--state', stateFile, ...args]);
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('acuse monitor', () => {
  test('ends with 0 when all is well, and knows the next time what it knew', async () => {
    const first = await monitor('--json');
    expect([first.code, first.json]).toMatchObject([
      0,
      { status: 'ok', log: 'lying.test/log', entries_read: 300 },
    ]);
    log.append(5);
    log.publish();
    const second = await monitor('--once');
    expect(second.code).toBe(0);
    expect(second.out).toMatch(
      /305 leaves, root [0-9a-f]{64}; 5 entries read\n {2}sealed to 305 leaves at .* \(development: not a NOM-151 constancia\), as the log itself names it/,
    );
  });

  test('ends with 1 at an alert, says what it is, and goes on saying what was proven until that is acknowledged', async () => {
    await monitor();
    const first = log.note();
    log.rewind(299);
    log.append(1);
    const second = log.publish();
    const told = await monitor('--json');
    expect(told.code).toBe(1);
    expect(told.json.alerts).toMatchObject([{ code: 'fork', notes: [first, second] }]);
    log.lie(/^checkpoint$/, (_path, reply) => void reply.end(first));
    log.lie(/^checkpoint$/, (_path, reply) => void reply.end(first));
    const after = await monitor();
    expect([after.code, after.out]).toEqual([
      1,
      expect.stringMatching(/✗ proven at .*: fork: two trees of 300 leaves/),
    ]);
    // The fork is forgotten; the entries under the old checkpoint are still those of the second history.
    for (const options of [['--acknowledge'], []]) {
      const forgotten = await monitor(...options, '--json');
      expect(forgotten.json.alerts).toMatchObject([{ code: 'entries', notes: [first] }]);
      expect(forgotten.json.incidents).toEqual([]);
    }
  });

  test('ends with 3 when the log is not there', async () => {
    const said = await acuse([
      'monitor',
      'http://127.0.0.1:1/log',
      '--key',
      log.vkey,
      '--state',
      stateFile,
      '--json',
    ]);
    expect([said.code, said.json.status]).toEqual([3, 'unavailable']);
  });

  test('holds the log to promises and to what others were shown', async () => {
    const kept = file('kept.txt', log.promise(log.entry(7), new Date()));
    const broken = file('broken.txt', log.promise(randomBytes(32), new Date(Date.now() - 60_000)));
    const proof = file('a.tlog-proof', formatTlogProof({ index: 0, path: [], checkpointNote: log.note() }));
    const key = file('log.key', `# the log\n${log.vkey}\n`);
    const said = await acuse([
      'monitor',
      log.url,
      '--key',
      key,
      '--state',
      stateFile,
      '--promise',
      kept,
      '--promise',
      broken,
      '--seen',
      proof,
      '--json',
    ]);
    expect([said.code, said.json.promises]).toEqual([1, { kept: 1, open: 0, broken: 1 }]);
    expect(said.json.incidents).toMatchObject([{ code: 'promise_broken' }]);
  });

  test('looks again and again until it is told to stop, a report a look', async () => {
    running = startCommand([
      'monitor',
      log.url,
      '--key',
      log.vkey,
      '--state',
      stateFile,
      '--interval',
      '1s',
      '--json',
    ]);
    await running.said(/(.*"status":"ok".*\n){2}/);
    expect((await monitor('--json')).json.error.code).toBe('state_in_use');
    log.rewind(299);
    log.append(1);
    log.publish();
    await running.said(/"status":"alert"/);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(1);
    for (const line of running.stdout().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('status');
  });

  test('stopped in the middle of a look it ends at once, its state whole', async () => {
    log.append(30_000);
    log.publish();
    running = startCommand(['monitor', log.url, '--key', log.vkey, '--state', stateFile, '--json']);
    log.lie(/^tile\/entries\/100$/, (_path, reply) => void setTimeout(() => reply.destroy(), 60_000).unref());
    await eventually(() => log.requests().includes('tile/entries/100'));
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    if (existsSync(stateFile)) expect(() => JSON.parse(readFileSync(stateFile, 'utf8'))).not.toThrow();
    log.lie(null);
    expect((await monitor('--json')).json).toMatchObject({ status: 'ok', checkpoint: { size: 30_300 } });
  });

  test.each<[string, () => string[], string]>([
    ['no URL', () => ['nowhere', '--key', log.vkey, '--state', stateFile], 'usage'],
    ['a URL of another kind', () => ['ftp://log.test', '--key', log.vkey, '--state', stateFile], 'usage'],
    [
      'a key that is none',
      () => [log.url, '--key', 'lying.test/log+00000000+AAAA', '--state', stateFile],
      'invalid_key',
    ],
    [
      'once and again',
      () => [log.url, '--key', log.vkey, '--state', stateFile, '--once', '--interval', '1m'],
      'usage',
    ],
    [
      'a time that is none',
      () => [log.url, '--key', log.vkey, '--state', stateFile, '--interval', 'often'],
      'usage',
    ],
    [
      'a quorum of nobody',
      () => [log.url, '--key', log.vkey, '--state', stateFile, '--quorum', '1'],
      'usage',
    ],
    [
      'a checkpoint as a promise',
      () => [log.url, '--key', log.vkey, '--state', stateFile, '--promise', file('p', log.note())],
      'invalid_note',
    ],
    [
      'no policy',
      () => [log.url, '--key', log.vkey, '--state', stateFile, '--trust', file('t', '{}')],
      'invalid_policy',
    ],
  ])('refuses %s', async (_name, args, code) => {
    const said = await acuse(['monitor', ...args(), '--json']);
    expect([said.code, said.json.error.code]).toEqual([2, code]);
  });

  test.each([
    ['damaged', () => '{"type":"acuse/monitor-state/v1"'],
    ['of another kind', () => '{}'],
    ['of another log', () => readFileSync(stateFile, 'utf8').replaceAll('lying.test', 'other.test')],
    ['with a hash cut short', () => readFileSync(stateFile, 'utf8').replace(/"root": "..../, '"root": "')],
    [
      'with a size that is none',
      () => readFileSync(stateFile, 'utf8').replace('"size": 300', '"size": -300'),
    ],
  ])('refuses a state that is %s, and leaves it as it is', async (_name, content) => {
    await monitor();
    const damaged = content();
    writeFileSync(stateFile, damaged);
    const said = await monitor('--json');
    expect([said.code, said.json.error.code]).toEqual([1, 'invalid_state']);
    expect(readFileSync(stateFile, 'utf8')).toBe(damaged);
  });

  test('an edge that was tampered with leads nowhere, and is told of', async () => {
    await monitor();
    const damaged = JSON.parse(readFileSync(stateFile, 'utf8'));
    damaged.verified.edge['0/1'] = Buffer.alloc(44 * 32).toString('base64');
    writeFileSync(stateFile, JSON.stringify(damaged));
    log.append(1);
    log.publish();
    expect((await monitor('--json')).json).toMatchObject({ status: 'alert', alerts: [{ code: 'entries' }] });
  });
});

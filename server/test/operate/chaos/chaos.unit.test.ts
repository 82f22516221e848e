import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isHeld, judge } from '../../../src/operate/chaos/chaos.ts';
import { type FAULT_NAMES, FAULTS, type Fault, type World } from '../../../src/operate/chaos/faults.ts';
import { startGuard } from '../../../src/operate/chaos/guard.ts';
import { addressOf, type DatabaseProxy, startProxy, through } from '../../../src/operate/chaos/proxy.ts';

const message = (key: string, more: object = {}) => ({
  idempotency_key: key,
  status: 'sent',
  reverse_path: `${key}@x.test`,
  was_deferred: false,
  ...more,
});

test('what was answered 2xx and is not there, or not sent, is lost; what is there twice is twice or was sent again', () => {
  const load = { accepted: new Set(['a', 'b', 'c', 'd', 'e']), open: new Set(['f']) };
  const kept = [
    message('a'),
    message('b', { status: 'queued' }),
    message('c'),
    message('c', { reverse_path: 'again@x.test' }),
    message('d'),
    // Refused first by the receiving server, which may have it all the same.
    message('e', { was_deferred: true }),
    // Accepted without an answer.
    message('f'),
  ];
  const mails = new Map([
    ['a@x.test', 1],
    ['d@x.test', 2],
    ['e@x.test', 2],
  ]);
  expect(judge([], load, kept, mails)).toMatchObject({
    ...{ accepted: 5, unanswered: 1 },
    ...{ lost: ['b'], twice: ['c'], sentAgain: ['d'] },
  });
  const again = judge([], { accepted: new Set(['d']), open: new Set() }, [message('d')], mails);
  const kill = { fault: 'kill', accepted: 1, again: 0, gapMs: 1 } as const;
  expect([isHeld(again), isHeld({ ...again, rows: [kill] })]).toEqual([false, true]);
  expect(isHeld({ ...again, rows: [{ fault: 'kill', refused: 'not here' }] })).toBe(false);
  expect(isHeld({ ...again, rows: [kill], twice: ['d'] })).toBe(false);
  expect(judge([], { ...load, accepted: new Set(['gone']) }, [], new Map()).lost).toEqual(['gone']);
});

describe('a proxy in front of a database', () => {
  let echo: Server;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  });
  afterAll(async () => {
    await proxy.stop();
    echo.close();
  });
  afterEach(() => proxy.set('open'));

  function open() {
    const socket = connect(proxy.port, '127.0.0.1');
    const seen = { text: '', closed: false };
    socket
      .on('error', () => {})
      .on('data', (part) => {
        seen.text += part;
      })
      .on('close', () => {
        seen.closed = true;
      });
    return { socket, seen };
  }

  test('passes all, and in silence nothing until it is open again', async () => {
    const { socket, seen } = open();
    socket.write('one ');
    await eventually(async () => seen.text === 'one ');
    proxy.set('stall');
    socket.write('two ');
    const other = open();
    other.socket.write('three');
    proxy.set('open');
    await eventually(async () => seen.text === 'one two ' && other.seen.text === 'three');
    socket.destroy();
    other.socket.destroy();
  });

  test('cut, breaks what is open and takes no new connection', async () => {
    const { seen } = open();
    await eventually(async () => (await count(echo)) > 0);
    proxy.set('cut');
    await eventually(async () => seen.closed);
    const refused = open();
    await eventually(async () => refused.seen.closed);
    proxy.set(1);
    const again = open();
    again.socket.write('slow');
    await eventually(async () => again.seen.text === 'slow');
    again.socket.destroy();
  });
});

test('is put in front of a host or a socket, and not of several hosts', () => {
  expect(addressOf('postgresql://a:b@db.test/x')).toEqual({ host: 'db.test', port: 5432 });
  expect(addressOf('postgresql://a@127.0.0.1:5433/x')).toEqual({ host: '127.0.0.1', port: 5433 });
  expect(addressOf('postgresql://a@localhost/x?host=/run/postgresql&port=5434')).toEqual({
    path: '/run/postgresql/.s.PGSQL.5434',
  });
  expect(addressOf('postgresql://a@one,two/x')).toBeNull();
  expect(through('postgresql://a@localhost/x?host=/run/postgresql&port=5434&sslmode=disable', 9)).toBe(
    'postgresql://a@localhost/x?host=127.0.0.1&port=9&sslmode=disable',
  );
});

const count = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, connections) => resolve(connections)));

describe('what is undone when the command ends in whatever way', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  function sleeper(): ChildProcess {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    children.push(child);
    return child;
  }
  const stateOf = ({ pid }: ChildProcess) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2)[0];
  };

  test.runIf(process.platform === 'linux')('frozen processes go on, started ones end, files go', async () => {
    const [frozen, started] = [sleeper(), sleeper()];
    const ballast = join(tempFolder(), 'ballast');
    writeFileSync(ballast, 'x');
    const guard = startGuard();
    guard.note({ stopped: [frozen.pid!], started: [started.pid!] });
    guard.note({ files: [ballast] });
    for (const child of [frozen, started]) child.kill('SIGSTOP');
    await eventually(async () => stateOf(frozen) === 'T');
    const ended = once(started, 'exit');
    await guard.end();
    await ended;
    await eventually(async () => stateOf(frozen) !== 'T');
    expect(existsSync(ballast)).toBe(false);
  });

  test('nothing is touched that was undone before', async () => {
    const kept = join(tempFolder(), 'kept');
    writeFileSync(kept, 'x');
    const guard = startGuard();
    guard.note({ files: [kept] });
    guard.note({ files: [] });
    await guard.end();
    expect(existsSync(kept)).toBe(true);
  });
});

test('what cannot be made here is refused with what it takes', () => {
  const world = {
    service: { setClock: null },
    dataDir: tempFolder(),
    proxy: null,
    node: null,
  } as unknown as World;
  const why = (name: (typeof FAULT_NAMES)[number], more: Partial<World> = {}) =>
    (FAULTS[name] as Fault).why({ ...world, ...more });
  expect(why('partition')).toContain('DATABASE_URL');
  expect(why('silence')).toContain('DATABASE_URL');
  expect(why('lost-node')).toContain('--node');
  expect(why('lost-node', { node: 2 ** 22 + 1 })).toContain('has ended');
  expect(why('clock-step')).toContain('faketime');
  expect(why('database-freeze', { proxy: {} as DatabaseProxy })).toContain('--node');
  for (const name of ['kill', 'freeze', 'full-log-pipe'] as const) expect(why(name)).toBeNull();
});

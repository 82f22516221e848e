import { createServer, type Server, type Socket } from 'node:net';
import { eventually, PATIENCE } from '@acuse/testkit/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeNote } from '../../src/delivery/operate/note-store.ts';
import { noteDestination } from '../../src/delivery/operate/notes.ts';
import { type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy, routerTo } from './routers.ts';

/** Peers that are spoken to otherwise than usual: what attempts teach, and what an operator writes. */
let h: Harness;
let tenantId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear('destination_notes'));
afterAll(() => h.close());

const notes = () =>
  h.db.query<{ destination: string; note: string; value: number; source: string; reason: string }>(
    'select destination, note, value, source, reason from destination_notes order by destination, note',
  );
const operator = { reason: 'a test', by: 'tester', days: null };

/** Takes one command a segment: of commands that come together it reads the first and forgets the rest. */
async function forgetfulPeer(): Promise<{ port: number; sessions: string[][]; close(): Promise<unknown> }> {
  const sessions: string[][] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const commands: string[] = [];
    sessions.push(commands);
    sockets.add(socket);
    let inData = false;
    socket.on('error', () => {});
    socket.write('220 forgetful\r\n');
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (inData) {
        if (!text.endsWith('\r\n.\r\n')) return;
        inData = false;
        socket.write('250 2.0.0 ok\r\n');
        return;
      }
      const [line = ''] = text.split('\r\n');
      commands.push(line.split(/[ :]/)[0]!);
      inData = line === 'DATA';
      socket.write(
        line.startsWith('EHLO') ? '250-f\r\n250 PIPELINING\r\n' : inData ? '354 go\r\n' : '250 ok\r\n',
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    sessions,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that forgets is given up soon, and is given all its time once it is spoken to otherwise. */
const shortAtFirst = ({ sessions }: { sessions: readonly unknown[] }) => ({
  get rcptMs() {
    return sessions.length === 0 ? 300 : 60_000;
  },
});

test('a peer that loses pipelined commands gets the message in the same attempt, and is spoken to so from then on', async () => {
  const peer = h.closeLater(await forgetfulPeer());
  const router = routerBy(async () => ({ kind: 'hops', hops: [hopTo(peer, 'mx1.lossy.test')] }));
  const first = await h.queue(tenantId, { to: 'a@lossy.test' });
  const worker = h.work(router, { timeouts: shortAtFirst(peer) });
  expect(await h.attempted(first)).toMatchObject({ status: 'sent', attempts: 1 });
  await vi.waitFor(async () => expect(await notes()).toHaveLength(1), PATIENCE);
  expect(await notes()).toMatchObject([
    { destination: 'lossy.test', note: 'no_pipelining', value: 1, source: 'learned' },
  ]);
  await worker.stop();

  // Another process reads it: no second peer is left waiting.
  const before = peer.sessions.length;
  const second = await h.queue(tenantId, { to: 'b@lossy.test' });
  h.work(router, { notesEveryMs: 20, timeouts: { rcptMs: 60_000 } });
  expect(await h.attempted(second)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(peer.sessions.slice(before)).toEqual([['EHLO', 'MAIL', 'RCPT', 'DATA', 'QUIT'].slice(0, 4)]);
});

test('nothing is claimed before the notes are read', async () => {
  const peer = h.closeLater(await forgetfulPeer());
  const router = routerBy(async () => ({ kind: 'hops', hops: [hopTo(peer, 'mx1.early.test')] }));
  const id = await h.queue(tenantId, { to: 'a@early.test' });
  const [noted_at, ends_at] = [new Date(), new Date(Date.now() + 86_400_000)];
  await h.db.transact(async (tx) => {
    await tx.execute('lock table destination_notes in access exclusive mode');
    await writeNote(tx, {
      ...{
        destination: 'early.test',
        note: 'no_pipelining',
        value: 1,
        source: 'operator',
        noted_at,
        ends_at,
      },
      ...{ reason: 'a test', noted_by: 'tester' },
    });
    h.work(router, { timeouts: { rcptMs: 60_000 } });
    const waits = "select 1 from pg_locks where relation = 'destination_notes'::regclass and not granted";
    await eventually(async () => (await tx.query(waits)).length > 0);
  });
  expect(await h.attempted(id)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(peer.sessions).toHaveLength(1);
});

test('a peer that is silent either way teaches nothing', async () => {
  const peer = await h.peer({ rcpt: { kind: 'stall' } });
  const id = await h.queue(tenantId, { to: 'a@silent.test' });
  h.work(routerTo(peer), { timeouts: { rcptMs: 100 } });
  expect(await h.attempted(id)).toMatchObject({ status: 'deferred', attempts: 1 });
  expect([await notes(), peer.sessions.length]).toEqual([[], 2]);
});

describe('what an operator noted', () => {
  test('of messages a connection and conversations is kept to', async () => {
    const peer = await h.peer();
    await noteDestination(h, { ...operator, destination: 'few.test', note: 'conversations', value: 1 });
    await noteDestination(h, {
      ...{ ...operator, destination: 'few.test' },
      ...({ note: 'messages_per_connection', value: 2 } as const),
    });
    const worker = h.worker(routerTo(peer), { notesEveryMs: 20 });
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => h.queue(tenantId, { to: 'a@few.test' })));
    worker.start();
    for (const id of ids) expect((await h.attempted(id)).status).toBe('sent');
    expect(peer.sessions.map(({ messages }) => messages.length)).toEqual([2, 2, 1]);
  });

  test('stays, whatever attempts show', async () => {
    const peer = h.closeLater(await forgetfulPeer());
    await noteDestination(h, { ...operator, destination: 'kept.test', note: 'no_pipelining', value: 0 });
    const id = await h.queue(tenantId, { to: 'a@kept.test' });
    const router = routerBy(async () => ({ kind: 'hops', hops: [hopTo(peer, 'mx1.kept.test')] }));
    await h.work(router, { timeouts: shortAtFirst(peer) });
    expect(await h.attempted(id)).toMatchObject({ status: 'sent' });
    expect(await notes()).toMatchObject([{ value: 0, source: 'operator' }]);
  });

  test('of TLS counts only where nothing demands it', async () => {
    const peer = await h.peer();
    await noteDestination(h, { ...operator, destination: 'plain.test', note: 'no_tls', value: 1 });
    const hops = [{ ...hopTo(peer, 'mx1.plain.test'), tls: { mode: 'required' }, tlsBy: 'mta-sts' }] as const;
    const worker = h.worker(
      routerBy(async () => ({ kind: 'hops', hops })),
      { notesEveryMs: 20 },
    );
    const id = await h.queue(tenantId, { to: 'a@plain.test' });
    worker.start();
    expect(await h.attempted(id)).toMatchObject({ status: 'deferred' });
    expect(peer.messages()).toEqual([]);
  });
});

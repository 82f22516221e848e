import { createServer, type Socket } from 'node:net';
import { PATIENCE } from '@acuse/testkit/eventually';
import type { PeerScript } from '@acuse/testkit/smtp-peer';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { endLeases, type Harness, openHarness } from './harness.ts';
import { hopTo, routerBy } from './routers.ts';

/** Envelopes that leave with the end of the message before: nothing is recorded that is not so. */

let h: Harness;
let tenantId: string;

beforeAll(async () => {
  h = await openHarness();
  tenantId = await h.tenant();
});
afterEach(() => h.clear());
afterAll(() => h.close());

/** One conversation at once, so that each message but the first two goes out behind another. */
function oneByOne(peer: { readonly port: number }) {
  const route = { kind: 'hops' as const, hops: [hopTo(peer, 'mx1.one.test')] };
  return routerBy(async () => route, { fixedWindow: 1 });
}

async function queue(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let each = 0; each < count; each++) ids.push(await h.queue(tenantId, { to: `a${each}@one.test` }));
  return ids;
}

const statusOf = async (id: string) => (await h.attempted(id)).status;

/** Holds the answer to the end of the third message, behind which the fourth has been spoken of. */
function holdThird(): { script: PeerScript; letGo(): void } {
  let letGo!: () => void;
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const usual = { kind: 'default' } as const;
  return {
    script: { dot: [usual, usual, { kind: 'hold', until, bytes: '250 2.0.0 ok\r\n' }, usual] },
    letGo,
  };
}

const mailsIn = (commands: readonly string[]) => commands.filter((line) => line.startsWith('MAIL')).length;

test('what waits for the window goes out behind what has it, each with its own transcript', async () => {
  const { script, letGo } = holdThird();
  const peer = await h.peer(script);
  const ids = await queue(6);
  h.work(oneByOne(peer));
  await vi.waitFor(() => expect(mailsIn(peer.sessions[0]!.commands)).toBe(4), PATIENCE);
  letGo();
  expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'sent'));
  expect([peer.sessions.length, peer.messages().length]).toEqual([1, 6]);
  for (const id of ids) {
    const { attemptRows } = await h.message(id);
    const [session] = attemptRows[0]!['sessions'] as { transcript: { who: string; line: string }[] }[];
    const spoken = session!.transcript
      .filter(({ who }) => who === 'C')
      .map(({ line }) => line.split(/[ :]/)[0]);
    expect(spoken.slice(-5)).toEqual(['MAIL', 'RCPT', 'DATA', '[message', '.']);
    expect(session!.transcript.at(-1)).toMatchObject({ who: 'S', line: expect.stringMatching(/^250 /) });
  }
});

test('a message whose lease is lost meanwhile is not sent behind another, which is', async () => {
  const { script, letGo } = holdThird();
  const peer = await h.peer(script);
  const ids = await queue(4);
  h.work(oneByOne(peer));
  await vi.waitFor(() => expect(mailsIn(peer.sessions[0]!.commands)).toBe(4), PATIENCE);
  const [row] = await h.db.query<{ message_id: string }>(
    `update delivery_queue set attempt = attempt + 1, leased_until = now() + interval '1 hour',
       due_at = now() + interval '1 hour'
      where message_id = (select max(message_id::text)::uuid from delivery_queue) returning message_id`,
  );
  // Too little is left of any lease as this process knows it: it asks.
  h.clock.forward(14_000);
  letGo();
  const others = ids.filter((id) => id !== row!.message_id);
  expect(others).toHaveLength(3);
  await vi.waitFor(async () => {
    for (const id of others) expect((await h.message(id)).status).toBe('sent');
  }, PATIENCE);
  expect(peer.messages()).toHaveLength(3);
  expect(await h.message(row!.message_id)).toMatchObject({ status: 'queued', attempts: 0, queued: true });
});

test('a worker that stops gives back what it has only spoken of', async () => {
  const { script } = holdThird();
  const peer = await h.peer(script);
  const ids = await queue(4);
  const worker = h.work(oneByOne(peer));
  await vi.waitFor(() => expect(mailsIn(peer.sessions[0]!.commands)).toBe(4), PATIENCE);
  await worker.stop(50);
  const messages = await Promise.all(ids.map(h.message));
  expect(messages.map(({ status, attempts }) => `${status} ${attempts}`).sort()).toEqual([
    // The outcome of the third is not known.
    'deferred 1',
    'queued 0',
    'sent 1',
    'sent 1',
  ]);
  await endLeases(h);
  h.work(oneByOne(peer));
  const untried = ids[messages.findIndex(({ attempts }) => attempts === 0)]!;
  expect(await statusOf(untried)).toBe('sent');
});

describe('a server that does not read what comes behind a message', () => {
  /** Its reaction: forgets it, takes the message for faulty, or hangs up. */
  type Careless = 'forgets' | 'refuses' | 'hangs up';

  async function carelessServer(how: Careless) {
    const taken: string[] = [];
    let behind = 0;
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      let text = '';
      let inData = false;
      const say = (line: string) => socket.write(`${line}\r\n`);
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (;;) {
          const end = text.indexOf(inData ? '\r\n.\r\n' : '\r\n');
          if (end === -1) return;
          const unit = text.slice(0, end);
          text = text.slice(end + (inData ? 5 : 2));
          if (!inData) {
            inData = unit === 'DATA';
            say(unit.startsWith('EHLO') ? '250-careless\r\n250 PIPELINING' : inData ? '354 go' : '250 ok');
            continue;
          }
          inData = false;
          const isBehind = text !== '';
          if (isBehind) behind++;
          text = '';
          if (isBehind && how === 'refuses') say('554 5.5.0 Error: improper command pipelining');
          else {
            taken.push(/^Message-ID: (.*)$/im.exec(unit)?.[1] ?? '');
            say('250 2.0.0 ok');
            if (isBehind && how === 'hangs up') socket.end();
          }
        }
      });
      say('220 careless');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return h.closeLater({
      port: (server.address() as { port: number }).port,
      taken,
      behind: () => behind,
      async close() {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  }

  test.each(['forgets', 'refuses', 'hangs up'] as const)(
    'and %s: it gets each message once, at the first attempt, and no more envelopes ahead',
    async (how) => {
      const server = await carelessServer(how);
      const ids = await queue(8);
      // Long enough for an answer that comes, on a busy machine too.
      h.work(oneByOne(server), { timeouts: { mailMs: 3_000, quitMs: 50 } });
      const messages = await Promise.all(ids.map((id) => h.attempted(id)));
      expect(messages.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(
        ids.map(() => 'sent 1'),
      );
      expect(server.taken).toHaveLength(8);
      expect(new Set(server.taken).size).toBe(8);
      expect(server.behind()).toBe(1);
    },
  );
});

test('a refusal of the first message that another follows is asked for again, and then believed', async () => {
  const usual = { kind: 'default' } as const;
  const no = '554 5.6.0 cannot read that\r\n';
  // The third is the first with an envelope behind it.
  const peer = await h.peer({ dot: [usual, no, no, usual, usual, no, usual] });
  const ids = await queue(6);
  h.work(oneByOne(peer));
  const messages = await Promise.all(ids.map((id) => h.attempted(id)));
  expect(messages.map(({ status }) => status).filter((status) => status === 'bounced')).toHaveLength(2);
  // The later one came from a server that had shown that it reads in order: one transaction more, not two.
  expect(peer.messages()).toHaveLength(7);
  expect(messages.every(({ attempts, queued }) => attempts === 1 && !queued)).toBe(true);
});

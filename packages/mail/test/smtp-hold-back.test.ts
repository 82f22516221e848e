import { type SmtpPeer, startSmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterEach, expect, it } from 'vitest';
import { connect, type SmtpSession } from '../src/smtp/client.ts';

/** A sender that is asked before MAIL and before the end of the data, and says no, or takes its time. */

const peers: SmtpPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
});

async function open(extensions: string[]): Promise<{ peer: SmtpPeer; session: SmtpSession }> {
  const peer = await startSmtpPeer({ extensions });
  peers.push(peer);
  const result = await connect({
    host: 'mx.test',
    address: '127.0.0.1',
    port: peer.port,
    ehloName: 'client.test',
    tls: { mode: 'off' },
    clock: { now: () => performance.now() },
  });
  if (result.kind !== 'ready') throw new Error(result.kind);
  return { peer, session: result.session };
}

const SMALL = Buffer.from('Subject: x\r\n\r\nhello\r\n');
const LARGE = Buffer.from(`Subject: x\r\n\r\n${'a line that fills the message\r\n'.repeat(40_000)}`);
const envelope = { reversePath: 'a@client.test', forwardPath: 'b@peer.test' };

const ways = [
  ['DATA', []],
  ['DATA, pipelined', ['PIPELINING']],
  ['BDAT', ['CHUNKING', 'PIPELINING']],
] as const;
const cases = ways.flatMap(
  ([way, extensions]) =>
    [
      [way, 'small', extensions, SMALL],
      [way, 'large', extensions, LARGE],
    ] as const,
);

it.each(cases)('by %s, a %s message is not complete without leave', async (_way, _size, extensions, data) => {
  const { peer, session } = await open([...extensions]);
  const asked: string[] = [];
  const result = await session.send({
    ...envelope,
    data: [data],
    mayGoOn(step) {
      asked.push(step);
      return step === 'mail' ? true : Promise.resolve(false);
    },
  });
  expect(asked).toEqual(['mail', 'dot']);
  expect(result).toMatchObject({
    kind: 'connection-failed',
    stage: 'body',
    error: { code: 'aborted' },
    mayHaveBeenAccepted: false,
  });
  expect([peer.messages(), session.reusable]).toEqual([[], false]);
});

it.each(cases)(
  'by %s, a %s message waits for leave and goes out whole',
  async (_way, _size, extensions, data) => {
    const { peer, session } = await open([...extensions]);
    const before: number[] = [];
    const result = await session.send({
      ...envelope,
      data: [data],
      async mayGoOn() {
        await new Promise((resolve) => setTimeout(resolve, 50));
        before.push(peer.messages().length);
        return true;
      },
    });
    expect([result.kind, before]).toEqual(['accepted', [0, 0]]);
    expect(peer.messages()[0]!.raw.equals(data)).toBe(true);
  },
);

it('does not name the sender without leave', async () => {
  const { peer, session } = await open([]);
  const result = await session.send({ ...envelope, data: [SMALL], mayGoOn: () => false });
  expect(result).toMatchObject({ kind: 'connection-failed', stage: 'mail', error: { code: 'aborted' } });
  expect(peer.sessions[0]!.commands.filter((line) => line.startsWith('MAIL'))).toEqual([]);
});

it('a server that hangs up while leave is waited for has not taken the message', async () => {
  const { peer, session } = await open([]);
  const result = await session.send({
    ...envelope,
    data: [SMALL],
    async mayGoOn(step) {
      if (step === 'dot') await peer.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return true;
    },
  });
  expect(result).toMatchObject({ kind: 'connection-failed', mayHaveBeenAccepted: false });
});

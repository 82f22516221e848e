import { PATIENCE } from '@acuse/testkit/eventually';
import { type PeerScript, type SmtpPeer, startSmtpPeer } from '@acuse/testkit/smtp-peer';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HIDDEN } from '../src/hide-token.ts';
import { connect, type Following, type SmtpSession } from '../src/smtp/client.ts';
import type { OutgoingMessage } from '../src/smtp/commands.ts';
import { MAX_END_MS_AHEAD, MAX_SESSION_MESSAGES, type SmtpTimeouts } from '../src/smtp/limits.ts';
import type { SendResult } from '../src/smtp/types.ts';
import { makeReturnPath, tokenOf } from '../src/verp.ts';

/** The envelope of the next message in one segment with the end of the one before. RFC 2920 §3.1 */

const peers: SmtpPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
});

interface Opened {
  readonly peer: SmtpPeer;
  readonly session: SmtpSession;
  /** Sets the session's time forward. */
  forward(ms: number): void;
}

const PIPELINING = ['PIPELINING'];

async function open(
  script: PeerScript = {},
  {
    extensions = PIPELINING,
    timeouts = {},
  }: { extensions?: readonly string[]; timeouts?: Partial<SmtpTimeouts> } = {},
): Promise<Opened> {
  const peer = await startSmtpPeer({ script, extensions });
  peers.push(peer);
  let aheadMs = 0;
  const result = await connect({
    host: 'mx.test',
    address: '127.0.0.1',
    port: peer.port,
    ehloName: 'client.test',
    tls: { mode: 'off' },
    timeouts,
    clock: { now: () => performance.now() + aheadMs },
  });
  if (result.kind !== 'ready') throw new Error(result.kind);
  return {
    peer,
    session: result.session,
    forward(ms) {
      aheadMs += ms;
    },
  };
}

function message(name: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    reversePath: `${name}@client.test`,
    forwardPath: `${name}@peer.test`,
    data: [Buffer.from(`Subject: ${name}\r\n\r\nhello\r\n`)],
    ...more,
  };
}

/** Gives the message, if it fits, once. */
function next(given: OutgoingMessage): Following {
  return (fits) => (fits(given) ? given : null);
}

/** Sends one after another, each but the first behind the one before. */
async function sendAll(session: SmtpSession, messages: readonly OutgoingMessage[]): Promise<SendResult[]> {
  const results: SendResult[] = [];
  for (const [at, each] of messages.entries()) {
    const behind = messages[at + 1];
    results.push(await session.send(each, behind === undefined ? null : next(behind)));
  }
  return results;
}

const linesOf = ({ transcript }: SendResult) => transcript.map(({ who, line }) => `${who} ${line}`);

/** Holds its answer to the end of a message, but to the first, until told. */
function holding(): { script: PeerScript; letGo(): void } {
  let letGo!: () => void;
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return {
    script: { dot: [{ kind: 'default' }, { kind: 'hold', until, bytes: '250 2.0.0 ok\r\n' }] },
    letGo,
  };
}

describe.each([
  ['DATA', PIPELINING, 'DATA'],
  ['BDAT', ['PIPELINING', 'CHUNKING'], 'RCPT TO:<c@peer.test>'],
])('by %s', (_way, extensions, last) => {
  it('the envelope leaves before the message before it has its answer', async () => {
    const { script, letGo } = holding();
    const { peer, session } = await open(script, { extensions });
    const [a, b, c] = [message('a'), message('b'), message('c')];
    await session.send(a, next(b));
    const sending = session.send(b, next(c));
    await vi.waitFor(() => {
      expect(peer.sessions[0]!.commands.filter((line) => line.startsWith('MAIL'))).toHaveLength(3);
      expect(peer.sessions[0]!.commands.at(-1)).toBe(last);
    }, PATIENCE);
    expect(session.hasAhead(c)).toBe(true);
    letGo();
    const second = await sending;
    const third = await session.send(c);
    expect([second.kind, third.kind, third.earlierMessages]).toEqual(['accepted', 'accepted', 2]);
    expect(peer.messages().map(({ raw }) => raw.toString())).toEqual(
      [a, b, c].map(({ data }) => Buffer.concat(data as Buffer[]).toString()),
    );
    expect(linesOf(second).filter((line) => line.includes('c@'))).toEqual([]);
    expect(linesOf(third)[0]).toBe('C MAIL FROM:<c@client.test>');
    expect(linesOf(third).filter((line) => line.startsWith('S'))).toHaveLength(_way === 'DATA' ? 4 : 3);
    expect(session.reusable).toBe(true);
  });

  it('a large message has it behind its last bytes', async () => {
    const { peer, session } = await open({}, { extensions });
    const large = message('b', { data: [Buffer.from(`Subject: x\r\n\r\n${'.line\r\n'.repeat(100_000)}`)] });
    const results = await sendAll(session, [message('a'), large, message('c'), message('d')]);
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
    expect(peer.messages()).toHaveLength(4);
  });
});

describe('nobody is asked for the next message', () => {
  const asked = vi.fn(() => null);
  afterEach(() => asked.mockClear());

  it('with the first of a session, of which it is not known how soon it answers', async () => {
    const { session } = await open();
    await session.send(message('a'), asked);
    expect(asked).not.toHaveBeenCalled();
    await session.send(message('b'), asked);
    expect(asked).toHaveBeenCalledOnce();
  });

  it('where PIPELINING is not offered', async () => {
    const { session } = await open({}, { extensions: [] });
    await session.send(message('a'), asked);
    await session.send(message('b'), asked);
    expect(asked).not.toHaveBeenCalled();
  });

  it('where the end of the message before took long', async () => {
    const opened = await open({
      dot() {
        opened.forward(MAX_END_MS_AHEAD + 1);
        return { kind: 'default' };
      },
    });
    await opened.session.send(message('a'), asked);
    await opened.session.send(message('b'), asked);
    expect(asked).not.toHaveBeenCalled();
  });

  it('with the last that a session carries', async () => {
    const { session } = await open();
    for (let each = 0; each < MAX_SESSION_MESSAGES - 1; each++) await session.send(message('a'));
    const last = await session.send(message('b'), asked);
    expect([last.kind, last.earlierMessages]).toEqual(['accepted', MAX_SESSION_MESSAGES - 1]);
    expect(asked).not.toHaveBeenCalled();
  });
});

it('one that the server could not take, or with a path that is none, does not fit', async () => {
  const { peer, session } = await open({}, { extensions: ['PIPELINING', 'SIZE 100'] });
  const fit: boolean[] = [];
  const offered = [
    message('x', { smtputf8: true }),
    message('x', { data: [Buffer.alloc(200, 'x')] }),
    message('x', { forwardPath: 'x>\r\nRSET' }),
  ];
  await session.send(message('a'));
  await session.send(message('b'), (fits) => {
    fit.push(...offered.map(fits));
    return null;
  });
  expect(fit).toEqual([false, false, false]);
  expect(peer.messages()).toHaveLength(2);
});

it('when looking for the next fails, the message itself is not complete', async () => {
  const { peer, session } = await open();
  await session.send(message('a'));
  const failing = session.send(message('b'), () => {
    throw new RangeError('a fault of the caller');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect([peer.messages().length, session.reusable]).toEqual([1, false]);
});

it.each([
  ['for now', '451 4.3.0 later\r\n', 451],
  ['for good', '554 5.7.1 spam\r\n', 554],
])('a message refused %s leaves the one behind it in step', async (_how, reply, code) => {
  const { peer, session } = await open({ dot: [{ kind: 'default' }, reply, { kind: 'default' }] });
  const [, second, third] = await sendAll(session, [message('a'), message('b'), message('c')]);
  expect(second).toMatchObject({ kind: 'refused', stage: 'dot', reply: { code } });
  expect(third).toMatchObject({ kind: 'accepted' });
  expect(linesOf(third!).filter((line) => line.includes(String(code)))).toEqual([]);
  expect(peer.sessions[0]!.commands).not.toContain('RSET');
});

it('a refused recipient leaves the session in step, and the next begins with RSET', async () => {
  const no: PeerScript['rcpt'] = [
    { kind: 'default' },
    { kind: 'default' },
    '550 5.1.1 no such user\r\n',
    { kind: 'default' },
  ];
  const { peer, session } = await open({ rcpt: no });
  const [, , third] = await sendAll(session, [message('a'), message('b'), message('c')]);
  expect(third).toMatchObject({ kind: 'refused', stage: 'rcpt', reply: { code: 550 } });
  const fourth = await session.send(message('d'));
  expect([fourth.kind, linesOf(fourth)[0]]).toEqual(['accepted', 'C RSET']);
  // It took DATA all the same, and was given nothing.
  expect(peer.messages().map(({ raw }) => raw.length > 0)).toEqual([true, true, false, true]);
});

describe('a server that ends the session', () => {
  it.each([
    ['after its answer', { kind: 'sendAndDrop', bytes: '250 2.0.0 ok\r\n' }, 'accepted'],
    ['with 421 for its answer', { kind: 'sendAndDrop', bytes: '421 4.3.2 closing\r\n' }, 'refused'],
  ] as const)('%s, has not been given the next message', async (_when, action, kind) => {
    const { peer, session } = await open({ dot: [{ kind: 'default' }, action] });
    const [, second, third] = await sendAll(session, [message('a'), message('b'), message('c')]);
    expect(second!.kind).toBe(kind);
    expect(third).toMatchObject({
      kind: 'connection-failed',
      stage: 'mail',
      mayHaveBeenAccepted: false,
      earlierMessages: 2,
    });
    expect(peer.messages()).toHaveLength(2);
  });

  it('in place of its answer: only the message before may have been taken', async () => {
    const { session } = await open({ dot: [{ kind: 'default' }, { kind: 'drop' }] });
    const [, second, third] = await sendAll(session, [message('a'), message('b'), message('c')]);
    expect(second).toMatchObject({ kind: 'connection-failed', stage: 'dot', mayHaveBeenAccepted: true });
    expect(third).toMatchObject({ kind: 'connection-failed', stage: 'mail', mayHaveBeenAccepted: false });
  });
});

it('a server that lost what came behind a message is waited for as long as MAIL is, and no longer', async () => {
  const { peer, session } = await open(
    { mail: [{ kind: 'default' }, { kind: 'default' }, { kind: 'stall' }] },
    // Long enough for an answer that comes, on a busy machine too.
    { timeouts: { mailMs: 3_000, rcptMs: 60_000 } },
  );
  const [, second, third] = await sendAll(session, [message('a'), message('b'), message('c')]);
  expect(second!.kind).toBe('accepted');
  expect(third).toMatchObject({
    kind: 'connection-failed',
    stage: 'mail',
    error: { code: 'timeout' },
    mayHaveBeenAccepted: false,
  });
  expect(peer.messages()).toHaveLength(2);
});

it('a session that expects a message takes no other, is given to nobody, and ends without QUIT', async () => {
  const { peer, session } = await open();
  const [b, c] = [message('b'), message('c')];
  await session.send(message('a'));
  await session.send(b, next(c));
  expect(session.reusable).toBe(false);
  await expect(session.send(message('d'))).rejects.toThrow(TypeError);
  await session.quit();
  await vi.waitFor(() => expect(peer.sessions[0]!.closed).toBe(true), PATIENCE);
  expect(peer.sessions[0]!.received().toString()).not.toContain('QUIT');
  expect(peer.messages()).toHaveLength(2);
  expect(await session.send(c)).toMatchObject({ kind: 'connection-failed', mayHaveBeenAccepted: false });
});

it('the next message is asked for leave before its own end', async () => {
  const { peer, session } = await open();
  const held = message('c', { mayGoOn: (step) => step === 'mail' });
  const [, , third] = await sendAll(session, [message('a'), message('b'), held]);
  expect(third).toMatchObject({ kind: 'connection-failed', stage: 'body', mayHaveBeenAccepted: false });
  expect(peer.messages()).toHaveLength(2);
});

it('no transcript shows the token of either message', async () => {
  const paths = ['a', 'b', 'c'].map((name, at) =>
    makeReturnPath({
      messageId: `01900000-0000-7000-8000-00000000000${at}`,
      expiresAt: new Date('2030-01-01T00:00:00Z'),
      secret: Buffer.alloc(32, name),
      domain: 'bounce.test',
    }),
  );
  // It repeats all that it has heard.
  const { session } = await open({
    dot: ({ commands }) => `250 2.0.0 ok after ${commands.join(' and ')}\r\n`,
  });
  const results = await sendAll(
    session,
    paths.map((reversePath) => message('x', { reversePath })),
  );
  const shown = JSON.stringify(results);
  for (const path of paths) expect(shown).not.toContain(tokenOf(path)!);
  expect(results.every(({ transcript }) => transcript.some(({ line }) => line.includes(HIDDEN)))).toBe(true);
});

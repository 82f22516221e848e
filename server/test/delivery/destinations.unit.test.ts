import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createDestinations,
  type Entry,
  PAUSE_MIN_MS,
  WINDOW_MAX,
  WINDOW_START,
} from '../../src/delivery/attempt/destinations.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const never = new AbortController().signal;
setMaxListeners(0, never);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function turnOf(entry: Entry) {
  if (entry.kind !== 'turn') throw new Error('paused');
  return entry.turn;
}

async function settled<T>(promise: Promise<T>): Promise<T | 'waiting'> {
  return Promise.race([promise, Promise.resolve().then(() => 'waiting' as const)]);
}

describe('the window of a destination', () => {
  test('opens by one a success, up to its maximum', async () => {
    const destinations = createDestinations({ clock, fixedWindow: null, onRoom() {} });
    const turns = await Promise.all(
      Array.from({ length: WINDOW_START }, async () =>
        turnOf(await destinations.enter({ key: 'a.test' }, 't1', never)),
      ),
    );
    const sixth = destinations.enter({ key: 'a.test' }, 't1', never);
    expect(await settled(sixth)).toBe('waiting');
    turns[0]!.leave('ok');
    turnOf(await sixth);
    turnOf(await destinations.enter({ key: 'a.test' }, 't1', never));
    for (let i = 0; i < 100; i++)
      turnOf(await destinations.enter({ key: `b.test` }, 't1', never)).leave('ok');
    const many = await Promise.all(
      Array.from({ length: WINDOW_MAX }, async () =>
        turnOf(await destinations.enter({ key: 'b.test' }, 't1', never)),
      ),
    );
    expect(many).toHaveLength(WINDOW_MAX);
    expect(await settled(destinations.enter({ key: 'b.test' }, 't1', never))).toBe('waiting');
  });

  test('halves when busy, and closes after bad news in a row; who waits is sent away, and later one probe goes first', async () => {
    const onRoom = vi.fn();
    const destinations = createDestinations({ clock, fixedWindow: null, onRoom });
    const turns = await Promise.all(
      Array.from({ length: WINDOW_START }, async () =>
        turnOf(await destinations.enter({ key: 'a.test' }, 't1', never)),
      ),
    );
    const waiting = destinations.enter({ key: 'a.test' }, 't2', never);
    for (const turn of turns.slice(0, 3)) turn.leave('unreachable');
    const entry = await waiting;
    expect(entry.kind).toBe('paused');
    expect(destinations.leaveOut('t1')).toEqual(['a.test']);
    expect([...destinations.paused().keys()]).toEqual(['a.test']);
    expect((await destinations.enter({ key: 'a.test' }, 't1', never)).kind).toBe('paused');
    for (const turn of turns.slice(3)) turn.leave('unreachable');

    onRoom.mockClear();
    vi.advanceTimersByTime(PAUSE_MIN_MS);
    expect(onRoom).toHaveBeenCalled();
    const probe = turnOf(await destinations.enter({ key: 'a.test' }, 't1', never));
    expect(await settled(destinations.enter({ key: 'a.test' }, 't1', never))).toBe('waiting');
    probe.leave('unreachable');
    // Twice as long the second time.
    vi.advanceTimersByTime(PAUSE_MIN_MS);
    expect(destinations.paused().size).toBe(1);
    vi.advanceTimersByTime(PAUSE_MIN_MS);
    expect(destinations.paused().size).toBe(0);
  });

  test('a refusal of a message is no news about the destination', async () => {
    const destinations = createDestinations({ clock, fixedWindow: null, onRoom() {} });
    for (let i = 0; i < 50; i++)
      turnOf(await destinations.enter({ key: 'a.test' }, 't1', never)).leave('none');
    expect(destinations.leaveOut('t1')).toEqual([]);
  });

  test('a fixed window neither grows nor pauses', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 2, onRoom() {} });
    for (let i = 0; i < 20; i++)
      turnOf(await destinations.enter({ key: 'mailbox' }, 't1', never)).leave('unreachable');
    expect(destinations.paused().size).toBe(0);
    for (let i = 0; i < 20; i++)
      turnOf(await destinations.enter({ key: 'mailbox' }, 't1', never)).leave('ok');
    await destinations.enter({ key: 'mailbox' }, 't1', never);
    await destinations.enter({ key: 'mailbox' }, 't1', never);
    expect(await settled(destinations.enter({ key: 'mailbox' }, 't1', never))).toBe('waiting');
  });
});

describe('noted limits', () => {
  const limitsOf = (destination: string) => ({
    conversations: destination === 'two.test' ? 2 : destination === 'many.test' ? 30 : null,
    messagesPerConnection: null,
    messagesPerMinute: destination === 'slow.test' ? 60 : destination === 'slower.test' ? 1 : null,
  });
  const open = (fixedWindow: number | null = null) =>
    createDestinations({ clock, fixedWindow, limitsOf, onRoom() {} });
  const enter = (destinations: ReturnType<typeof open>, key: string) =>
    destinations.enter({ key }, 't1', never);

  test('of conversations hold below the usual window and above it', async () => {
    const destinations = open();
    for (let i = 0; i < 50; i++) {
      turnOf(await enter(destinations, 'two.test')).leave('ok');
      turnOf(await enter(destinations, 'many.test')).leave('ok');
    }
    for (let i = 0; i < 2; i++) turnOf(await enter(destinations, 'two.test'));
    expect(await settled(enter(destinations, 'two.test'))).toBe('waiting');
    for (let i = 0; i < 30; i++) turnOf(await enter(destinations, 'many.test'));
    expect(await settled(enter(destinations, 'many.test'))).toBe('waiting');
  });

  test.each([
    ['slow.test', 60],
    ['slower.test', 1],
  ])(
    'of messages a minute to %s are kept to, and what waits is sent away meanwhile',
    async (key, perMinute) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
      const destinations = open();
      let taken = 0;
      for (let second = 0; second < 180; second++) {
        for (;;) {
          const entry = await enter(destinations, key);
          if (entry.kind === 'paused') break;
          taken++;
          entry.turn.leave('ok');
        }
        expect([...destinations.paused().keys()]).toEqual([key]);
        vi.advanceTimersByTime(1_000);
      }
      // The first burst comes on top.
      expect(taken).toBeGreaterThanOrEqual(3 * perMinute);
      expect(taken).toBeLessThanOrEqual(3 * perMinute + Math.max(1, perMinute / 6));
    },
  );

  test('are not for a fixed window', async () => {
    const destinations = open(3);
    for (let i = 0; i < 3; i++) turnOf(await enter(destinations, 'two.test'));
  });
});

describe('tenants at one destination', () => {
  test('take turns, however many one of them has waiting', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 1, onRoom() {} });
    const order: string[] = [];
    const first = turnOf(await destinations.enter({ key: 'd' }, 'flood', never));
    const run = async (tenant: string) => {
      const turn = turnOf(await destinations.enter({ key: 'd' }, tenant, never));
      order.push(tenant);
      turn.leave('ok');
    };
    const all = [...Array.from({ length: 10 }, () => run('flood')), run('small'), run('other')];
    first.leave('ok');
    await Promise.all(all);
    expect(order.slice(0, 3)).toEqual(['flood', 'small', 'other']);
    expect(order).toHaveLength(12);
  });

  test('only the tenant with four windowfuls waiting is kept from claiming more', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 1, onRoom() {} });
    await destinations.enter({ key: 'd' }, 'flood', never);
    for (let waiting = 0; waiting < 4; waiting++) {
      expect(destinations.leaveOut('flood')).toEqual([]);
      void destinations.enter({ key: 'd' }, 'flood', never);
    }
    expect(destinations.leaveOut('flood')).toEqual(['d']);
    expect(destinations.leaveOut('small')).toEqual([]);
  });

  test('who is aborted while waiting leaves the row', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 1, onRoom() {} });
    const turn = turnOf(await destinations.enter({ key: 'd' }, 't1', never));
    const abort = new AbortController();
    const waiting = destinations.enter({ key: 'd' }, 't1', abort.signal);
    abort.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    const next = destinations.enter({ key: 'd' }, 't2', never);
    turn.leave('ok');
    turnOf(await next);
    expect(destinations.leaveOut('t1')).toEqual([]);
  });
});

describe('a place that is passed on before it is left', () => {
  const chance = { fits: () => true, behind: new Promise<never>(() => {}) };
  const message = { reversePath: '', forwardPath: 'a@d.test', data: [] };
  const ready = { waits() {}, beginBehind: () => message };
  const unready = { waits() {}, beginBehind: () => null };

  test('counts once, however those who have it in turn leave', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 1, onRoom() {} });
    const first = turnOf(await destinations.enter({ key: 'd' }, 't1', never));
    const [second, third, fourth] = [ready, ready, unready].map((inLine) =>
      destinations.enter({ key: 'd' }, 't1', never, inLine),
    );
    expect(first.passOn(chance)).toBe(message);
    // It is one place, for one heir.
    expect(first.passOn(chance)).toBeNull();
    const heir = turnOf(await second!);
    expect(heir.passOn(chance)).toBe(message);
    heir.leave('ok');
    expect(await settled(fourth!)).toBe('waiting');
    first.leave('ok');
    expect(await settled(fourth!)).toBe('waiting');
    turnOf(await third!).leave('ok');
    turnOf(await fourth!);
  });

  test('goes to who is next, or to nobody', async () => {
    const destinations = createDestinations({ clock, fixedWindow: 1, onRoom() {} });
    const first = turnOf(await destinations.enter({ key: 'd' }, 't1', never));
    expect(first.passOn(chance)).toBeNull();
    const waiting = [unready, ready].map((inLine) => destinations.enter({ key: 'd' }, 't1', never, inLine));
    expect(first.passOn(chance)).toBeNull();
    first.leave('ok');
    turnOf(await waiting[0]!);
    expect(await settled(waiting[1]!)).toBe('waiting');
  });

  test('is not passed on where a destination was busy, and the window is kept', async () => {
    const destinations = createDestinations({ clock, fixedWindow: null, onRoom() {} });
    const turns = await Promise.all(
      Array.from({ length: WINDOW_START }, async () =>
        turnOf(await destinations.enter({ key: 'd' }, 't1', never)),
      ),
    );
    const waiting = destinations.enter({ key: 'd' }, 't1', never, ready);
    turns[0]!.leave('busy');
    expect(turns[1]!.passOn(chance)).toBeNull();
    expect(await settled(waiting)).toBe('waiting');
  });
});

import { describe, expect, test } from 'vitest';
import { FairPlaces, KNOWN_HOLDERS_MAX } from '../../src/platform/fair-places.ts';
import { holdersOf } from '../../src/platform/network/network.ts';

interface Guest {
  readonly name: string;
  readonly idle: boolean;
}

const guest = (name: string, idle = true): Guest => ({ name, idle });
const isIdle = ({ idle }: Guest) => idle;

/** Has so many come from an address; returns the names of those who had to go. */
function come(places: FairPlaces<Guest>, address: string, many = 1, known?: boolean): (string | undefined)[] {
  return Array.from({ length: many }, () => places.enter(guest(address), holdersOf(address), known)).flatMap(
    (gone) => (gone === null ? [] : [gone.name]),
  );
}

describe('who holds an address', () => {
  test.each([
    ['192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
    ['::ffff:192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
    ['64:ff9b::192.0.2.7', ['192.0.2.0/24', '192.0.2.7']],
    ['64:ff9b:1::7', ['64:ff9b:1::/48', '64:ff9b:1:0000::/56', '64:ff9b:1:0::/64']],
    ['2001:db8:1:2345::9', ['2001:db8:1::/48', '2001:db8:1:2300::/56', '2001:db8:1:2345::/64']],
    ['2001:db8:1:45::9', ['2001:db8:1::/48', '2001:db8:1:0000::/56', '2001:db8:1:45::/64']],
    ['::1', ['0:0:0::/48', '0:0:0:0000::/56', '0:0:0:0::/64']],
    ['fe80::1%eth0', ['fe80:0:0::/48', 'fe80:0:0:0000::/56', 'fe80:0:0:0::/64']],
  ])('%s', (address, holders) => {
    expect(holdersOf(address)).toEqual(holders);
  });

  test.each(['', 'nonsense', 'a:b'])('what is no address is held as well: %j', (address) => {
    expect(holdersOf(address).at(-1)).toBe(address);
  });
});

describe('places', () => {
  test('are for everybody while there are enough', () => {
    const places = new FairPlaces<Guest>({ max: 100 });
    expect(come(places, '192.0.2.1', 100)).toEqual([]);
    expect(places.size).toBe(100);
  });

  test('are given up by the largest holder, whoever comes', () => {
    const places = new FairPlaces<Guest>({ max: 10 });
    come(places, '192.0.2.1', 7);
    come(places, '198.51.100.1', 3);
    expect(come(places, '203.0.113.1', 3)).toEqual(Array(3).fill('192.0.2.1'));
    // The largest holder makes room for itself.
    expect(come(places, '192.0.2.1', 20)).toEqual(Array(20).fill('192.0.2.1'));
    expect(places.size).toBe(10);
  });

  test.each([
    ['an IPv6 /48 with a /64 for each', (n: number) => `2001:db8:1:${n.toString(16)}::1`],
    ['an IPv6 /56 with a /64 for each', (n: number) => `2001:db8:1:1${n.toString(16).padStart(2, '0')}::1`],
    ['an IPv4 /24', (n: number) => `192.0.2.${n}`],
  ])('are given up by %s, and by nobody who holds a few', (_, addressOf) => {
    const places = new FairPlaces<Guest>({ max: 200 });
    come(places, '203.0.113.1', 5);
    come(places, '2001:db8:9:9::1', 5);
    const gone = Array.from({ length: 1_000 }, (_unused, n) => come(places, addressOf(n % 256))).flat();
    expect(gone).toHaveLength(1_000 + 10 - 200);
    expect(gone).not.toContain('203.0.113.1');
    expect(gone).not.toContain('2001:db8:9:9::1');
  });

  test('are given up by the largest at each level', () => {
    const places = new FairPlaces<Guest>({ max: 12 });
    come(places, '2001:db8:1:1::1', 4);
    come(places, '2001:db8:1:2::1', 1);
    come(places, '2001:db8:1:ff01::1', 3);
    come(places, '2001:db8:2:1::1', 4);
    expect(come(places, '192.0.2.1', 2)).toEqual(['2001:db8:1:1::1', '2001:db8:1:1::1']);
  });

  test('are given up by the oldest that is idle, and by a busy one only if its holder has no other', () => {
    const places = new FairPlaces<Guest>({ max: 3, isIdle });
    const holders = holdersOf('192.0.2.1');
    const [busy, idle, younger] = [guest('busy', false), guest('idle'), guest('younger')];
    for (const each of [busy, idle, younger]) expect(places.enter(each, holders)).toBeNull();
    const others = [1, 2, 3].map((n) => guest(String(n), false));
    expect(others.map((each) => places.enter(each, holders)?.name)).toEqual(['idle', 'younger', 'busy']);
    // The new one itself, if it alone can go without harm.
    const last = guest('last');
    expect(places.enter(last, holders)).toBe(last);
    expect(places.size).toBe(3);
  });

  test('of those who did something valid are half against all others, whatever their number', () => {
    const places = new FairPlaces<Guest>({ max: 10 });
    const known = Array.from({ length: 8 }, (_, n) => guest(`known ${n}`));
    for (const [n, each] of known.entries()) {
      places.enter(each, holdersOf(`203.0.113.${n}`));
      places.prove(each);
    }
    // Strangers take what is free and what the known ones have beyond their half.
    const gone = Array.from({ length: 100 }, (_, n) => come(places, `198.51.${n}.1`)).flat();
    expect(gone.filter((name) => name!.startsWith('known'))).toHaveLength(3);
    expect(places.size).toBe(10);
    // A known one that comes makes room among strangers as long as they have more than theirs.
    for (const each of known) places.leave(each);
    come(places, '192.0.2.1', 10, false);
    expect(come(places, '203.0.113.1', 5, true).filter((name) => name === '203.0.113.1')).toEqual([]);
    expect(come(places, '203.0.113.1', 5, true)).toEqual(Array(5).fill('203.0.113.1'));
  });

  test('are had as known from a network that did something valid lately', () => {
    const places = new FairPlaces<Guest>({ max: 4 });
    const first = guest('first');
    places.enter(first, holdersOf('192.0.2.1'));
    places.prove(first);
    places.leave(first);
    come(places, '192.0.2.1', 2);
    come(places, '198.51.100.1', 2);
    expect(come(places, '198.51.100.1', 50)).toEqual(Array(50).fill('198.51.100.1'));
  });

  test('are had as known by so many networks, of which the one known longest is forgotten', () => {
    const places = new FairPlaces<Guest>({ max: 4 });
    for (let n = 0; n <= KNOWN_HOLDERS_MAX; n++) {
      const each = guest(String(n));
      places.enter(each, holdersOf(`192.${n >> 8}.${n & 255}.1`));
      places.prove(each);
      places.leave(each);
    }
    come(places, '192.0.0.1', 2);
    come(places, '192.0.1.1', 2);
    expect(come(places, '198.51.100.1', 2)).toEqual(['192.0.0.1', '198.51.100.1']);
  });

  test('that were proven for an account are the account’s, from however many networks', () => {
    const places = new FairPlaces<Guest>({ max: 20 });
    const prove = (address: string, account: string) => {
      const each = guest(account);
      const gone = places.enter(each, holdersOf(address), true);
      places.leave(each);
      places.enter(each, holdersOf(address), false);
      places.prove(each, [account]);
      return gone;
    };
    for (let n = 0; n < 16; n++) prove(`198.51.${n}.1`, 'many');
    for (let n = 0; n < 4; n++) prove(`203.0.${n}.1`, 'few');
    expect(come(places, '192.0.2.1', 4, true)).toEqual(Array(4).fill('many'));
  });

  test('of one outermost holder have a bound of their own', () => {
    const places = new FairPlaces<Guest>({ max: 100, maxOfOne: 5 });
    const open = (account: string, person: string) => places.enter(guest(person), [account, person])?.name;
    for (let n = 0; n < 5; n++) expect(open('a', 'viewer')).toBeUndefined();
    expect(open('a', 'owner')).toBe('viewer');
    expect(open('a', 'owner')).toBe('viewer');
    expect(open('b', 'other')).toBeUndefined();
  });

  test('leave nothing behind', () => {
    const places = new FairPlaces<Guest>({ max: 3 });
    const guests = Array.from({ length: 9 }, (_, n) => guest(String(n)));
    for (const [n, each] of guests.entries()) places.enter(each, holdersOf(`192.0.2.${n % 2}`));
    for (const each of [...guests, ...guests]) places.leave(each);
    places.prove(guests[0]!);
    expect([places.size, places.next()]).toEqual([0, null]);
  });
});

describe('turns', () => {
  test('are of each holder one after the other, known ones first', () => {
    const places = new FairPlaces<Guest>({ max: 100 });
    come(places, '192.0.2.1', 3, false);
    come(places, '192.0.2.2', 1, false);
    come(places, '198.51.100.1', 2, false);
    come(places, '203.0.113.1', 2, true);
    const turns = Array.from({ length: 9 }, () => places.next()?.name);
    expect(turns).toEqual([
      '203.0.113.1',
      '203.0.113.1',
      '192.0.2.1',
      '198.51.100.1',
      '192.0.2.2',
      '198.51.100.1',
      '192.0.2.1',
      '192.0.2.1',
      undefined,
    ]);
  });

  test('can be those of known ones alone', () => {
    const places = new FairPlaces<Guest>({ max: 100 });
    come(places, '192.0.2.1', 1, false);
    expect(places.next('known')).toBeNull();
    come(places, '192.0.2.2', 1, true);
    expect(places.next('known')?.name).toBe('192.0.2.2');
    expect(places.next()?.name).toBe('192.0.2.1');
  });
});

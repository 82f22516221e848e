import { describe, expect, test } from 'vitest';
import { createHeldBytes, type Holding } from '../../src/platform/held-bytes.ts';

/** Bytes in memory, shared by who holds them. */

const make = () => createHeldBytes({ maxBytes: 100, maxBytesOfOne: 40 });

/** Its client is waited for; says whether it lost its bytes. */
function slow(holding: Holding): { lost: boolean } {
  const state = { lost: false };
  holding.yields(() => {
    state.lost = true;
  });
  return state;
}

describe('when all is full', () => {
  test('the largest owner gives up the largest of what is waited for', () => {
    const held = make();
    const [a1, a2, b, c] = ['a', 'a', 'b', 'c'].map((owner) => held.open([owner]));
    const [first, second, third] = [slow(a1!), slow(a2!), slow(b!)];
    expect([a1!.add(10), a2!.add(30), b!.add(35), c!.add(25)]).toEqual([true, true, true, true]);
    expect(held.total).toBe(100);
    expect(held.open(['d']).add(1)).toBe(true);
    expect([first.lost, second.lost, third.lost]).toEqual([false, true, false]);
    expect(held.total).toBe(71);
  });

  test('what is in use is never given up, nor anything for an owner that would hold more', () => {
    const held = make();
    for (const owner of ['a', 'b']) expect(held.open([owner]).add(40)).toBe(true);
    const c = held.open(['c']);
    const state = slow(c);
    expect(c.add(20)).toBe(true);
    expect(held.open(['d']).add(21)).toBe(false);
    expect(held.open(['d']).wouldFit(21)).toBe(false);
    expect(state.lost).toBe(false);
    const d = held.open(['d']);
    expect([d.wouldFit(10), state.lost]).toEqual([true, false]);
    expect([d.add(10), state.lost, held.total]).toEqual([true, true, 90]);
  });

  test('many small ones of one network are the largest, though each is small', () => {
    const held = make();
    const of48 = Array.from({ length: 16 }, (_, n) => held.open([`/64 ${n}`], ['/48']));
    const states = of48.map(slow);
    for (const each of of48) expect(each.add(5)).toBe(true);
    const other = held.open(['other']);
    const own = slow(other);
    expect(other.add(20)).toBe(true);
    expect(held.open(['new']).add(15)).toBe(true);
    expect(states.filter(({ lost }) => lost)).toHaveLength(3);
    expect([states[0]!.lost, own.lost]).toEqual([true, false]);
  });

  test('what is there already stays only if its owner is not the largest', () => {
    const held = make();
    const [a, b] = [held.open(['a']), held.open(['b'])];
    const [ofA, ofB] = [slow(a), slow(b)];
    a.force(60);
    b.force(45);
    expect([ofA.lost, ofB.lost, held.total]).toEqual([true, false, 45]);
    const c = held.open(['c']);
    const ofC = slow(c);
    c.force(90);
    expect([ofB.lost, ofC.lost, held.total]).toEqual([false, true, 45]);
  });

  test('nothing is counted twice when it is released', () => {
    const held = make();
    const a = held.open(['a']);
    slow(a);
    a.force(101);
    expect(held.total).toBe(0);
    a.release();
    expect(held.total).toBe(0);
    expect(held.open(['a']).add(40)).toBe(true);
  });
});

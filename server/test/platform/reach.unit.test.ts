import { expect, test } from 'vitest';
import type { Db, Tx } from '../../src/platform/database/db.ts';
import { createReach } from '../../src/platform/database/reach.ts';
import { FIRST_ID } from '../../src/platform/ids.ts';
import type { Log } from '../../src/platform/logger.ts';

const LOST = () =>
  Object.assign(new Error('connection to the remote node db2.internal:5432 failed with: refused'), {
    code: '08006',
  });

/** A cluster of two nodes, as Citus answers of it. */
function cluster() {
  const state = { lost: false, nowMs: 0, asked: 0, names: true };
  const rows = (text: string) => {
    const up = !state.lost;
    if (text.includes('run_command_on_placements')) {
      state.asked++;
      return [
        { node: 'db1.internal:5432', success: true, result: '["one"]' },
        { node: 'db1.internal:5432', success: true, result: '' },
        { node: 'db2.internal:5432', success: up, result: up ? '["two"]' : 'refused' },
      ];
    }
    return [
      { name: 'db1.internal:5432', reachable: true },
      { name: 'db2.internal:5432', reachable: up },
    ];
  };
  const tx = { distributed: true, query: async (text: string) => rows(text), execute: async () => 0 };
  const db = {
    distributed: async () => true,
    observe: async (work: (tx: Tx) => Promise<unknown>) => work(tx as unknown as Tx),
  } as unknown as Db;
  const said: string[] = [];
  const say = (_: unknown, text?: string) => void said.push(String(text));
  const log = { warn: say, info: say } as unknown as Log;
  const reach = createReach({ db, clock: { monotonicMs: () => state.nowMs }, log });
  const look = () =>
    reach.look(async (among) => {
      if (among === null && state.lost)
        throw state.names ? LOST() : Object.assign(new Error('canceled'), { code: '57014' });
      return among;
    });
  return { state, reach, look, said };
}

test('a look goes by the accounts on living nodes while one is lost, and for a while after', async () => {
  const { state, look, said } = cluster();
  expect(await look()).toBeNull();
  state.lost = true;
  expect(await Promise.all([look(), look(), look()])).toEqual([['one'], ['one'], ['one']]);
  expect([state.asked, said.length]).toEqual([1, 1]);
  state.nowMs = 1_000;
  expect(await look()).toEqual(['one']);
  expect(state.asked).toBe(2);
  state.lost = false;
  state.nowMs = 2_000;
  // Finished work of its accounts is recorded first.
  expect(await look()).toEqual(['one']);
  state.nowMs = 6_999;
  expect(await look()).toEqual(['one']);
  state.nowMs = 8_000;
  expect(await look()).toBeNull();
  expect(said).toHaveLength(2);
});

test('a node that hangs is found by asking, and another failure stays one', async () => {
  const { state, reach, look } = cluster();
  state.lost = true;
  state.names = false;
  expect(await look()).toEqual(['one']);
  const other = cluster();
  await expect(other.reach.look(() => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
  expect(other.state.asked).toBe(0);
  // Nothing found: it may be on the lost node.
  await expect(
    reach.look(async (_, why) => {
      if (why !== null) throw why;
    }),
  ).rejects.toThrow('canceled');
});

test('without a living account the list is not empty: Citus would ask every node', async () => {
  const { readLiving } = await import('../../src/platform/database/living-store.ts');
  const tx = {
    execute: async () => 0,
    query: async () => [{ node: 'a:1', success: true, result: '' }],
  } as unknown as Tx;
  expect(await readLiving(tx)).toEqual({ tenantIds: [FIRST_ID], lost: [] });
});

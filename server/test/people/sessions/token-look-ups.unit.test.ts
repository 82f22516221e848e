import { expect, test } from 'vitest';
import { LOOK_UPS_AT_ONCE } from '../../../src/accounts/api-keys/failed-keys.ts';
import { createTokenLookUps } from '../../../src/people/sessions/token-look-ups.ts';
import { systemClock } from '../../../src/platform/clock.ts';

const turn = () => new Promise(setImmediate);

test('made-up tokens of a network are looked up a few at once, and good ones at once', async () => {
  const lookUps = createTokenLookUps(systemClock);
  const flooding = '2001:db8:1::1';
  const neighbour = '2001:db8:1:1::1';
  const good = async () => 'somebody';
  expect(await lookUps(neighbour, 'good', good)).toBe('somebody');
  for (let count = 0; count <= 100; count++) await lookUps(flooding, `made up ${count}`, async () => null);
  let running = 0;
  let most = 0;
  const look = async () => {
    most = Math.max(most, ++running);
    await turn();
    running--;
    return null;
  };
  const flood = Array.from({ length: 50 }, (_, at) => lookUps(flooding, `more ${at}`, look));
  let isOver = false;
  void Promise.all(flood).then(() => {
    isOver = true;
  });
  expect(await lookUps(neighbour, 'good', good)).toBe('somebody');
  expect(await lookUps(flooding, 'good', good)).toBe('somebody');
  expect(isOver).toBe(false);
  expect(await Promise.all(flood)).toEqual(Array.from({ length: 50 }, () => null));
  expect(most).toBe(LOOK_UPS_AT_ONCE);
});

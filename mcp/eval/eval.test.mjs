// The tasks can be solved, and are not solved by doing nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { live } from '../test/support.mjs';
import { play, scripted } from './play.mjs';
import { TASKS } from './tasks.mjs';

describe('tasks', live, () => {
  it('are numbered from 1 to 20', () => {
    assert.deepEqual(
      TASKS.map(({ id }) => id),
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
  });

  for (const task of TASKS)
    it(`${task.id} ${task.title}`, { timeout: 90_000 }, async () => {
      const { solved, answer } = await play(task, scripted);
      assert.ok(solved, answer);
    });

  for (const task of TASKS.filter(({ id }) => id !== 1))
    it(`${task.id} is not solved by an agent that does nothing`, { timeout: 90_000 }, async () => {
      assert.equal((await play(task, () => 'done')).solved, false);
    });
});

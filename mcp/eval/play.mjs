// Plays one task with one agent against the service of the tests, and scores it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acuse, inProcess } from '../test/support.mjs';

/** Calls after which a run counts as a loop. */
const CALLS_MAX = 400;

/** `agent({prompt, client, call, task, facts})` answers with a text. `{solved, answer, calls}` */
export async function play(task, agent, era = '2026-07-28') {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-eval-'));
  const world = { acuse: acuse(), folder };
  let facts;
  try {
    facts = await task.setup(world);
    const { variables = {}, ...options } = facts.options ?? {};
    const all = { ACUSE_MCP_FILES: folder, ACUSE_MCP_PER_HOUR: '1000', ...variables };
    const { client, call, close } = await inProcess({ era, answer: 'accept', ...options, variables: all });
    const run = { answer: '', calls: [], lost: false };
    const watched = async (name, args = {}) => {
      if (run.calls.push({ name, args }) > CALLS_MAX) throw new Error('the agent loops');
      const result = await call(name, args);
      if (name !== facts.losesAnswerOf || run.lost) return result;
      run.lost = true;
      throw new Error('Request timed out');
    };
    try {
      run.answer = String(await agent({ prompt: task.prompt(facts), client, call: watched, task, facts }));
    } catch (error) {
      run.answer = `failed: ${error.message}`;
    }
    await close();
    return { solved: Boolean(await task.score(world, facts, run).catch(() => false)), ...run };
  } finally {
    await facts?.undo?.();
    await rm(folder, { recursive: true });
  }
}

/** Knows the solution: shows that each task can be solved. */
export const scripted = ({ task, call, facts }) => task.solve({ call, facts });

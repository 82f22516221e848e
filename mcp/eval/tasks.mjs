// Twenty tasks for agents, scored by what happened: state of the service, mailbox, or facts in the answer.
// Each: what the agent is told, what is there before, a scripted solver, and what counts as solved.
import { TASKS_OF_EVIDENCE } from './tasks-evidence.mjs';
import { TASKS_OF_RESTRAINT } from './tasks-restraint.mjs';
import { TASKS_OF_SENDING } from './tasks-sending.mjs';

/**
 * @typedef {object} Task
 * @property {number} id
 * @property {string} title
 * @property {(world: object) => Promise<object>} setup facts, `options` of the connection, and `undo`
 * @property {(facts: object) => string} prompt what the agent is told
 * @property {(agent: {call: Function, facts: object}) => Promise<string>} solve the scripted solver
 * @property {(world: object, facts: object, run: object) => Promise<boolean>} score of answer, calls and lost
 */

/** @type {Task[]} */
export const TASKS = [...TASKS_OF_SENDING, ...TASKS_OF_EVIDENCE, ...TASKS_OF_RESTRAINT].sort(
  (a, b) => a.id - b.id,
);

#!/usr/bin/env node
// node eval/run.mjs [module]: plays all tasks with an agent of yours, whose module exports as default
// `async ({prompt, client, call}) => answer`; without one with the scripted solvers. The service is that of
// ACUSE_BASE_URL and ACUSE_API_KEY, a sandbox. Prints a line of JSON per task; fails unless all are solved.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { play, scripted } from './play.mjs';
import { TASKS } from './tasks.mjs';

const [path] = process.argv.slice(2);
const given = path === undefined ? undefined : (await import(pathToFileURL(resolve(path)).href)).default;
let unsolved = 0;
for (const task of TASKS) {
  const agent = given && (({ prompt, client, call }) => given({ prompt, client, call }));
  const { solved, answer, calls } = await play(task, agent ?? scripted);
  if (!solved) unsolved++;
  const { id, title } = task;
  console.log(JSON.stringify({ id, title, solved, calls: calls.length, answer: answer.slice(0, 200) }));
}
process.exitCode = unsolved === 0 ? 0 : 1;

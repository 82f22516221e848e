#!/usr/bin/env node
// Plays all tasks against the service of ACUSE_URL and ACUSE_API_KEY, a sandbox, with the scripted
// solvers. For an agent of yours write a program of two lines: import `playAll` and call it with
// `async ({prompt, client, call}) => answer`. A line of JSON per task; fails unless all are solved.
import { pathToFileURL } from 'node:url';
import { play, scripted } from './play.mjs';
import { TASKS } from './tasks.mjs';

export async function playAll(agent) {
  const given = agent && (({ prompt, client, call }) => agent({ prompt, client, call }));
  let unsolved = 0;
  for (const task of TASKS) {
    const { solved, answer, calls } = await play(task, given ?? scripted);
    if (!solved) unsolved++;
    const { id, title } = task;
    console.log(JSON.stringify({ id, title, solved, calls: calls.length, answer: answer.slice(0, 200) }));
  }
  process.exitCode = unsolved === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await playAll();

// Layouts that `bench -- roles` compares: their processes, and how they are started on some cores.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { startNode, stop } from './processes.mjs';
import { PROGRAM, READY, START_FLAGS } from './send-service.mjs';

/** As docs/operating.md says to start the service. */

/** Each process by its roles. `one` is what the others are compared with. */
export const LAYOUTS = {
  one: ['api,delivery,sealing,webhooks'],
  apart: ['api', 'delivery', 'sealing', 'webhooks'],
  'two-api': ['api', 'api', 'delivery', 'sealing', 'webhooks'],
  'two-delivery': ['api', 'delivery', 'delivery', 'sealing', 'webhooks'],
  'two-webhooks': ['api', 'delivery', 'sealing', 'webhooks', 'webhooks'],
  'two-each': ['api', 'api', 'delivery', 'delivery', 'sealing', 'webhooks', 'webhooks'],
};

const CORES = cpus().length;

/** So many are left to the load and the servers that take the mail, which are not measured. */
export const LEFT_CORES = 1;

/** Can the service and PostgreSQL have so many cores, and those who load them another? */
export const hasCores = (cores) => cores + LEFT_CORES <= CORES;

/**
 * Children started meanwhile run on the first so many cores; those started afterwards, and this process, on
 * what is left. Where there are not enough cores, all run everywhere.
 */
export async function onCores(cores, start) {
  if (!hasCores(cores)) return start();
  pin(`0-${cores - 1}`);
  try {
    return await start();
  } finally {
    pin(`${cores}-${CORES - 1}`);
  }
}

function pin(list) {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(process.pid)], {
    stdio: 'ignore',
  });
}

/** The processes of a layout, in its order; all of them are ready. */
export async function startLayout(layout, env) {
  const started = [];
  try {
    for (const roles of LAYOUTS[layout]) started.push(await startRoles(roles, env));
  } catch (error) {
    for (const each of started) await each.stop();
    throw error;
  }
  return started;
}

export async function startRoles(roles, env) {
  const { child, match } = await startNode([...START_FLAGS, PROGRAM, 'serve', '--roles', roles], {
    env,
    ready: READY,
  });
  return { roles, pid: child.pid, url: match[1], stop: () => stop(child) };
}

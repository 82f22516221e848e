// What needs the service's own machine: a quota that is spent.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Of test/run.mjs, of the service that it started: its folder and its command. */
const { ACUSE_TEST_DATA_DIR: dataDir, ACUSE_TEST_COMMAND: command } = process.env;

/** Whether this service is at hand; elsewhere the tasks that need it play against one in memory. */
export const atHand = dataDir !== undefined && command !== undefined;

/** Changes an account from the command line; gives what it printed. */
export async function changeAccount(id, ...options) {
  const env = { ...process.env, ACUSE_DATA_DIR: dataDir };
  const { stdout } = await run(process.execPath, [command, 'tenants', 'update', id, ...options], { env });
  return stdout;
}

import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { commandsFor } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/**
 * Runs the commands of shells in this process: a program of its own for each costs most of its time to load.
 * Not for what a command must be a process for: a signal, its standard input, a program that it hands
 * its own streams to.
 */

/** Elsewhere the kernel does not say what a process was given. */
export const canRunHere = process.platform === 'linux';

let serving: Promise<number> | null = null;
const home = process.cwd();
let running = 0;

/**
 * A shell script that stands for `acuse`: it says by its number who it is, and prints what it is told.
 * `asProcess`: runs the command as a process, where it must be one.
 */
export async function commandRunHere(asProcess: string): Promise<string> {
  serving ??= listen();
  return `#!/bin/bash
[ /dev/stdin -ef /dev/null ] && [ "$1" != api ] || exec ${asProcess} "$@"
exec 3<>/dev/tcp/127.0.0.1/${await serving}
echo $$ >&3
read -r code out err <&3
cat "$out"
cat "$err" >&2
exit "$code"
`;
}

async function listen(): Promise<number> {
  const folder = tempFolder();
  const server = createServer((socket) => {
    socket.on('error', () => {}).unref();
    socket.setEncoding('utf8').once('data', async (pid: string) => {
      const said = ['out', 'err'].map((name) => join(folder, `${pid.trim()}.${name}`)) as [string, string];
      socket.end(`${[await run(pid.trim(), said), ...said].join(' ')}\n`);
    });
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Resolves with the exit code. */
async function run(pid: string, said: readonly [string, string]): Promise<number> {
  const env = Object.fromEntries(listOf(`/proc/${pid}/environ`).map((each) => each.split(/=(.*)/s, 2)));
  // Paths that a command is given begin at the shell's folder.
  process.chdir(readlinkSync(`/proc/${pid}/cwd`));
  const [, , ...argv] = listOf(`/proc/${pid}/cmdline`);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  running += 1;
  const code = await commandsFor(argv)
    .then((commands) => runCommandLine(argv, commands, { stdout, stderr, env, version: '1.2.3' }))
    .catch((error: Error) => {
      stderr.write(`${error.stack}\n`);
      return -1;
    });
  running -= 1;
  if (running === 0) process.chdir(home);
  for (const [at, stream] of [stdout, stderr].entries()) writeFileSync(said[at]!, stream.read() ?? '');
  return code;
}

const listOf = (path: string) => readFileSync(path, 'utf8').split('\0').slice(0, -1);

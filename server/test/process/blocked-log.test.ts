import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { createProcesses } from '../support/process.ts';

/** A log whose reader sleeps: a pipe that is full before the service writes its first line. */

const processes = createProcesses();
afterAll(processes.end);

/** Its ends: one to keep, which nobody reads, and one to write to, which blocks as a shell's does. */
function fullPipe(): { kept: number; end: number } {
  const path = join(processes.folder(), 'log');
  execFileSync('mkfifo', [path]);
  const kept = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const byte = Buffer.from('x');
  try {
    for (;;) writeSync(kept, byte);
  } catch {
    // EAGAIN: not a byte finds room.
  }
  return { kept, end: openSync(path, constants.O_WRONLY) };
}

/** `shell`: what starts it, as "$@"; absent: itself. */
async function start(end: number | 'ignore', shell?: string): Promise<ChildProcess> {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const serve = [process.execPath, program.path, 'serve', '--ports', 'auto'];
  const [name, ...args] = shell === undefined ? serve : ['sh', '-c', shell, 'sh', ...serve];
  return spawn(name!, args, {
    env: {
      ...process.env,
      ACUSE_DATA_DIR: processes.folder(),
      DATABASE_URL: await processes.database(),
      ACUSE_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'pipe', end],
  });
}

test('a service whose log nobody reads starts, answers, and ends at its first SIGTERM', async () => {
  const { kept, end } = fullPipe();
  const child = await start(end);
  closeSync(end);
  try {
    await answersAndEnds(child);
  } finally {
    child.kill('SIGKILL');
    closeSync(kept);
  }
});

test('so does one whose log is a file that takes no more, as on a full disk', async () => {
  const log = join(processes.folder(), 'log');
  // 8 or 16 kB, by the shell: less than what it logs here.
  const child = await start('ignore', `trap '' XFSZ; ulimit -f 16; exec "$@" 2> '${log}'`);
  try {
    await answersAndEnds(child, async (url) => {
      for (let n = 0; n < 200; n++) await fetch(`${url}/v1/${n}`).then((answer) => answer.text());
      expect(statSync(log).size).toBeLessThanOrEqual(16 * 1024);
    });
  } finally {
    child.kill('SIGKILL');
  }
});

async function answersAndEnds(child: ChildProcess, work: (url: string) => Promise<void> = async () => {}) {
  let said = '';
  const ended = once(child, 'exit');
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = await new Promise<string>((resolve, reject) => {
    ended.then(() => reject(new Error(`it ended:\n${said}`)));
    child.stdout!.on('data', () => {
      const found = /(http:\/\/127\.0\.0\.1:\d+)[\s\S]*Stop with Ctrl-C/.exec(said);
      if (found !== null) resolve(found[1]!);
    });
  });
  await work(url);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

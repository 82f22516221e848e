// Debian's smtp-sink (of the postfix package): takes every message and throws it away; counts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const READY_WITHIN_MS = 5_000;
/** Connections that wait to be taken, and those that are open at once. */
const CONNECTIONS = '1024';
/** Often enough for a hundredth of a second, seldom enough to cost those who are measured nothing. */
const LOOK_EVERY_MS = 5;
/** More than the longest `sess=… quit=… mesg=…`. */
const TAIL_BYTES = 128;

/**
 * Starts a sink on the port; what it counts it writes into a file of `folder`. `begin()` starts counting
 * anew; `until(count)` resolves with the times (performance.now) at which the first and the last of so many
 * messages had been taken.
 */
export async function startSink(port, folder) {
  const file = openSync(join(folder, 'sink.txt'), 'a+');
  // As root it refuses to be root; and it ends when this process does.
  const user = process.getuid() === 0 ? ['--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups'] : [];
  const args = ['-c', '-m', CONNECTIONS, `127.0.0.1:${port}`, CONNECTIONS];
  const child = spawn('setpriv', [...user, '--pdeathsig', 'KILL', '--', 'smtp-sink', ...args], {
    stdio: ['ignore', file, 'inherit'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  for (const until = Date.now() + READY_WITHIN_MS; !(await answers(port)); )
    if (Date.now() > until) throw new Error('smtp-sink does not answer');
  let base = 0;

  /** `sess=1 quit=0 mesg=17`, over and over on one line. */
  function counted() {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(TAIL_BYTES, size));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return Number([...tail.toString('latin1').matchAll(/mesg=(\d+)\r/g)].at(-1)?.[1] ?? 0);
  }

  return {
    pid: child.pid,
    begin() {
      base = counted();
    },
    async until(count, withinMs) {
      const giveUpMs = performance.now() + withinMs;
      for (let firstMs = 0; ; ) {
        const nowMs = performance.now();
        const taken = counted() - base;
        if (firstMs === 0 && taken > 0) firstMs = nowMs;
        if (taken >= count) return { firstMs, lastMs: nowMs };
        if (nowMs > giveUpMs) throw new Error(`the sink has taken ${taken} of ${count} messages`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      closeSync(file);
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => setTimeout(() => resolve(false), 20));
  });
}

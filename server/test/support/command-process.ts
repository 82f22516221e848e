import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import '@acuse/testkit/database';
import { inject } from 'vitest';

/** A command of the program as a process of its own: what a signal does to it, it does to the product. */
export interface CommandProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the match once standard output has it; fails when the process ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  as: { readonly uid?: number; readonly gid?: number } = {},
): CommandProcess {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(`the server does not build:\n${program.error}`);
  const child = spawn(process.execPath, [program.path, ...args], {
    ...as,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    ended,
    async said(pattern) {
      const deadline = Date.now() + PATIENCE_MS;
      let over = false;
      ended.then(() => (over = true));
      for (;;) {
        const found = pattern.exec(out);
        if (found !== null) return found;
        if (over || Date.now() > deadline) throw new Error(`it did not say ${pattern}:\n${out}\n${err}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Changes to be undone: undone when this process ends, however it ends. */
interface Undoing {
  readonly stopped: readonly number[];
  readonly started: readonly number[];
  readonly files: readonly string[];
}

export interface Guard {
  /** Before it is done. */
  note(change: Partial<Undoing>): void;
  end(): Promise<void>;
}

/**
 * A process in a group of its own, whose input ends with this process: kill -9 and a closed terminal leave
 * nothing frozen or full.
 */
const PROGRAM = `
let told = '';
process.stdin.setEncoding('utf8').on('data', (part) => { told += part; }).on('end', () => {
  const { stopped, started, files } = JSON.parse(told.trimEnd().split('\\n').at(-1));
  const tell = (pids, signal) => { for (const pid of pids) try { process.kill(pid, signal); } catch {} };
  tell(stopped, 'SIGCONT');
  tell(started, 'SIGCONT');
  tell(started, 'SIGTERM');
  for (const file of files) require('node:fs').rmSync(file, { force: true });
});`;

export function startGuard(): Guard {
  let noted: Undoing = { stopped: [], started: [], files: [] };
  const child = spawn(process.execPath, ['-e', PROGRAM], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  const tell = () => child.stdin.write(`${JSON.stringify(noted)}\n`);
  child.stdin.on('error', () => {});
  tell();
  return {
    note(change) {
      noted = { ...noted, ...change };
      tell();
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

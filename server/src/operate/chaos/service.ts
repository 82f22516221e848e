import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Guard } from './guard.ts';

/** The service of the set-up, as a process that is killed, frozen and started again. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  isUp(): boolean;
  /** Until it runs: its database may be away. Resolves false when `stop` aborts. */
  start(stop: AbortSignal): Promise<boolean>;
  signal(signal: NodeJS.Signals): void;
  /** False: its log is written to a pipe that nobody reads. */
  readLog(read: boolean): void;
  /** Seconds that its clock is wrong. Null: it cannot be set. */
  readonly setClock: ((seconds: number) => void) | null;
  stop(): Promise<void>;
  lastLog(): readonly string[];
}

interface ServiceOptions {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly guard: Guard;
  /** Where the clock of the process is written. */
  readonly clockFile: string;
}

const READY = /API +(http\S+)\/v1$/;
const READY_WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 500;
const STOP_WITHIN_MS = 20_000;
const LINES_KEPT = 20;
/** Debian's package faketime: a clock for one process. */
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

function fakedClock(clockFile: string) {
  writeFileSync(clockFile, '+0s');
  return {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_CACHE_DURATION: '1',
  };
}

export function createService({ program, env, guard, clockFile }: ServiceOptions): Service {
  const fakes = existsSync(FAKETIME);
  const faked = fakes ? fakedClock(clockFile) : {};
  let child: ChildProcess | null = null;
  let url = '';
  const lines: string[] = [];

  const isUp = () => child !== null && child.exitCode === null && child.signalCode === null;

  async function startOnce(): Promise<boolean> {
    // The port of the first start stays, so that clients find it again.
    const port = url === '' ? {} : { ACUSE_PORT: new URL(url).port };
    const made = spawn(process.execPath, [program, 'serve'], {
      env: { ...env, ...faked, ...port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = made;
    guard.note({ started: [made.pid!] });
    createInterface(made.stderr!).on('line', (line) => {
      lines.push(line);
      if (lines.length > LINES_KEPT) lines.shift();
    });
    const found = await new Promise<string | null>((resolve) => {
      createInterface(made.stdout!).on('line', (line) => {
        const match = READY.exec(line);
        if (match !== null) resolve(match[1]!);
      });
      made.once('exit', () => resolve(null));
      setTimeout(() => resolve(null), READY_WITHIN_MS).unref();
    });
    if (found === null) made.kill('SIGKILL');
    else url = found;
    return found !== null;
  }

  return {
    get url() {
      return url;
    },
    get pid() {
      return child?.pid ?? 0;
    },
    isUp,
    async start(stop) {
      while (!isUp()) {
        if (stop.aborted) return false;
        if (await startOnce()) return true;
        // Its settings may be wrong: the first start says so.
        if (url === '') return false;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
      }
      return true;
    },
    signal(signal) {
      if (isUp()) child!.kill(signal);
    },
    readLog(read) {
      if (read) child?.stderr?.resume();
      else child?.stderr?.pause();
    },
    setClock: fakes ? (seconds) => writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}s`) : null,
    async stop() {
      if (!isUp()) return;
      const ended = once(child!, 'exit');
      child!.stderr?.resume();
      child!.kill('SIGCONT');
      child!.kill('SIGTERM');
      const limit = setTimeout(() => child!.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(limit);
    },
    lastLog: () => lines,
  };
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { PATIENCE_MS } from './eventually.ts';
import './vitest-global-setup.ts';

/**
 * A real server process of the bundle that the run built: what a signal or a kill -9 does to it, it does to
 * the product.
 */
export interface ServerProcess {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** The content of sandbox.json: api_key, tenant_id, smtp_port, …; null outside the sandbox. */
  readonly sandbox: Readonly<Record<string, string | number>> | null;
  readonly process: ChildProcess;
  /** Standard error so far: the log, one JSON document a line. */
  log(): string;
  /**
   * Sends a signal and resolves with the exit code (null when a signal ended it). SIGTERM is the orderly
   * stop.
   */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ServerProcessOptions {
  /** Null: an embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
  /** Servers on one database share a folder, and so its master key. */
  dataDir: string;
  /** Beside ports that are free and what is given above. */
  env?: Readonly<Record<string, string>>;
  /** Another version than the one that the run built. */
  program?: string;
}

/** A process without the role api says where its portal is, or only its health. */
const READY_LINE = /^ *(?:API|Portal|Health) +(http\S+)\/(?:v1|portal|readyz)$/m;

/** Starts `acuse serve` and waits until it is ready. It ends with the test process, however that ends. */
export async function startServer(options: ServerProcessOptions): Promise<ServerProcess> {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(`the server does not build:\n${program.error}`);
  const [command, ...args] = [...boundToUs(), process.execPath, options.program ?? program.path, 'serve'];
  const child = spawn(command!, args, { env: environment(options), stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const baseUrl = await untilReady(child, () => log);
  return {
    baseUrl,
    sandbox: readSandbox(options.dataDir),
    process: child,
    log: () => log,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      return child.exitCode;
    },
  };
}

async function untilReady(child: ChildProcess, log: () => string): Promise<string> {
  let said = '';
  const ready = new Promise<string>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = READY_LINE.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the server ended before it was ready (${signal ?? `exit code ${code}`}):\n${log()}`);
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the server was not ready within ${PATIENCE_MS} ms:\n${log()}`)),
      PATIENCE_MS,
    );
  });
  ended.catch(() => {});
  try {
    return await Promise.race([ready, ended, late]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Only what a server needs of our own environment, so that the machine's ACUSE_* variables change no test.
 */
function environment({ databaseUrl, dataDir, env }: ServerProcessOptions): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/',
    ACUSE_DATA_DIR: dataDir,
    ACUSE_PORT: '0',
    ACUSE_SANDBOX_SMTP_PORT: '0',
    ACUSE_ADMIN_PORT: '0',
    ACUSE_RETURN_PATH_PORT: '0',
    ACUSE_SUBMISSION_PORT: '0',
    ACUSE_SUBMISSIONS_PORT: '0',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  };
}

function readSandbox(dataDir: string): Record<string, string | number> | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'));
  } catch {
    return null;
  }
}

let bound: string[] | null = null;

/** Linux: the kernel kills the server when the process that started it is gone. */
function boundToUs(): string[] {
  const command = ['setpriv', '--pdeathsig', 'KILL', '--'];
  bound ??= spawnSync(command[0]!, [...command.slice(1), 'true']).status === 0 ? command : [];
  return bound;
}

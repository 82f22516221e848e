import { execFile, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { listOf, masterKey } from './config-values.ts';

/**
 * Takes the master key from outside the file system: a PKCS#11 token, or a key management service. The
 * operator's program unwraps it and prints it; docs/guides/master-key.md has examples.
 */

const VARIABLE = 'ACUSE_MASTER_KEY_COMMAND';
/** A stop during it still ends in time. */
const LIMIT_MS = 10_000;
/** More than any list of keys, or than what is read of a complaint. */
const OUTPUT_MAX_BYTES = 16 * 1024;
const SAID_MAX_CHARS = 300;
const HOW = {
  killSignal: 'SIGKILL',
  maxBuffer: OUTPUT_MAX_BYTES,
  encoding: 'utf8',
} as const;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: a signal, or it could not be started. */
  readonly code: number | null;
  readonly error: NodeJS.ErrnoException | null;
}

/** For a starting service, which must hear signals meanwhile. Throws with the fix. */
export async function askKeyCommand(path: string, limitMs = LIMIT_MS): Promise<readonly Buffer[]> {
  assertOurs(path);
  const ended = await new Promise<Ended>((resolve) => {
    const child = execFile(path, [], { ...HOW, timeout: limitMs }, (error, stdout, stderr) => {
      const failure = error as (NodeJS.ErrnoException & { killed?: boolean }) | null;
      const isLate = failure?.killed === true && child.signalCode === HOW.killSignal;
      resolve({
        stdout,
        stderr,
        code: codeOf(failure),
        error: isLate ? Object.assign(failure, { code: 'ETIMEDOUT' }) : failure,
      });
    });
    child.stdin?.end();
  });
  return keysOf(path, ended);
}

function codeOf(failure: { readonly code?: unknown } | null): number | null {
  if (failure === null) return 0;
  return typeof failure.code === 'number' ? failure.code : null;
}

/** For a command, which has nothing else to do. Throws with the fix. */
export function askKeyCommandAtOnce(path: string, limitMs = LIMIT_MS): readonly Buffer[] {
  assertOurs(path);
  const { stdout, stderr, status, error } = spawnSync(path, [], {
    ...HOW,
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return keysOf(path, { stdout: stdout ?? '', stderr: stderr ?? '', code: status, error: error ?? null });
}

/** Whoever can change it has the key. */
function assertOurs(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined)
    throw new Error(`${VARIABLE}: there is no ${path}: name a program that prints the key`);
  if ((mode & 0o022) !== 0)
    throw new Error(`${VARIABLE}: ${path} can be changed by others: run chmod go-w on it`);
}

function keysOf(path: string, { stdout, stderr, code, error }: Ended): readonly Buffer[] {
  if (error?.code === 'ETIMEDOUT') throw failed(path, 'took too long', stderr);
  if (code !== 0)
    throw failed(
      path,
      code === null ? `could not be run (${error?.code ?? 'a signal'})` : `ended with ${code}`,
      stderr,
    );
  // Its output is a secret, and never shown.
  const keys = listOf(masterKey).parse(stdout.trim().replace(/\s+/g, ','));
  if (keys === undefined) throw failed(path, `printed something else than ${masterKey.expected}`, stderr);
  return keys;
}

function failed(path: string, what: string, stderr: string): Error {
  const said = stderr
    .trim()
    .replace(/[\r\n]+/g, '; ')
    .slice(-SAID_MAX_CHARS);
  const why = said === '' ? '' : `, and said ${JSON.stringify(said)}`;
  return new Error(`${VARIABLE}: ${path} ${what}${why}: run it as the service's user to see why`);
}

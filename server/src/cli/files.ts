import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { CommandError, EXIT } from './command.ts';

export function readInput(path: string, maxBytes: number): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size > maxBytes) throw new Error(`it exceeds ${maxBytes} bytes`);
    return readFileSync(path);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(EXIT.usage, 'unreadable_file', `${path} cannot be read: ${problem}`, { cause });
  }
}

export function writeOutput(path: string, bytes: Uint8Array, mode = 0o666): void {
  try {
    writeFileSync(path, bytes, { flag: 'wx', mode });
  } catch (cause) {
    const exists = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw unwritable(path, exists ? EXISTS : (cause as Error).message, cause);
  }
}

/** Called before work whose result would have nowhere to go. */
export function refuseExisting(path: string): void {
  if (existsSync(path)) throw unwritable(path, EXISTS);
}

const EXISTS = 'it already exists';
const unwritable = (path: string, problem: string, cause?: unknown) =>
  new CommandError(EXIT.usage, 'unwritable_file', `${path} cannot be written: ${problem}`, { cause });

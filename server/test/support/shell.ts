import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { inject } from 'vitest';
import { canRunHere, commandRunHere } from './commands-here.ts';

/**
 * A reader's shell: a folder of its own, `acuse` and `./acuse` at hand. What is started is a process of the
 * program; what is run, runs here unless it is to be a process too.
 */
export interface Shell {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Stops at the first command that fails; so does curl at an answer that is a refusal. Resolves with what
   * was printed, rejects with the exit code as `code`.
   */
  run(script: string, more?: Readonly<Record<string, string>>): Promise<string>;
  /** Starts what runs until it is stopped; resolves once it has printed this. */
  start(script: string, prints: RegExp, more?: Readonly<Record<string, string>>): Promise<Started>;
}

export interface Started {
  /** The match. */
  readonly said: RegExpExecArray;
  /** As Ctrl-C does, to the last process; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export function openShell(
  environment: Readonly<Record<string, string>>,
  { folder = tempFolder(), processes = !canRunHere }: { folder?: string; processes?: boolean } = {},
): Shell {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const asProcess = `${process.execPath} ${program.path}`;
  const started = binWith(`#!/bin/sh\nexec ${asProcess} "$@"\n`);
  const bin = join(folder, 'node_modules/.bin');
  const ready = processes
    ? Promise.resolve(cpSync(started, bin, { recursive: true }))
    : commandRunHere(asProcess).then((script) => void binWith(script, bin));
  // As in a checkout.
  binWith(`#!/bin/sh\nexec ${join(bin, 'acuse')} "$@"\n`, folder);
  const own = { HOME: folder, ...environment };
  const envOf = (first: string, more: Readonly<Record<string, string>>) => ({
    PATH: `${first}:${process.env['PATH']}`,
    ...own,
    ...more,
  });
  return {
    folder,
    environment: envOf(started, {}),
    async start(script, prints, more = {}) {
      await ready;
      const child = spawn('bash', ['-c', script], {
        cwd: folder,
        env: envOf(started, more),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(child, 'close').then(([code]) => code as number | null);
      const stop = () => {
        if (child.exitCode === null) process.kill(-child.pid!, 'SIGINT');
        return ended;
      };
      let printed = '';
      const said = await new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (text: Buffer) => {
          printed += text;
          const found = prints.exec(printed);
          if (found === null) return;
          clearTimeout(late);
          resolve(found);
        };
        const late = setTimeout(stop, PATIENCE_MS);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        ended.then(() => {
          clearTimeout(late);
          reject(new Error(`${script} did not print ${prints}:\n${printed}`));
        });
      });
      return { said, stop };
    },
    async run(script, more = {}) {
      await ready;
      const strict = `set -aeuo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n${script}`;
      const child = spawn('bash', ['-c', strict], {
        cwd: folder,
        env: envOf(bin, more),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      if (code === 0) return stdout;
      throw Object.assign(new Error(`${script} ended with ${code}:\n${stderr}`), { code, stdout, stderr });
    },
  };
}

/** A folder that has `acuse`. */
function binWith(script: string, folder = tempFolder()): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'acuse');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  return folder;
}

/** A master key for everything that a shell and its server share. */
export const masterKey = (): string => randomBytes(32).toString('base64');

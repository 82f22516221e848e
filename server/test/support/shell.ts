import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { inject } from 'vitest';

/** A reader's shell: a folder of its own, `acuse` and `npx acuse` at hand. */
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
  /** What matched. */
  readonly said: RegExpExecArray;
  /** As Ctrl-C does, to the last process; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** A start on a busy machine. */
const PRINTS_WITHIN_MS = 60_000;

export function openShell(environment: Readonly<Record<string, string>>, folder = tempFolder()): Shell {
  const program = inject('serverProgram');
  if ('error' in program) throw new Error(program.error);
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'acuse'), `#!/bin/sh\nexec ${process.execPath} ${program.path} "$@"\n`);
  chmodSync(join(bin, 'acuse'), 0o755);
  const own = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, ...environment };
  return {
    folder,
    environment: own,
    async start(script, prints, more = {}) {
      const child = spawn('bash', ['-c', script], {
        cwd: folder,
        env: { ...own, ...more },
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
        const late = setTimeout(stop, PRINTS_WITHIN_MS);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        ended.then(() => {
          clearTimeout(late);
          reject(new Error(`${script} did not print ${prints}:\n${printed}`));
        });
      });
      return { said, stop };
    },
    async run(script, more = {}) {
      const strict = `set -aeuo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n${script}`;
      const { stdout } = await promisify(execFile)('bash', ['-c', strict], {
        cwd: folder,
        env: { ...own, ...more },
      });
      return stdout;
    },
  };
}

/** A master key for everything that a shell and its server share. */
export const masterKey = (): string => randomBytes(32).toString('base64');

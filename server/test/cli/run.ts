import { PassThrough } from 'node:stream';
import { commandsFor } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** Output and end of a command. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  readonly json: any;
}

/** Runs a command line in this process. */
export async function acuse(args: readonly string[], env: Record<string, string> = {}): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(args, await commandsFor(args), { stdout, stderr, env, version: '1.2.3' });
  const [out, err] = [stdout, stderr].map((stream) => String(stream.read() ?? '')) as [string, string];
  return {
    code,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}

import { readFileSync } from 'node:fs';
import { EXIT } from './cli/command.ts';
import { commandsFor } from './cli/commands.ts';
import { runCommandLine } from './cli/run.ts';
import { environment } from './config/config.ts';

/** Next to both src and dist. */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The program `acuse`. It ends once nothing is left to do, so that all its output is written. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader went away (acuse … | head): nobody is left to answer.
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});

const argv = process.argv.slice(2);
process.exitCode = await runCommandLine(argv, await commandsFor(argv), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: environment,
  version,
});

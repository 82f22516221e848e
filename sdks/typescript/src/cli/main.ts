#!/usr/bin/env node
/** The command `acuse-api`: any operation from the shell. The service's `acuse api` starts it too. */
import { run } from './run.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader went away (acuse-api … | head): nobody is left to answer.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  program: process.env['ACUSE_API_PROGRAM'] ?? 'acuse-api',
  input: process.stdin,
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
});

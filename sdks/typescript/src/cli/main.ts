#!/usr/bin/env node
/** The command `acuse-api`: any operation of the API from the shell. */
import { run } from './run.ts';

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
});

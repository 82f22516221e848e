import type { Writable } from 'node:stream';
import { ConfigError, type Environment } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { DataFolderError } from '../platform/database/data-folder.ts';
import { DataFolderInUse } from '../platform/database/data-lock.ts';
import { CommitInDoubt } from '../platform/database/durability.ts';
import { DatabaseAway, isUnavailable } from '../platform/database/failures.ts';
import { MigrationError } from '../platform/database/roles.ts';
import { type Command, CommandError, EXIT, type ExitCode } from './command.ts';
import { commandHelp, listHelp } from './help.ts';
import { createOutput, type Lines, writeJson, writeLines } from './output.ts';
import { parseCommandLine } from './parse.ts';

interface Terminal {
  stdout: Writable;
  stderr: Writable;
  env: Environment;
  version: string;
}

/** Never throws: errors are printed, as JSON with --json. */
export async function runCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { stdout, stderr, env } = terminal;
  try {
    const parsed = parseCommandLine(argv, commands);
    if (parsed.kind === 'version') {
      writeLines(stdout, terminal.version);
      return EXIT.ok;
    }
    if (parsed.kind === 'help') {
      writeLines(
        stdout,
        parsed.command === null ? listHelp(commands, parsed.group) : commandHelp(parsed.command),
      );
      return EXIT.ok;
    }
    const { command, options, args, json } = parsed;
    const out = createOutput(json, stdout, stderr);
    const code = await command.run({ options: options as never, args, out, env });
    return typeof code === 'number' ? code : EXIT.ok;
  } catch (error) {
    const { exitCode, code, message } = explain(error);
    if (argv.includes('--json')) writeJson(stdout, { error: { code, message } });
    else writeLines(stderr, linesOf(error, `acuse: ${message}`));
    return exitCode;
  }
}

/** Only our own multi-line errors. */
function linesOf(error: unknown, text: string): Lines {
  return error instanceof ConfigError || error instanceof MigrationError ? text.split('\n') : text;
}

function explain(error: unknown): { exitCode: ExitCode; code: string; message: string } {
  if (error instanceof CommandError) return error;
  if (error instanceof ConfigError)
    return { exitCode: EXIT.usage, code: 'invalid_configuration', message: error.message };
  if (error instanceof ApiError)
    return {
      exitCode: error.code === 'unavailable' ? EXIT.unavailable : EXIT.failed,
      code: error.code,
      message: error.command,
    };
  if (error instanceof MigrationError)
    return { exitCode: EXIT.failed, code: 'migration_refused', message: error.message };
  if (error instanceof DataFolderError)
    return {
      exitCode: error.reason === 'full' ? EXIT.unavailable : EXIT.usage,
      code: `data_folder_${error.reason}`,
      message: error.message,
    };
  if (error instanceof DataFolderInUse)
    return { exitCode: EXIT.unavailable, code: 'data_folder_in_use', message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof CommitInDoubt)
    return {
      exitCode: EXIT.unavailable,
      code: 'outcome_unknown',
      message: `the standby has not confirmed this, and a failover could undo it: ${message}; check the result before you repeat it`,
    };
  if (error instanceof DatabaseAway)
    return { exitCode: EXIT.unavailable, code: 'database_unavailable', message };
  if (isUnavailable(error))
    return {
      exitCode: EXIT.unavailable,
      code: 'database_unavailable',
      message: `the database cannot be reached: ${message}`,
    };
  return { exitCode: EXIT.failed, code: 'failed', message };
}

import type { Environment } from '../config/config.ts';
import type { Output } from './output.ts';

/** What a script learns from the exit code of any command. */
export const EXIT = {
  /** Done; for `verify` and `fsck`: everything holds. */
  ok: 0,
  /** Refused, failed, or found invalid. */
  failed: 1,
  /** The command line or the environment is wrong; nothing was tried. */
  usage: 2,
  /** The database or the service is not there now: the same command may succeed later. */
  unavailable: 3,
  /**
   * `verify --eml`: the bundle holds, and the copy is not what was sent. `log anchor`, `restore check`,
   * `restore release`: the database holds, and is older than what was published. `log mirror`: it lacks
   * leaves.
   */
  differs: 4,
  /** `verify`: nothing contradicts the file, and nobody trusted vouches for it, or it is incomplete. */
  unproven: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a message and an exit code. `code`: snake_case, for machines. */
export class CommandError extends Error {
  readonly code: string;
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode, code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.code = code;
  }
}

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly doc: string;
  /** Represents the value in the help: `<id>`. */
  readonly value?: string;
  /** One letter in place of the name: `-o`. */
  readonly short?: string;
  readonly multiple?: true;
  readonly required?: true;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly doc: string;
  readonly optional?: true;
  /** The last one: may be given several times. */
  readonly several?: true;
}

type OptionValue<Spec extends OptionSpec> = Spec extends { type: 'boolean' }
  ? boolean
  : Spec extends { multiple: true }
    ? string[]
    : Spec extends { required: true }
      ? string
      : string | undefined;

export interface CommandInput<Options extends Record<string, OptionSpec>> {
  options: { [Name in keyof Options]: OptionValue<Options[Name]> };
  /**
   * One for each argument of the command, in order; absent optional ones are missing at the end, and there
   * may be more of the last one if it says so.
   */
  args: string[];
  out: Output;
  env: Environment;
}

interface Definition<Options extends Record<string, OptionSpec>> {
  /** As typed: `tenants create`. */
  name: string;
  summary: string;
  /** More than the summary says, where there is more. */
  details?: string;
  args?: readonly ArgumentSpec[];
  options?: Options;
  /** Its arguments are another program's, options and --help too: `run` gets them as they are typed. */
  raw?: true;
  /** Whole lines that work when pasted. */
  examples: readonly string[];
  run(input: CommandInput<Options>): Promise<ExitCode | undefined>;
}

export type Command = Definition<Record<string, OptionSpec>>;

/** Gives `run` its options by their own types. */
export function defineCommand<const Options extends Record<string, OptionSpec> = Record<never, OptionSpec>>(
  definition: Definition<Options>,
): Command {
  return definition as unknown as Command;
}

import type { Environment } from '../config/config.ts';
import type { Output } from './output.ts';

/** Exit codes of all commands. */
export const EXIT = {
  /** Done; for `verify` and `fsck`: all is valid. */
  ok: 0,
  failed: 1,
  /** Wrong command line or environment; nothing was tried. */
  usage: 2,
  /** Database or service unavailable: retry later. */
  unavailable: 3,
  /**
   * `verify --eml`: a valid bundle, but another copy. `log anchor`, `restore check`, `restore release`: an
   * older database. `log mirror`: missing leaves.
   */
  differs: 4,
  /** `verify`: no contradiction, but no trusted signer, or incomplete. */
  unproven: 5,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** `code`: snake_case, for machines. */
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

export function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message);
}

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly doc: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: true;
  readonly required?: true;
}

interface ArgumentSpec {
  readonly name: string;
  readonly doc: string;
  readonly optional?: true;
  /** The last argument may repeat. */
  readonly several?: true;
}

type OptionValue<Spec extends OptionSpec> = Spec extends { type: 'boolean' }
  ? boolean
  : Spec extends { multiple: true }
    ? string[]
    : Spec extends { required: true }
      ? string
      : string | undefined;

interface CommandInput<Options extends Record<string, OptionSpec>> {
  options: { [Name in keyof Options]: OptionValue<Options[Name]> };
  /** In order; optional ones may be missing at the end. */
  args: string[];
  out: Output;
  env: Environment;
}

/** Ends in EXIT.ok unless it says otherwise. */
type Run<Input> = ((input: Input) => Promise<ExitCode | undefined>) | ((input: Input) => Promise<void>);

interface Definition<Options extends Record<string, OptionSpec>> {
  name: string;
  summary: string;
  details?: string;
  args?: readonly ArgumentSpec[];
  options?: Options;
  /** Arguments go to another program unchanged, --help too. */
  raw?: true;
  /** Work when pasted. */
  examples: readonly string[];
  run: Run<CommandInput<Options>>;
}

export type Command = Definition<Record<string, OptionSpec>>;

/** Infers the types of options. */
export function defineCommand<const Options extends Record<string, OptionSpec> = Record<never, OptionSpec>>(
  definition: Definition<Options>,
): Command {
  return definition as unknown as Command;
}

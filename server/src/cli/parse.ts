import { parseArgs } from 'node:util';
import { didYouMean } from '../platform/edit-distance.ts';
import { readId } from '../platform/ids.ts';
import { type Command, usage } from './command.ts';

/** Parses the command line. Errors say what would be right. */
export type Parsed =
  | { kind: 'run'; command: Command; options: Record<string, unknown>; args: string[]; json: boolean }
  | { kind: 'help'; command: Command | null; group: string | null }
  | { kind: 'version' };

const WORDS_MAX = 2;

export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): Parsed {
  const words = leadingWords(argv);
  if (argv.includes('--version') && words.length === 0) return { kind: 'version' };
  const command = findCommand(words, commands);
  if (command?.raw === true)
    return {
      kind: 'run',
      command,
      options: {},
      args: argv.slice(command.name.split(' ').length),
      json: false,
    };
  const wantsHelp =
    argv.some((word) => word === '--help' || word === '-h') || words[0] === 'help' || argv.length === 0;
  if (command === null) return parseWithoutCommand(words, wantsHelp, commands);
  if (wantsHelp) return { kind: 'help', command, group: null };
  const rest = argv.slice(command.name.split(' ').length);
  return { kind: 'run', command, ...parseOptions(command, rest) };
}

function parseWithoutCommand(words: string[], wantsHelp: boolean, commands: readonly Command[]): Parsed {
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const about = findCommand(asked, commands);
  if (about !== null) return { kind: 'help', command: about, group: null };
  const group = asked[0] ?? null;
  const known = group === null || commands.some(({ name }) => name.split(' ')[0] === group);
  if (known && (wantsHelp || asked.length === 1)) return { kind: 'help', command: null, group };
  const written = asked.slice(0, WORDS_MAX).join(' ');
  if (written === '') throw usage('no command given; acuse --help lists them');
  const names = commands.map(({ name }) => name);
  const meant =
    didYouMean(written, names) ??
    didYouMean(asked[0]!, [...new Set(names.map((name) => name.split(' ')[0]!))]);
  throw usage(
    `unknown command "${written}"${meant === undefined ? '' : `: did you mean ${meant}?`}; acuse --help lists all commands`,
  );
}

function leadingWords(argv: readonly string[]): string[] {
  const end = argv.findIndex((word) => word.startsWith('-'));
  return (end === -1 ? argv : argv.slice(0, end)).slice();
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command | null {
  for (let length = Math.min(WORDS_MAX, words.length); length > 0; length--) {
    const name = words.slice(0, length).join(' ');
    const found = commands.find((command) => command.name === name);
    if (found !== undefined) return found;
  }
  return null;
}

function parseOptions(
  command: Command,
  words: string[],
): { options: Record<string, unknown>; args: string[]; json: boolean } {
  const specs = command.options ?? {};
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        ...Object.fromEntries(
          Object.entries(specs).map(([name, spec]) => [
            name,
            { type: spec.type, multiple: spec.multiple === true, ...(spec.short && { short: spec.short }) },
          ]),
        ),
      },
    });
  } catch (error) {
    throw usage(`${explain(error as Error, Object.keys(specs))}; see acuse ${command.name} --help`);
  }
  const { json, ...values } = parsed.values;
  readIds(parsed.positionals);
  for (const [name, { value }] of Object.entries(specs))
    if (value === '<id>' && typeof values[name] === 'string') values[name] = asId(values[name]);
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, values[name] ?? emptyValue(spec)]),
  );
  const missing = Object.keys(specs).filter(
    (name) => specs[name]!.required === true && values[name] === undefined,
  );
  if (missing.length > 0)
    throw usage(
      `missing ${missing.map((name) => `--${name}`).join(' and ')}; see acuse ${command.name} --help`,
    );
  return { options, args: checkArguments(command, parsed.positionals), json: json === true };
}

/** Ids may be in upper case. */
function readIds(words: string[]): void {
  for (const [at, word] of words.entries()) words[at] = asId(word);
}

function asId(word: string): string {
  return readId(word) ?? word;
}

function emptyValue(spec: { type: string; multiple?: true }): unknown {
  if (spec.type === 'boolean') return false;
  return spec.multiple === true ? [] : undefined;
}

function checkArguments(command: Command, given: string[]): string[] {
  const specs = command.args ?? [];
  const needed = specs.filter((spec) => spec.optional !== true).length;
  if (given.length < needed)
    throw usage(
      `missing ${specs
        .slice(given.length, needed)
        .map(({ name }) => `<${name}>`)
        .join(' and ')}; see acuse ${command.name} --help`,
    );
  if (given.length > specs.length && specs.at(-1)?.several !== true)
    throw usage(`unexpected argument "${given[specs.length]}"; see acuse ${command.name} --help`);
  return given;
}

function explain(error: Error, options: string[]): string {
  const [, written] = /^Unknown option '--([^']+)'/.exec(error.message) ?? [];
  if (written === undefined) return error.message.split('. ')[0]!.replace(/\.$/, '');
  const meant = didYouMean(written, [...options, 'json', 'help']);
  return `unknown option --${written}${meant === undefined ? '' : `: did you mean --${meant}?`}`;
}

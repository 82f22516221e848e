import type { Command } from './command.ts';
import { type Lines, table, textOf } from './output.ts';

const INDENT = '  ';

export function listHelp(commands: readonly Command[], group: string | null): Lines {
  const shown = commands.filter(({ name }) => group === null || name.split(' ')[0] === group);
  return [
    group === null ? 'acuse: transactional email with evidence' : `acuse ${group}`,
    '',
    'Usage: acuse <command> [options]',
    '',
    indent(rows(shown.map(({ name, summary }) => [name, summary]))),
    '',
    'Every command takes --json (one JSON document on standard output) and --help (options and examples).',
    'Settings come from environment variables: acuse config lists them.',
    'Exit codes: 0 done; 1 refused, failed or invalid; 2 usage error; 3 database or service unavailable; 4 it holds, and is not the same or is older; 5 nothing contradicts the file, and nobody you trust vouches for it, or it is incomplete.',
  ];
}

export function commandHelp(command: Command): Lines {
  const args = command.args ?? [];
  const usage = [
    'acuse',
    command.name,
    ...args.map(
      ({ name, optional, several }) =>
        `${optional === true ? `[${name}]` : `<${name}>`}${several === true ? ' …' : ''}`,
    ),
    '[options]',
  ].join(' ');
  const options = Object.entries(command.options ?? {}).map(([name, { value, doc, required, short }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    required === true ? `${doc} (required)` : doc,
  ]);
  const sections: Lines[] = [
    command.summary,
    ...(command.details === undefined ? [] : [command.details]),
    `Usage: ${usage}`,
    ...(args.length === 0 ? [] : [indent(rows(args.map(({ name, doc }) => [`<${name}>`, doc])))]),
    [
      'Options:',
      indent(rows([...options, ['--json', 'print one JSON document'], ['--help', 'show this help']])),
    ],
    ['Examples:', indent(command.examples)],
  ];
  return sections.flatMap((section, at) => (at === 0 ? [section] : ['', section]));
}

function rows(pairs: readonly (readonly string[])[]): readonly string[] {
  return textOf(table(['', ''], pairs, ''))
    .split('\n')
    .slice(1);
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${INDENT}${line}`);
}

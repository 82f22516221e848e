import type { Command } from './command.ts';
import { table } from './output.ts';

const INDENT = '  ';

/** All commands, or those of one group (`tenants`). */
export function listHelp(commands: readonly Command[], group: string | null): string {
  const shown = commands.filter(({ name }) => group === null || name.split(' ')[0] === group);
  const lines = [
    group === null ? 'acuse: transactional email with evidence' : `acuse ${group}`,
    '',
    'Usage: acuse <command> [options]',
    '',
    indent(rows(shown.map(({ name, summary }) => [name, summary]))),
    '',
    'Every command takes --json (one JSON document on standard output) and --help (options and examples).',
    'Settings come from the environment: acuse config lists them.',
    'Exit codes: 0 done, 1 refused, failed or invalid, 2 wrong use, 3 database or service not available.',
  ];
  return lines.join('\n');
}

/** One command: what it does, how it is called, examples. */
export function commandHelp(command: Command): string {
  const args = command.args ?? [];
  const usage = [
    'acuse',
    command.name,
    ...args.map(({ name, optional }) => (optional === true ? `[${name}]` : `<${name}>`)),
    '[options]',
  ].join(' ');
  const options = Object.entries(command.options ?? {}).map(([name, { value, doc, required, short }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    required === true ? `${doc} (required)` : doc,
  ]);
  const sections = [
    command.summary,
    ...(command.details === undefined ? [] : [command.details]),
    `Usage: ${usage}`,
    ...(args.length === 0 ? [] : [indent(rows(args.map(({ name, doc }) => [`<${name}>`, doc])))]),
    `Options:\n${indent(rows([...options, ['--json', 'answer with one JSON document'], ['--help', 'show this']]))}`,
    `Examples:\n${indent(command.examples.join('\n'))}`,
  ];
  return sections.join('\n\n');
}

function rows(pairs: readonly (readonly string[])[]): string {
  return table(['', ''], pairs, '').split('\n').slice(1).join('\n');
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `${INDENT}${line}`)
    .join('\n');
}

/** The text of `acuse-api --help`: all of it, of a resource, of an operation. */
import { OPERATIONS } from '../contract-generated.ts';
import { usageOf } from './arguments.ts';
import { meantBy, methodsOf, parametersOf, typed } from './operations.ts';

/** `words`: what help is about. */
export function helpOf(program: string, words: readonly string[]): string {
  const [first = ''] = words;
  if (words.length === 0) return general(program);
  if (words.length === 1 && methodsOf(first).length > 0)
    return methodsOf(first)
      .map((each) => `${program} ${usageOf(each)}\n    ${each.http} ${each.path}\n`)
      .join('');
  const { operation } = meantBy([...words, ...missing(words)]);
  return `${program} ${usageOf(operation)}\n    ${operation.http} ${operation.path}\n`;
}

/** Arguments that were not typed: help says what they are. */
function missing(words: readonly string[]): string[] {
  if (words[1]?.startsWith('/') === true) return [];
  const all = Object.values(OPERATIONS);
  const operation =
    all.find(({ id }) => id === words[0]) ??
    methodsOf(words[0] ?? '').find(({ name }) => typed(name.split('.')[1]!) === typed(words[1] ?? ''));
  if (operation === undefined) return [];
  const given = words.length - (operation.id === words[0] ? 1 : 2);
  return parametersOf(operation).slice(given);
}

function resources(): string {
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(OPERATIONS)) {
    const [resource, method] = name.split('.') as [string, string];
    methods.set(typed(resource), [...(methods.get(typed(resource)) ?? []), typed(method)]);
  }
  return [...methods].map(([resource, names]) => `  ${resource}: ${names.join(', ')}`).join('\n');
}

const general = (program: string) => `${program} <resource> <method> [<id> …] [--<query parameter> <value> …]
${program} <operationId> [<id> …]
${program} <METHOD> <path>

Calls any operation of the API with ACUSE_API_KEY at ACUSE_URL.

  --data <json> | @<file> | -    the body; - is what is piped in
  --key <key>                    idempotency key of a send; without it one is made
  --all                          every page of a list, an item a line
  --output <file>                the answer into a file: whole, or not at all (-o)
  --json                         the answer on one line
  --dry-run                      prints the request and sends nothing
  --help                         after a resource or a method: how it is called

Exit codes: 0 done; 1 refused; 2 usage error; 3 service unavailable. Errors are JSON on stderr, with the fix.

${resources()}
`;

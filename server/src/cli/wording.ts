/**
 * What the API says in terms of its routes, in terms of commands: whoever typed a command is told of the next
 * one to type. Pure.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/: list them with GET \/v1\/templates/, ': check --template'],
  [/with POST \/v1\/domains\b/, 'with acuse domains create'],
  [/with POST \/v1\/senders\b/, 'with acuse senders add'],
  [/call POST \/v1\/domains\/([^/ ]+)\/verify/, 'run acuse domains verify $1'],
  [/see GET \/v1\/domains\b/, 'see acuse domains list'],
  [/with DELETE \/v1\/suppressions\/\{id\}/, 'with acuse suppressions remove'],
  [/with GET \/v1\/messages\/\{id\}(?:\/evidence)?/, 'with acuse messages show'],
  [/ \(POST \/v1\/messages\/([^/ ]+)\/cancel\)/, ' (acuse queue cancel $1)'],
  [/^Send an Idempotency-Key header/, 'Give an --idempotency-key'],
  [/^Idempotency-Key must/, '--idempotency-key must'],
  [/: send "Authorization: Bearer acuse_…" with a key/, ': give --key or ACUSE_API_KEY a key'],
  [/\bthis endpoint requires\b/, 'this requires'],
  [/\bthis endpoint's limit\b/, 'the limit'],
  [/ Use one that Allow lists\.| Check the path and the id\./, ' Check the id.'],
  [/\bwith the same Idempotency-Key\b/, 'with the same --idempotency-key'],
];

export function inWordsOfCommands(message: string): string {
  return WORDS.reduce((text, [route, command]) => text.replace(route, command), message);
}

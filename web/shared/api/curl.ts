import type { ApiCall } from './calls.ts';

/**
 * The call as a command of the machine API, whose paths and answers are the same behind its key. The key
 * comes from the environment: a secret has no place in a history of commands.
 */
export function toCurl(origin: string, call: ApiCall): string {
  const lines = [
    `curl -sS ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(`${origin}/v1${call.path}`)}`,
  ];
  lines.push(`-H "Authorization: Bearer $ACUSE_API_KEY"`);
  if (call.key !== undefined) lines.push(`-H ${quoted(`Idempotency-Key: ${call.key}`)}`);
  if (call.body instanceof Blob)
    lines.push(`-H ${quoted(`Content-Type: ${call.body.type}`)}`, '--data-binary @file');
  else if (call.body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(jsonOf(call.body))}`);
  return lines.join(' \\\n  ');
}

/** A body that is longer is written over several lines (characters). */
const LINE_MAX_CHARS = 72;

function jsonOf(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= LINE_MAX_CHARS ? line : JSON.stringify(body, null, 2);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

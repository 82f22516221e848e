import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { isId } from '../platform/ids.ts';
import { CommandError, EXIT } from './command.ts';
import { readInput } from './files.ts';

export const SEND_OPTIONS = {
  from: { type: 'string', value: '<address>', required: true, doc: 'sender: an address, or Name <address>' },
  to: {
    type: 'string',
    value: '<address>',
    multiple: true,
    required: true,
    doc: 'recipient; may be repeated',
  },
  cc: { type: 'string', value: '<address>', multiple: true, doc: 'recipient of a copy; may be repeated' },
  bcc: {
    type: 'string',
    value: '<address>',
    multiple: true,
    doc: 'recipient of a copy that nobody else sees; may be repeated',
  },
  'reply-to': {
    type: 'string',
    value: '<address>',
    multiple: true,
    doc: 'Reply-To address; may be repeated',
  },
  subject: { type: 'string', value: '<text>', doc: 'subject' },
  text: { type: 'string', value: '<text>', doc: 'plain body' },
  'text-file': { type: 'string', value: '<path>', doc: 'plain body, from a file; -: standard input' },
  'html-file': { type: 'string', value: '<path>', doc: 'HTML body, from a file; -: standard input' },
  attach: { type: 'string', value: '<path>', multiple: true, doc: 'file to attach; may be repeated' },
  template: {
    type: 'string',
    value: '<template>',
    doc: 'id or name of a template; other options override its parts',
  },
  var: { type: 'string', value: '<name=value>', multiple: true, doc: "template's data; may be repeated" },
  variables: {
    type: 'string',
    value: '<path>',
    doc: "template's data, from a JSON file; -: standard input; --var overrides it",
  },
  locale: { type: 'string', value: '<locale>', doc: 'variant of the template, such as es' },
  'send-at': {
    type: 'string',
    value: '<time>',
    doc: 'when to send, such as 2026-11-20T09:30:00-06:00 (default: now)',
  },
  tag: { type: 'string', value: '<tag>', multiple: true, doc: 'label to filter by; may be repeated' },
  metadata: {
    type: 'string',
    value: '<name=value>',
    multiple: true,
    doc: 'kept with the message, never in the mail; may be repeated',
  },
  'skip-suppressed': { type: 'boolean', doc: 'leave out suppressed recipients, where there are others' },
  certified: { type: 'boolean', doc: "certified, whatever the account's default" },
  plain: { type: 'boolean', doc: "not certified, whatever the account's default" },
  'ask-acknowledgement': { type: 'boolean', doc: 'ask the recipient to acknowledge receipt' },
} as const;

interface SendOptions {
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly 'reply-to': readonly string[];
  readonly subject: string | undefined;
  readonly text: string | undefined;
  readonly 'text-file': string | undefined;
  readonly 'html-file': string | undefined;
  readonly attach: readonly string[];
  readonly template: string | undefined;
  readonly var: readonly string[];
  readonly variables: string | undefined;
  readonly locale: string | undefined;
  readonly 'send-at': string | undefined;
  readonly tag: readonly string[];
  readonly metadata: readonly string[];
  readonly 'skip-suppressed': boolean;
  readonly certified: boolean;
  readonly 'ask-acknowledgement': boolean;
  readonly plain: boolean;
}

/** The service refuses more. docs/limits.md */
const FILE_MAX_BYTES = 25 * 1024 * 1024;
const STANDARD_INPUT = '-';
const INPUT_OPTIONS = ['text-file', 'html-file', 'variables'] as const;

/** By extension; default application/octet-stream. IANA media types */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.doc': 'application/msword',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.eml': 'message/rfc822',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xls': 'application/vnd.ms-excel',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** Throws CommandError for contradictions and unreadable files. */
export function sendBody(options: SendOptions): object {
  if (options.certified && options.plain) throw usage('--certified and --plain contradict each other');
  if (options.text !== undefined && options['text-file'] !== undefined)
    throw usage('--text and --text-file contradict each other');
  const fromInput = INPUT_OPTIONS.filter((name) => options[name] === STANDARD_INPUT);
  if (fromInput.length > 1) throw usage(`only one of --${fromInput.join(' and --')} can be -`);
  const text = options.text ?? textOf(options['text-file']);
  const html = textOf(options['html-file']);
  if (text === undefined && html === undefined && options.template === undefined)
    throw usage('a message needs content: give --text, --text-file, --html-file or --template');
  const fields = {
    from: options.from,
    to: oneOrList(options.to),
    cc: oneOrList(options.cc),
    bcc: oneOrList(options.bcc),
    reply_to: oneOrList(options['reply-to']),
    subject: options.subject,
    text,
    html,
    ...templateOf(options.template),
    locale: options.locale,
    variables: variablesOf(options),
    attachments: options.attach.length === 0 ? undefined : options.attach.map(attachment),
    send_at: options['send-at'],
    metadata: pairsOf('metadata', options.metadata),
    skip_suppressed: options['skip-suppressed'] || undefined,
    tags: options.tag.length === 0 ? undefined : options.tag,
    certified: options.certified || (options.plain ? false : undefined),
    acknowledgement: options['ask-acknowledgement'] ? 'request' : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function oneOrList(given: readonly string[]): string | readonly string[] | undefined {
  return given.length < 2 ? given[0] : given;
}

function templateOf(given: string | undefined): object {
  if (given === undefined) return {};
  return isId(given) ? { template_id: given } : { template: given };
}

function textOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const bytes = path === STANDARD_INPUT ? readFileSync(0) : readInput(path, FILE_MAX_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(EXIT.usage, 'unreadable_file', `${path} is not text in UTF-8`, { cause });
  }
}

function attachment(path: string): object {
  return {
    filename: basename(path),
    content_type: TYPES[extname(path).toLowerCase()],
    content: Buffer.from(readInput(path, FILE_MAX_BYTES)).toString('base64'),
  };
}

function variablesOf(options: SendOptions): object | undefined {
  const single = pairsOf('var', options.var);
  const path = options.variables;
  if (path === undefined) return single;
  return { ...objectOf(path), ...single };
}

function objectOf(path: string): object {
  let given: unknown;
  try {
    given = JSON.parse(textOf(path)!);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw usage(`${path} is not JSON: ${(cause as Error).message}`);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw usage(`${path} must hold a JSON object, such as {"customer": {"name": "Ana"}}`);
  return given;
}

function pairsOf(option: string, given: readonly string[]): object | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw usage(`--${option} takes name=value, not "${pair}"`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', `${message}; see acuse messages send --help`);
}

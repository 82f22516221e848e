import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { isId } from '../platform/ids.ts';
import { CommandError, EXIT } from './command.ts';
import { readInput } from './files.ts';

/** What `acuse messages send` takes, and the request that it makes of it. */
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
    doc: 'where answers go; may be repeated',
  },
  subject: { type: 'string', value: '<text>', doc: 'subject' },
  text: { type: 'string', value: '<text>', doc: 'plain body' },
  'text-file': { type: 'string', value: '<path>', doc: 'plain body, from a file; -: standard input' },
  'html-file': { type: 'string', value: '<path>', doc: 'HTML body, from a file; -: standard input' },
  attach: { type: 'string', value: '<path>', multiple: true, doc: 'file to attach; may be repeated' },
  template: { type: 'string', value: '<template>', doc: 'id or name of a template' },
  var: { type: 'string', value: '<name=value>', multiple: true, doc: "template's data; may be repeated" },
  tag: { type: 'string', value: '<tag>', multiple: true, doc: 'label to filter by; may be repeated' },
  certified: { type: 'boolean', doc: "certified, whatever the account's default" },
  plain: { type: 'boolean', doc: "not certified, whatever the account's default" },
} as const;

export interface SendOptions {
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
  readonly tag: readonly string[];
  readonly certified: boolean;
  readonly plain: boolean;
}

/** A message of 25 MiB with its attachments: more is refused by the service anyway. docs/limits.md */
const FILE_MAX_BYTES = 25 * 1024 * 1024;
const STANDARD_INPUT = '-';

/** By the end of the name; others are application/octet-stream. IANA media types */
const TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.ics': 'text/calendar',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** The request's body. Throws CommandError for options that contradict each other and unreadable files. */
export function sendBody(options: SendOptions): object {
  if (options.certified && options.plain) throw usage('--certified and --plain contradict each other');
  if (options.text !== undefined && options['text-file'] !== undefined)
    throw usage('--text and --text-file contradict each other');
  if (options['text-file'] === STANDARD_INPUT && options['html-file'] === STANDARD_INPUT)
    throw usage('only one of --text-file and --html-file can be -');
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
    variables: options.var.length === 0 ? undefined : Object.fromEntries(options.var.map(variable)),
    attachments: options.attach.length === 0 ? undefined : options.attach.map(attachment),
    tags: options.tag.length === 0 ? undefined : options.tag,
    certified: options.certified || (options.plain ? false : undefined),
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

function variable(given: string): [string, string] {
  const at = given.indexOf('=');
  if (at < 1) throw usage(`--var takes name=value, not "${given}"`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', `${message}; see acuse messages send --help`);
}

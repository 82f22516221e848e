/**
 * A client's reading of the bytes that a peer sends, as a pure function: contract/vectors/README.md says it
 * in words, and exchanges.json holds the outcome. Written to be read beside a translation into any language.
 */
import { type Decision, decide, type Outcome, type RetryClass } from './client-decisions.ts';

/** Bytes, sent `times` over with `every_ms` between; `times` 0: until the client has gone. */
export interface Step {
  readonly text?: string;
  readonly base64?: string;
  readonly times?: number;
  readonly every_ms?: number;
}

/** A peer's step once it has read a request. `hold`: it says no more and waits for the client to go. */
export interface Script {
  readonly steps: readonly Step[];
  readonly end: 'keep' | 'close' | 'reset' | 'hold';
}

/** `batch`: of one message, whose result is compared. */
export type Call = 'send' | 'batch' | 'read' | 'list' | 'create' | 'delete';

export interface Exchange {
  readonly name: string;
  readonly why: string;
  readonly call: Call;
  /** The client begins a TLS handshake, and the peer plays its script on the first bytes of it. */
  readonly tls?: boolean;
  readonly max_retries: number;
  /** Limits of each attempt, of connecting and of the call. Null: longer than any case takes. */
  readonly limit_ms: number | null;
  readonly cancel_after_ms?: number;
  /** One for each request; the last is played again. */
  readonly answers: readonly Script[];
}

export interface Expected {
  readonly class: string;
  /** Alternatives: libraries of HTTP end a flood of interim answers before the time does. */
  readonly or?: string;
  readonly status: number | null;
  readonly code: string | null;
  readonly outcome_unknown: boolean;
  /** The error has the idempotency key: that of a send and of an item, not that of a whole batch. */
  readonly key: boolean;
  /**
   * Requests that were made; null: with `tls`, and of a read that not a byte answered, which HTTP libraries
   * repeat.
   */
  readonly requests: number | null;
  readonly retry_after: number | null;
  /** The server's message, made fit to be shown; null: nothing of it is shown. */
  readonly message: string | null;
  /** Bytes of answers that a client may take; null where the time alone ends the call. */
  readonly taken_max: number | null;
}

interface Operation {
  readonly class: RetryClass;
  readonly deletes: boolean;
  /** Fields without which the meaning of a success is lost, and what they are; null: it has no body. */
  readonly essential: Readonly<Record<string, 'text' | 'list' | 'cursor' | 'item'>> | null;
}

export const OPERATIONS: Readonly<Record<Call, Operation>> = {
  send: { class: 'keyed', deletes: false, essential: { id: 'text' } },
  batch: { class: 'keyed', deletes: false, essential: { results: 'item' } },
  read: { class: 'safe', deletes: false, essential: { id: 'text' } },
  list: { class: 'safe', deletes: false, essential: { data: 'list', next_cursor: 'cursor' } },
  create: { class: 'once', deletes: false, essential: { id: 'text', key: 'text' } },
  delete: { class: 'repeatable', deletes: true, essential: null },
};

const HEAD_MAX = 256 * 1024;
const JSON_MAX = 16 * 1024 * 1024;
const DEPTH_MAX = 64;
const NUMBER_MAX = 64;
/**
 * The most that both systems may hold between them (Linux: tcp_rmem up to 32 MiB, tcp_wmem 4), and a read.
 */
const UNDER_WAY = 40 * 1024 * 1024;
/** A `times` of 0: more than any client takes. */
const ENDLESS = 20 * 1024 * 1024;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The outcome of one attempt, and the answer that there was. */
interface Ended {
  readonly outcome: Outcome;
  readonly answer?: Answer;
  readonly message?: string;
}

/** The outcome of a call, with all its attempts. */
interface Called {
  readonly ended: Ended;
  readonly script: Script;
  readonly ok: boolean;
  readonly outcome_unknown: boolean;
  /** Requests until then, those of earlier calls among them. */
  readonly requests: number;
  readonly retry_after: number | null;
}

export function expectedOf(exchange: Exchange): Expected {
  let called = callOf(exchange, 0);
  if (exchange.call !== 'batch') return expectedCall(exchange, called);
  // An item that the service could not take just then goes into another request.
  let before: Item | null = null;
  for (let round = 1; ; round++) {
    const item = called.ok ? itemOf(called.ended) : null;
    const { requests } = called;
    if (item !== null && (!TRIED_AGAIN.has(item.code) || round > exchange.max_retries))
      return { ...expectedItem(item), requests };
    // The refusal stands, unless the item may have been accepted since.
    if (before !== null && !called.ok && !called.outcome_unknown)
      return { ...expectedItem(before), requests };
    if (item === null) return expectedCall(exchange, called);
    before = item;
    called = callOf(exchange, requests);
  }
}

function callOf(exchange: Exchange, made: number): Called {
  const operation = OPERATIONS[exchange.call];
  const changes = operation.class !== 'safe';
  let unknown = false;
  for (let attempt = 1; ; attempt++) {
    const script = exchange.answers[Math.min(made + attempt, exchange.answers.length) - 1]!;
    const ended = endOf(exchange, script, operation);
    const isGone: boolean = operation.deletes && unknown && ended.answer?.status === 404;
    const decision: Decision = decide({
      class: operation.class,
      outcome: ended.outcome,
      attempt,
      max_retries: exchange.max_retries,
      headers: ended.answer?.headers ?? {},
      u: 0,
      budget: 500,
      time_left: exchange.limit_ms ?? 3_600_000,
      now: 0,
    });
    const ok: boolean = isGone || isSuccess(ended);
    unknown ||= !ok && changes && decision.unknown;
    if (!ok && decision.retry) continue;
    const { retry_after } = decision;
    return { ended, script, ok, outcome_unknown: !ok && unknown, requests: made + attempt, retry_after };
  }
}

function expectedCall(exchange: Exchange, called: Called): Expected {
  const { ended, script, ok, outcome_unknown, requests, retry_after } = called;
  const reads = OPERATIONS[exchange.call].class === 'safe';
  return {
    class: ok ? 'ok' : classOf(ended.outcome, exchange.tls ?? false),
    ...(isInterim(script.steps) && !ok && { or: 'ConnectionError' }),
    status: ended.answer?.status ?? null,
    code: ok || ended.outcome.kind !== 'answer' ? null : ended.outcome.code,
    outcome_unknown,
    key: exchange.call === 'send',
    requests: exchange.tls || (reads && isSilent(script)) ? null : requests,
    retry_after: ok || retry_after === null ? null : retry_after / 1_000,
    message: ended.message === undefined ? null : shown(ended.message),
    taken_max: exchange.limit_ms === null ? requests * (JSON_MAX + UNDER_WAY) : null,
  };
}

/** Statuses of codes that an item may have (docs/errors.md); of every other it is that of a refusal. */
const ITEM_STATUSES: Readonly<Record<string, number>> = {
  template_not_found: 404,
  quota_exceeded: 429,
  internal_error: 500,
  unavailable: 503,
};
/** Codes of items that another request may mend. */
const TRIED_AGAIN: ReadonlySet<string> = new Set(['unavailable', 'internal_error']);

interface Item {
  readonly code: string;
  readonly message: string;
}

/** Refusals in a batch, whose answer is a success. */
function itemOf(ended: Ended): Item | null {
  const { results } = (ended.answer ? jsonOf(ended.answer.body) : {}) as {
    results?: { error?: Item }[];
  };
  return results?.[0]?.error ?? null;
}

function expectedItem({ code, message }: Item): Omit<Expected, 'requests'> {
  const status = ITEM_STATUSES[code] ?? 422;
  const named = classOf({ kind: 'answer', status, code }, false);
  const known = { outcome_unknown: false, key: true, retry_after: null, taken_max: null };
  return { class: named, status, code, ...known, message: shown(message) };
}

function isSuccess({ outcome }: Ended): boolean {
  return outcome.kind === 'answer' && outcome.status < 300;
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'InvalidRequestError',
  401: 'AuthenticationError',
  403: 'PermissionError',
  404: 'NotFoundError',
  405: 'InvalidRequestError',
  408: 'InvalidRequestError',
  409: 'ConflictError',
  413: 'InvalidRequestError',
  415: 'InvalidRequestError',
  422: 'RefusedError',
  503: 'UnavailableError',
};

function classOf(outcome: Outcome, tls: boolean): string {
  if (outcome.kind === 'timeout' || (tls && outcome.kind === 'no_connection')) return 'TimeoutError';
  if (outcome.kind === 'cancelled') return 'Cancelled';
  if (outcome.kind === 'malformed') return 'ProtocolError';
  if (outcome.kind !== 'answer') return 'ConnectionError';
  const { status, code } = outcome;
  if (status === 429) return code === 'quota_exceeded' ? 'QuotaExceededError' : 'RateLimitedError';
  return BY_STATUS[status] ?? (status >= 500 ? 'ServerError' : 'ApiError');
}

function endOf(exchange: Exchange, script: Script, operation: Operation): Ended {
  if (exchange.cancel_after_ms !== undefined) return { outcome: { kind: 'cancelled' } };
  if (exchange.tls) return { outcome: { kind: 'no_connection' } };
  // An endless answer ends with the attempt's time, however much of it is taken.
  if (isSlow(script)) return { outcome: { kind: 'timeout' } };
  const bytes = Buffer.concat(script.steps.map(bytesOf));
  const read = readAnswer(bytes, script.end, operation);
  if (typeof read === 'string') return { outcome: { kind: read } };
  if (read.status >= 400) return refusal(read);
  if (read.status < 200 || read.status > 299) return { outcome: { kind: 'malformed' }, answer: read };
  if (operation.essential === null || isFit(read.body, operation.essential))
    return { outcome: { kind: 'answer', status: read.status, code: null }, answer: read };
  return { outcome: { kind: 'malformed' }, answer: read };
}

const isSilent = ({ steps, end }: Script) => steps.length === 0 && end !== 'hold';

function isSlow({ steps }: Script): boolean {
  return steps.some(({ times, every_ms }) => (every_ms ?? 0) > 0 || (times === 0 && isInterim(steps)));
}

/** A flood of interim answers has no end and no size. */
const isInterim = (steps: readonly Step[]) => steps[0]?.text?.startsWith('HTTP/1.1 100') === true;

function bytesOf({ text, base64, times = 1 }: Step): Buffer {
  const once = base64 === undefined ? Buffer.from(text ?? '', 'utf8') : Buffer.from(base64, 'base64');
  return Buffer.concat(Array.from({ length: times || Math.ceil(ENDLESS / once.length) }, () => once));
}

type Unread = 'lost_answer' | 'timeout' | 'malformed';

/** Bytes that break the framing are an answer that was lost. */
function readAnswer(bytes: Buffer, end: Script['end'], operation: Operation): Answer | Unread {
  const cut: Unread = end === 'hold' ? 'timeout' : 'lost_answer';
  let at = 0;
  for (;;) {
    const over = bytes.indexOf('\r\n\r\n', at);
    if ((over < 0 ? bytes.length : over) - at > HEAD_MAX) return 'lost_answer';
    if (over < 0)
      return bytes.subarray(at, at + 5).equals(Buffer.from('HTTP/').subarray(0, bytes.length - at))
        ? cut
        : 'lost_answer';
    const [line, ...fields] = bytes.toString('latin1', at, over).split('\r\n');
    at = over + 4;
    const status = /^HTTP\/1\.[01] ([1-9]\d\d)(?: .*)?$/.exec(line!)?.[1];
    if (status === undefined) return 'lost_answer';
    if (status[0] === '1') continue;
    const headers = headersOf(fields);
    if (headers === null) return 'lost_answer';
    const body = bodyOf(bytes.subarray(at), Number(status), headers, cut, end);
    if (typeof body === 'string') return body;
    // Anything larger is not read to its end.
    if (operation.essential !== null && body.length > JSON_MAX) return 'malformed';
    return { status: Number(status), headers, body };
  }
}

function headersOf(fields: readonly string[]): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(field) ?? [];
    if (name === undefined) return null;
    const key = name.toLowerCase();
    if (key === 'content-length' && headers[key] !== undefined && headers[key] !== value) return null;
    headers[key] = value!;
  }
  return headers;
}

function bodyOf(
  rest: Buffer,
  status: number,
  headers: Readonly<Record<string, string>>,
  cut: Unread,
  end: Script['end'],
): Buffer | Unread {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  if (headers['transfer-encoding'] !== undefined) return chunked(rest, cut);
  const length = headers['content-length'];
  if (length === undefined && rest.length > JSON_MAX) return 'malformed';
  if (length === undefined) return end === 'close' ? rest : cut;
  if (!/^\d{1,15}$/.test(length)) return 'lost_answer';
  if (Number(length) > JSON_MAX && rest.length > JSON_MAX) return 'malformed';
  return rest.length < Number(length) ? cut : rest.subarray(0, Number(length));
}

/** A body in chunks. */
function chunked(rest: Buffer, cut: Unread): Buffer | Unread {
  const parts: Buffer[] = [];
  let size = 0;
  for (let at = 0; ; ) {
    const over = rest.indexOf('\r\n', at);
    if (over < 0) return cut;
    const digits = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;.*)?$/.exec(rest.toString('latin1', at, over))?.[1];
    if (digits === undefined) return 'lost_answer';
    const length = Number.parseInt(digits, 16);
    if (length === 0) return rest.indexOf('\r\n\r\n', over) < 0 ? cut : Buffer.concat(parts);
    const from = over + 2;
    if (rest.length < from + length + 2) return cut;
    if (rest.toString('latin1', from + length, from + length + 2) !== '\r\n') return 'lost_answer';
    parts.push(rest.subarray(from, from + length));
    size += length;
    if (size > JSON_MAX) return 'malformed';
    at = from + length + 2;
  }
}

/** The error of the API, or of another program, of whose text nothing is shown. */
function refusal(answer: Answer): Ended {
  const { status } = answer;
  const { error } = (jsonOf(answer.body) ?? {}) as { error?: { code?: unknown; message?: unknown } };
  const { code, message } = error ?? {};
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code) || typeof message !== 'string')
    return { outcome: { kind: 'answer', status, code: `http_${status}` }, answer };
  return { outcome: { kind: 'answer', status, code }, answer, message };
}

function isFit(body: Buffer, essential: NonNullable<Operation['essential']>): boolean {
  const value = jsonOf(body);
  if (!isObject(value)) return false;
  return Object.entries(essential).every(([name, kind]) => {
    const field = value[name];
    if (kind === 'item') return Array.isArray(field) && field.length === 1 && isOutcome(field[0]);
    if (kind === 'list') return Array.isArray(field) && field.every(isObject);
    return typeof field === 'string' || (kind === 'cursor' && field === null);
  });
}

/** True for the result of a batch's only message. */
function isOutcome(value: unknown): boolean {
  if (!isObject(value) || value['index'] !== 0) return false;
  return isObject(value['message']) || isObject(value['error']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text that every JSON library can write; undefined: not JSON. */
function jsonOf(body: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return isSound(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** No level beyond 64, no number beyond 64 characters, no half of a surrogate pair. */
export function isSound(text: string): boolean {
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    digits = '+-.0123456789eE'.includes(char) ? digits + 1 : 0;
    if (digits > NUMBER_MAX) return false;
    if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth > DEPTH_MAX) return false;
    if (char !== '"') continue;
    const end = endOfText(text, at + 1);
    if (end < 0) return false;
    if (!(JSON.parse(text.slice(at, end + 1)) as string).isWellFormed()) return false;
    at = end;
    digits = 0;
  }
  return true;
}

function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function shown(message: string): string {
  return message
    .replace(/acuse_([0-9A-Za-z]{1,64})_[0-9A-Za-z_-]+/g, 'acuse_$1_***')
    .replace(UNSHOWN, '\ufffd');
}

/** Reading answers: within limits, against the contract, with nothing of a body in an error. */

import { SCHEMAS } from './contract-generated.ts';
import { readRetryAfter } from './decide.ts';
import { type ApiError, apiError, type CallFacts, ProtocolError } from './errors.ts';
import { FIXES } from './errors-generated.ts';
import type { Operation } from './operation.ts';
import { INSPECT, plain, redact } from './secrets.ts';
import { misfit } from './shapes.ts';
import { parseSound } from './sound.ts';
import type { HttpAnswer } from './transport/transport.ts';

/** Largest JSON answer. */
const JSON_MAX_BYTES = 16 * 1024 * 1024;
/** Largest answer of bytes or text that is read whole: a proof bundle with its message. */
const BYTES_MAX_BYTES = 160 * 1024 * 1024;
/** Bytes read of an answer that nobody wants. */
const DISCARD_MAX_BYTES = 64 * 1024;
/** The form of a code of the API. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

const TOO_LARGE = 'The answer is larger than this library reads.';

/** Common to every answer. Header names are in lower case. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
}

type Bad = Answered & { readonly problem: string; readonly cause?: unknown };

/** The value of an answer with a status below 400, or what is wrong with it. Throws HttpFailure. */
export async function readAnswer(
  answer: HttpAnswer,
  operation: Operation,
  consume?: (answer: HttpAnswer) => Promise<unknown>,
): Promise<(Answered & { value: unknown }) | Bad> {
  const facts = factsOf(answer);
  if (answer.status < 200 || answer.status >= 300) {
    await discard(answer);
    const redirect = answer.status >= 300 ? ' Redirects are not followed: check baseUrl.' : '';
    return { ...facts, problem: `The server answered ${answer.status}.${redirect}` };
  }
  if (operation.result === 'none') {
    await discard(answer);
    return { ...facts, value: undefined };
  }
  if (consume !== undefined) return { ...facts, value: await consume(answer) };
  const isJson = operation.result === 'json' || operation.result === 'page';
  const bytes = await collect(answer, isJson ? JSON_MAX_BYTES : BYTES_MAX_BYTES);
  if (bytes === undefined) return { ...facts, problem: TOO_LARGE };
  if (operation.result === 'bytes') return { ...facts, value: bytes };
  return { ...facts, ...readText(bytes, operation, isJson) };
}

function readText(bytes: Uint8Array, { shape }: Operation, isJson: boolean) {
  let value: unknown;
  try {
    // CSV begins with a byte order mark, which is not its text; of JSON it is a fault.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: isJson }).decode(bytes);
    value = isJson ? parseSound(text) : text;
  } catch {
    // Without the cause: it would quote the body.
    return {
      problem: `The answer is not ${isJson ? 'JSON' : 'UTF-8'}: check that baseUrl is that of Acuse.`,
    };
  }
  const wrong = shape === null ? undefined : misfit(value, shape, SCHEMAS);
  return wrong === undefined ? { value } : { problem: `The answer is not what the contract says: ${wrong}.` };
}

/** The error of an answer that `readAnswer` found fault with. */
export function badAnswer(bad: Bad, facts: CallFacts & { outcomeUnknown: boolean }): ProtocolError {
  return new ProtocolError(bad.problem, { ...facts, requestId: bad.requestId, status: bad.status });
}

/** The error of an answer of 400 or more; ProtocolError: it is too large. Throws HttpFailure. */
export async function readRefusal(
  answer: HttpAnswer,
  call: CallFacts & { outcomeUnknown: boolean; changes: boolean },
  nowMs: number,
): Promise<ApiError | ProtocolError> {
  const { status, headers, requestId } = factsOf(answer);
  const bytes = await collect(answer, JSON_MAX_BYTES);
  if (bytes === undefined) {
    const outcomeUnknown = call.changes;
    return badAnswer({ ...factsOf(answer), problem: TOO_LARGE }, { ...call, outcomeUnknown });
  }
  const { code, message } = readEnvelope(bytes);
  const retryAfterMs = readRetryAfter(headers, nowMs);
  return apiError(message ?? `The server answered ${status} without an error of the API.`, {
    ...call,
    requestId,
    status,
    code: code ?? `http_${status}`,
    fix: code !== undefined && Object.hasOwn(FIXES, code) ? FIXES[code] : undefined,
    retryAfter: retryAfterMs === null ? undefined : retryAfterMs / 1_000,
  });
}

function readEnvelope(bytes: Uint8Array): { code?: string; message?: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const { error } = parseSound(text) as { error: { code: unknown; message: unknown } };
    if (typeof error.code !== 'string' || !CODE.test(error.code) || typeof error.message !== 'string')
      return {};
    return { code: error.code, message: error.message };
  } catch {
    return {};
  }
}

const plainId = (id: string | undefined) => (id === undefined ? undefined : plain(id));

function factsOf({ status, headers }: HttpAnswer): Answered {
  return { status, headers, requestId: plainId(headers['request-id']) };
}

/** Reads on, so that the connection can be used again; a long answer is cut off. */
async function discard(answer: HttpAnswer): Promise<void> {
  await collect(answer, DISCARD_MAX_BYTES);
}

/** undefined: more than `max` bytes. */
export async function collect({ body }: HttpAnswer, max: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

const answers = new WeakMap<object, Answered>();

/** Keeps an answer's facts with the value that was read from it; a secret in it is not printed by Node. */
export function remember(value: unknown, { status, headers, requestId }: Answered): void {
  if (typeof value !== 'object' || value === null) return;
  answers.set(value, { status, headers, requestId });
  const hasSecret = Object.values(value).some(
    (field) => typeof field === 'string' && redact(field) !== field,
  );
  if (hasSecret) Object.defineProperty(value, INSPECT, { value: masked });
}

function masked(
  this: object,
  _depth: number,
  options: object,
  inspect: (value: object, options: object) => string,
) {
  // The copy is without this function, which is not enumerable.
  return redact(inspect({ ...this }, options));
}

/** Status, headers and request id of the answer that an object came from, if it is a result of a call. */
export function answerOf(result: object): Answered | undefined {
  return answers.get(result);
}

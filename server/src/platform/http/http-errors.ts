import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ApiErrorCode, apiError } from '../../errors.ts';
import { inBoth, TERMS, type Wording } from '../../wording.ts';
import { isUnavailable, lostNode } from '../database/failures.ts';
import type { Log } from '../logger.ts';
import { describeProblem } from './validator.ts';

/** The client disconnected before its answer: nothing to report. */
export class ClientGone extends Error {
  constructor() {
    super('The client disconnected before it had sent the whole request.');
    this.name = 'ClientGone';
  }
}

/** Status in metrics and the log; never sent. */
const CLIENT_GONE_STATUS = 499;

/** Retry-After when database or queue are overloaded (seconds). */
export const UNAVAILABLE_RETRY_SECONDS = 2;

const FRAMEWORK_CODES: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_body',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_body',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

function toApiError(error: FastifyError | ApiError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error.validation !== undefined) {
    const inBody = error.validationContext === 'body';
    return apiError(
      inBody ? 'invalid_body' : 'invalid_parameter',
      describeProblem(error.validation as never),
    );
  }
  const known = FRAMEWORK_CODES[error.code];
  if (known !== undefined) return apiError(known);
  if (isUnavailable(error))
    return apiError('unavailable', unavailableText(error, request), {
      cause: error,
      retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
    });
  return apiError('internal_error', undefined, { cause: error });
}

function unavailableText(error: unknown, request: FastifyRequest): Wording | undefined {
  if (lostNode(error) !== null) return NODE_UNAVAILABLE;
  return isRead(request) ? READ_UNAVAILABLE : undefined;
}

const NODE_UNAVAILABLE = inBoth`A database server that this request needs cannot be reached. It may have been done: ${TERMS.retryLater} with the same ${TERMS.idempotencyKey}.`;
const READ_UNAVAILABLE = inBoth`The service is unavailable: ${TERMS.retryLater}.`;

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

type LogFault = (answer: ApiError, request: FastifyRequest) => void;

/** Repeated faults are logged this often (ms). */
const REPEATED_LOG_EVERY_MS = 1_000;

/** Logs each fault once; while the database is away, thousands of refusals share a line. */
export function createFaultLog(log: Log): LogFault {
  const seldom = createSeldom();
  return (answer, request) => {
    const { cause, code, message } = answer;
    const facts = factsOf(request);
    if (code !== 'unavailable') return log.error({ err: cause ?? answer, ...facts }, code);
    // Nothing threw: a stack would say only where the answer is made.
    const why = cause === undefined ? { why: message } : { err: cause };
    seldom((refused) => log.warn({ ...why, ...facts, refused }, code));
  };
}

type LogGone = (request: FastifyRequest) => void;

export function createGoneLog(log: Log): LogGone {
  const seldom = createSeldom();
  return (request) =>
    seldom((clients) => {
      const wholeRequest = request.raw.complete;
      log.info(
        { ...factsOf(request), status: CLIENT_GONE_STATUS, wholeRequest, clients },
        'the client went away before the answer',
      );
    });
}

function factsOf(request: FastifyRequest) {
  return { reqId: request.id, method: request.method, url: request.routeOptions?.url };
}

/** Rate-limits a log line and counts the calls in between. */
function createSeldom(): (say: (times: number) => void) => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return (say) => {
    const nowMs = performance.now();
    unsaid++;
    if (nowMs - lastMs < REPEATED_LOG_EVERY_MS) return;
    say(unsaid);
    lastMs = nowMs;
    unsaid = 0;
  };
}

/** Defaults of every answer: private data must not be cached, and types not guessed. */
export const ANSWER_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

export function answerError(
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
  logFault: LogFault,
): FastifyReply {
  if (error instanceof ClientGone) return reply.code(CLIENT_GONE_STATUS).send();
  const answer = toApiError(error, request);
  if (answer.status >= 500) logFault(answer, request);
  // A refused body is read to its end and dropped: a client still writing when the connection closes would
  // not read the answer.
  if (answer.code === 'unavailable') {
    reply.removeHeader('connection');
    // Even if the client wants the connection closed: then it closes it itself.
    if (!request.raw.complete) reply.raw.shouldKeepAlive = true;
  }
  if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', String(answer.retryAfterSeconds));
  if (answer.status === 401) reply.header('WWW-Authenticate', 'Bearer realm="acuse"');
  // The admin console's listener serves no /docs.
  if (!request.url.startsWith('/v1/admin')) reply.header('Link', linksOf(reply, answer.code));
  return reply
    .header('Request-Id', request.id)
    .headers(ANSWER_HEADERS)
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .send(answer.toBody(asksForCommands(request) ? 'command' : 'message'));
}

/** Where a code is explained. */
export const helpLink = (code: ApiErrorCode): string =>
  `</docs/errors#${code}>; rel="help"; type="text/html"`;

/** Next to the link of a deprecated operation. */
function linksOf(reply: FastifyReply, code: ApiErrorCode): string {
  const link = reply.getHeader('link');
  const help = helpLink(code);
  return typeof link === 'string' ? `${link}, ${help}` : help;
}

/** Sent by the command line, to get error texts that name commands. RFC 7240 §2 */
export const COMMANDS_PREFERRED = 'wording=commands';

function asksForCommands({ headers }: FastifyRequest): boolean {
  return headers['prefer'] === COMMANDS_PREFERRED;
}

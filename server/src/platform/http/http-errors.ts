import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ApiErrorCode, apiError } from '../../errors.ts';
import { isUnavailable } from '../database/db.ts';
import type { Log } from '../log.ts';
import { describeProblem } from './validator.ts';

/** Every fault of a request as the one envelope that callers know. interface.md "Errors" */

/** Seconds a client is asked to wait when the database or the queue cannot take more. */
export const UNAVAILABLE_RETRY_SECONDS = 2;

const FRAMEWORK_CODES: Record<string, ApiErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
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
  if (known === 'payload_too_large')
    return apiError(
      known,
      `The body is larger than the ${request.routeOptions.bodyLimit} bytes that this route takes.`,
    );
  if (known !== undefined) return apiError(known);
  if (isUnavailable(error))
    return apiError('unavailable', undefined, { cause: error, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
  return apiError('internal_error', undefined, { cause: error });
}

export type LogFault = (answer: ApiError, request: FastifyRequest) => void;

/** How often it is told that requests are refused because something is not there or has too much to do (ms). */
const UNAVAILABLE_LOG_EVERY_MS = 1_000;

/** Each fault of ours is a line in the log; while the database is away or the queue full, thousands of refusals share one. */
export function createFaultLog(log: Log): LogFault {
  let lastMs = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (answer, request) => {
    const fields = {
      err: answer.cause ?? answer,
      reqId: request.id,
      method: request.method,
      url: request.routeOptions?.url,
    };
    if (answer.code !== 'unavailable') return log.error(fields, answer.code);
    const nowMs = performance.now();
    untold++;
    if (nowMs - lastMs < UNAVAILABLE_LOG_EVERY_MS) return;
    log.warn({ ...fields, refused: untold }, answer.code);
    lastMs = nowMs;
    untold = 0;
  };
}

export function answerError(
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
  logFault: LogFault,
): FastifyReply {
  const answer = toApiError(error, request);
  if (answer.status >= 500) logFault(answer, request);
  if (answer.retryAfterSeconds !== undefined) reply.header('Retry-After', String(answer.retryAfterSeconds));
  if (answer.status === 401) reply.header('WWW-Authenticate', 'Bearer realm="acuse"');
  return reply
    .header('Request-Id', request.id)
    .code(answer.status)
    .type('application/json; charset=utf-8')
    .send(answer.toBody());
}

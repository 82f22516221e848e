import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { rootOf, type SpanRef, type Tracing } from '../tracing/tracing.ts';
import type { App } from './http.ts';

/** The trace of a request, from its admission to its answer. */
export interface RequestTrace {
  readonly span: SpanRef;
  readonly caller: SpanRef | null;
  readonly messages: string[];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without tracing, or for a refused request. */
    trace: RequestTrace | null;
  }
}

/** API routes only; files, pages, health and metrics have no spans. */
const API = '/v1/';
const LINKS_MAX = 100;

/** A server span per answered API request. Call after authentication was added. */
export function traceRequests(app: App, tracing: Tracing, clock: Pick<Clock, 'now'>): void {
  // After authentication: only an admitted caller's trace context counts.
  app.addHook('onRequest', (request, _reply, done) => {
    if (isApi(request)) request.trace = traceOf(tracing, request);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (isApi(request)) tracing.add(spanOf(request, reply, clock.now()));
    done();
  });
}

function isApi({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith(API) === true;
}

function traceOf(tracing: Tracing, request: FastifyRequest): RequestTrace {
  const { scopes, door } = request.routeOptions.config;
  const { traceparent } = request.headers;
  const isKnown = scopes !== undefined || door !== undefined;
  const caller = isKnown && typeof traceparent === 'string' ? tracing.callersOf(traceparent) : null;
  return { span: tracing.place(caller), caller, messages: [] };
}

function spanOf(request: FastifyRequest, reply: FastifyReply, finishedAt: Date) {
  const { trace, method, routeOptions } = request;
  const { statusCode } = reply;
  const messages = trace?.messages ?? [];
  return {
    name: `${method} ${routeOptions.url}`,
    kind: 'server' as const,
    startedAt: new Date(finishedAt.getTime() - reply.elapsedTime),
    finishedAt,
    isError: statusCode >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': routeOptions.url,
      'http.response.status_code': statusCode,
      'acuse.request_id': request.id,
      'acuse.message_id': messages[0],
      'acuse.messages': messages.length > 1 ? messages.length : undefined,
    },
    ...(trace !== null && { self: trace.span, parent: trace.caller }),
    links: messages.slice(0, LINKS_MAX).map(rootOf),
  };
}

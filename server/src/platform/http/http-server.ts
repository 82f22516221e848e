import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { apiError } from '../../errors.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { createAdmission } from './admission.ts';
import type { App } from './http.ts';
import { answerError, createFaultLog } from './http-errors.ts';
import { compileSchema } from './validator.ts';

/**
 * The HTTP server that every route stands on: request ids, the order of checks (key and state and scope, then media type,
 * then size, then the body), the error envelope, 404 and 405. interface.md "Errors", contract.md "Everywhere".
 */
export interface HttpOptions {
  log: Log;
  /** Runs before anything reads a body: 401, 403. */
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Proxies whose X-Forwarded-For is believed; null: none. */
  trustProxy: readonly string[] | null;
  /** Told of each request once it is answered. */
  onAnswered?(request: FastifyRequest, reply: FastifyReply): void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets the body's exact bytes as a Buffer (the evidence hashes them); it parses them itself. */
    rawBody?: boolean;
    /** Media types that the route takes besides application/json. */
    mediaTypes?: readonly string[];
  }
}

/** Bodies of routes that set no limit of their own (bytes). */
const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
/** A request must have arrived whole within this time (ms), so that slow senders hold nothing for long. */
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function createHttpServer(options: HttpOptions): App {
  const logFault = createFaultLog(options.log);
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Nothing logs through a request: a logger of its own for each would be made in vain.
    childLoggerFactory: (logger) => logger,
    genReqId: () => newId(),
    requestIdHeader: false,
    bodyLimit: DEFAULT_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: options.trustProxy === null ? false : [...options.trustProxy],
    forceCloseConnections: 'idle',
    // A request that arrives on an open connection while we stop is served like any other; the answer closes the connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request as FastifyRequest, reply as FastifyReply, logFault),
    clientErrorHandler(error, socket) {
      const { code } = error as { code?: string };
      // A request that did not arrive in its time is not a wrong one: there is nothing to answer.
      if (!socket.writable || code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy();
      const tooLarge = code === 'HPE_HEADER_OVERFLOW';
      const body = JSON.stringify({
        error: {
          code: 'invalid_parameter',
          message: tooLarge ? 'The request headers are too large.' : 'This is not a valid HTTP request.',
        },
      });
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${newId()}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  }) as unknown as App;

  app.setValidatorCompiler(({ schema, httpPart }) =>
    compileSchema(schema as object, httpPart === 'body' ? 'body' : 'parameters'),
  );
  // Answers are built by present functions with exact fields: plain JSON, nothing coerced or dropped on the way out.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));

  app.addHook(
    'onRequest',
    atOnce((request, reply) => void reply.header('Request-Id', request.id)),
  );
  app.addHook('onRequest', options.authenticate);
  // Before a byte of a body is read: there is nothing here that could take it.
  addNotFound(app);
  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      options.onAnswered?.(request, reply);
      if (options.log.isLevelEnabled('debug')) logRequest(options.log, request, reply);
    }),
  );

  addBodyParsers(app);
  const admission = createAdmission();
  app.addHook('onRequest', admission.enter);
  app.addHook('onResponse', admission.leave);
  app.addHook('preValidation', atOnce(assertNoUselessBody));
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, logFault));
  return app;
}

/** A hook that waits for nothing: as an async function each would cost every request a promise and a turn of the queue. */
function atOnce(run: (request: FastifyRequest, reply: FastifyReply) => void) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    run(request, reply);
    done();
  };
}

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { id: reqId, method, routeOptions } = request;
  const ms = Math.round(reply.elapsedTime);
  log.debug({ reqId, method, url: routeOptions.url ?? 'unknown', status: reply.statusCode, ms }, 'request');
}

function addBodyParsers(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.rawBody === true) return done(null, body);
    // Clients that always send the header send it with nothing behind it too.
    if (body.length === 0) return done(null, undefined);
    const parsed = parseJson(body as Buffer);
    return parsed.ok ? done(null, parsed.value) : done(apiError('invalid_body', parsed.problem));
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const type = mediaType(request.headers['content-type']);
    if (request.routeOptions.config.mediaTypes?.includes(type)) return done(null, body);
    return done(apiError('unsupported_media_type', unsupported(request)));
  });
  // Media type before size and before the body is read: a body of the wrong kind is refused unread.
  app.addHook('onRequest', atOnce(assertMediaType));
}

function assertMediaType(request: FastifyRequest): void {
  const { method, headers, routeOptions } = request;
  if (method === 'GET' || method === 'HEAD') return;
  const hasBody =
    headers['transfer-encoding'] !== undefined ||
    (headers['content-length'] !== undefined && headers['content-length'] !== '0');
  if (!hasBody && routeOptions.config.rawBody !== true) return;
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw apiError('unsupported_media_type', 'Send the body without Content-Encoding.');
  const type = mediaType(headers['content-type']);
  if (type === 'application/json' && isUtf8(headers['content-type']!)) return;
  if (routeOptions.config.mediaTypes?.includes(type)) return;
  throw apiError('unsupported_media_type', unsupported(request));
}

/** A route that takes no body takes none or `{}`: what somebody sent to be heeded must never be dropped in silence. */
function assertNoUselessBody({ body, routeOptions }: FastifyRequest): void {
  if (body === undefined || routeOptions.schema?.body !== undefined || routeOptions.config.rawBody === true)
    return;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw apiError('invalid_body', 'This route takes no body: send none.');
  const [field] = Object.keys(body);
  if (field !== undefined)
    throw apiError(
      'invalid_body',
      `${field} is not a field of this request, which takes no body: send none.`,
    );
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function isUtf8(header: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(header)?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset);
}

function unsupported(request: FastifyRequest): string {
  const types = ['application/json', ...(request.routeOptions.config.mediaTypes ?? [])];
  return `Send Content-Type ${types.join(' or ')} (UTF-8).`;
}

export type ParsedJson = { ok: true; value: unknown } | { ok: false; problem: string };

/** Strict UTF-8 and JSON; never throws. */
export function parseJson(body: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { ok: false, problem: 'The body is not valid UTF-8.' };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return {
      ok: false,
      problem: `The body is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it does not parse'}.`,
    };
  }
}

/** Paths that exist under another method answer 405 with Allow; all else that is unknown is 404 not_found. */
function addNotFound(app: App): void {
  const known = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', (route) => {
    const entry = known.get(route.url) ?? { pattern: pathPattern(route.url), methods: new Set<string>() };
    for (const method of [route.method].flat()) entry.methods.add(method);
    known.set(route.url, entry);
  });
  function refuseUnknown(request: FastifyRequest, reply: FastifyReply): void {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0]!;
    const methods = [...known.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((entry) => [...entry.methods]);
    if (methods.length === 0) throw apiError('not_found');
    reply.header('Allow', [...new Set(methods)].sort().join(', '));
    throw apiError('method_not_allowed', `This path takes ${[...new Set(methods)].sort().join(', ')}.`);
  }
  app.addHook('onRequest', atOnce(refuseUnknown));
}

function pathPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) =>
      part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('/');
  return new RegExp(`^${source}/?$`);
}

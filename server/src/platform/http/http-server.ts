import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { apiError, notAccepted } from '../../errors.ts';
import { newId } from '../ids.ts';
import type { Log } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { type Admission, createAdmission, type Held } from './admission.ts';
import { type BodyPace, type BodyReader, createBodyReader, REQUEST_TIMEOUT_MS } from './body.ts';
import { type Connections, createConnections } from './connections.ts';
import { isStream, limitCostlyRequests, STREAM_HELD_BYTES } from './costly-requests.ts';
import { checkDeprecation, deprecationHeaders } from './deprecation.ts';
import type { App } from './http.ts';
import { ANSWER_HEADERS, answerError, ClientGone, createFaultLog, createGoneLog } from './http-errors.ts';
import { parseJson } from './json-body.ts';
import { createShedding, REFUSAL_PAUSE_MS, watchLoopLag } from './shedding.ts';
import { addUnknownPaths } from './unknown-paths.ts';
import { readUrlParameters } from './url-parameters.ts';
import { createValidator } from './validator.ts';

/**
 * The HTTP server of all routes: request ids, the order of checks (key, state and scope, then media type,
 * size, body), the error envelope, 404 and 405. docs/errors.md has the order for callers.
 */
export interface HttpOptions {
  log: Log;
  /** Runs before the body is read: 401, 403. */
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  trustProxy: readonly string[] | null;
  onAnswered?(request: FastifyRequest, reply: FastifyReply): void;
  metrics?: Metrics;
  /** The longest wait of the account's work (ms), for routes with `sheds`. Absent: nothing is shed. */
  waitedMs?(tenantId: string): number;
  bodyPace?: BodyPace;
  connections?: { max: number };
  streamTurnMs?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    held: Held | null;
  }
  interface FastifyContextConfig {
    /** The handler gets the exact bytes as a Buffer (evidence hashes them) and parses them itself. */
    rawBody?: boolean;
    /** From this size on the handler gets a Buffer, to be parsed off the event loop. */
    rawBodyFrom?: number;
    /** In addition to application/json. */
    mediaTypes?: readonly string[];
  }
}

const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
/** Time for headers (ms), from the opening of the connection or the first byte of a later request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** How often the time-outs are checked (ms). */
const CONNECTIONS_CHECKED_EVERY_MS = 5_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Time-out of a silent connection (ms), also when the client does not read. */
const STILL_TIMEOUT_MS = 180_000;

export function createHttpServer(options: HttpOptions): App {
  const logFault = createFaultLog(options.log);
  const admission = createAdmission();
  const connections = createConnections({
    admission,
    trustProxy: options.trustProxy,
    onGone: createGoneLog(options.log),
    ...options.connections,
  });
  const shedding =
    options.waitedMs && createShedding({ admission, waitedMs: options.waitedMs, loop: watchLoopLag() });
  const bodies = createBodyReader(admission, options.bodyPace);
  const noticeProxy = options.trustProxy === null ? createProxyNotice(options.log) : null;
  const app = createFastify(options, connections, logFault);

  app.setValidatorCompiler(({ schema, httpPart }) =>
    createValidator(schema as object, httpPart === 'body' ? 'body' : 'parameters'),
  );
  // Answers are built field by field: plain JSON, nothing coerced or dropped.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));

  if (options.metrics !== undefined) addMetrics(options.metrics, admission, connections);
  connections.guard(app.server);
  // No header is dropped in silence; their total size is bounded.
  app.server.maxHeadersCount = 0;
  app.decorateRequest('held', null);
  app.decorateRequest('watched', null);
  app.decorateRequest('trace', null);
  app.addHook(
    'onRequest',
    atOnce((request, reply) => {
      reply.header('Request-Id', request.id).headers(ANSWER_HEADERS);
      const { deprecation } = request.routeOptions.config;
      if (deprecation !== undefined) reply.headers(deprecationHeaders(deprecation));
      noticeProxy?.(request);
      assertSingleHeaders(request.raw.rawHeaders);
    }),
  );
  app.addHook('onRequest', options.authenticate);
  addUnknownPaths(app);
  app.addHook(
    'onResponse',
    atOnce((request, reply) => {
      if (request.held !== null && reply.statusCode < 300) shedding?.done(request.held.work);
      connections.settle(request);
      options.onAnswered?.(request, reply);
      if (options.log.isLevelEnabled('debug')) logRequest(options.log, request, reply);
    }),
  );

  addBodyParsers(app, bodies);
  addAdmission(app, { admission, connections, shedding });
  app.addHook('onClose', async () => {
    bodies.close();
    shedding?.close();
  });
  app.addHook('preValidation', atOnce(assertNoUselessBody));
  app.addHook('onRoute', checkDeprecation);
  app.addHook('onRoute', readUrlParameters);
  app.addHook('onRoute', limitCostlyRequests(options.streamTurnMs));
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, logFault));
  return app;
}

function createFastify(
  options: HttpOptions,
  connections: Connections,
  logFault: ReturnType<typeof createFaultLog>,
): App {
  return Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // Nothing logs through a request: a logger for each would be wasted.
    childLoggerFactory: (logger) => logger,
    genReqId: () => newId(),
    requestIdHeader: false,
    bodyLimit: DEFAULT_BODY_LIMIT_BYTES,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECKED_EVERY_MS },
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: STILL_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    trustProxy: options.trustProxy === null ? false : [...options.trustProxy],
    forceCloseConnections: 'idle',
    // While stopping, a request on an open connection is served, and its answer closes the connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request as FastifyRequest, reply as FastifyReply, logFault),
    clientErrorHandler: (error, socket) => connections.refuse(error, socket),
  }) as unknown as App;
}

/** Once only: a client that sends the header could fill the log. */
function createProxyNotice(log: Log): (request: FastifyRequest) => void {
  let said = false;
  return ({ headers, ip }) => {
    if (said || (headers['x-forwarded-for'] ?? headers['forwarded'] ?? headers['x-real-ip']) === undefined)
      return;
    said = true;
    log.warn(
      { client: ip },
      `a request came with the address of another client: if ${ip} is your proxy, set ACUSE_TRUST_PROXY=${ip}; without it, limits and records take everybody behind it for one client`,
    );
  };
}

interface Guards {
  readonly admission: Admission;
  readonly connections: Connections;
  readonly shedding: ReturnType<typeof createShedding> | undefined;
}

/** Counts a request from the key's look-up to its answer. */
function addAdmission(app: App, { admission, connections, shedding }: Guards): void {
  function enter(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    // Disconnected while its key was looked up: no event follows.
    if (request.raw.socket?.destroyed === true) return void done(new ClientGone());
    // Health checks are answered whatever the load.
    if (request.routeOptions.config.probe === true) return void done();
    const work = shedding === undefined ? 0 : shedding.admit(request);
    if (work === null) return void setTimeout(done, REFUSAL_PAUSE_MS, notAccepted());
    request.held = admission.enter(request, work);
    connections.watch(request, request.held);
    done();
  }
  app.addHook('onRequest', enter);
  // Once the body is complete: an announced body that does not come costs no work.
  app.addHook(
    'preValidation',
    atOnce(({ held }) => {
      if (held !== null) admission.begin(held);
    }),
  );
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { held } = request;
    // The work for a vanished client ends here, not with its answer.
    const gone = connections.worked(request);
    const bytes = bytesOf(payload, request.routeOptions.config.costly === true);
    if (!gone && held !== null && bytes > 0) admission.answer(held, bytes, () => connections.cutOff(request));
    done(null, payload);
  });
}

/** What an answer holds until it is out. Live pages hold next to nothing. */
function bytesOf(payload: unknown, isCostly: boolean): number {
  if (typeof payload === 'string' || payload instanceof Uint8Array) return payload.length;
  return isCostly && isStream(payload) ? STREAM_HELD_BYTES : 0;
}

function addMetrics(metrics: Metrics, admission: Admission, connections: Connections): void {
  metrics.gauge(
    'acuse_http_held_bytes',
    'Bytes that requests under way hold, each counted as 16 KiB at least.',
    admission.heldBytes,
  );
  metrics.gauge('acuse_http_requests_under_way', 'HTTP requests under way.', admission.requests);
  metrics.gauge('acuse_http_connections', 'Open HTTP connections.', connections.open);
}

/**
 * Headers that decide identity or meaning: proxies and servers disagree which of two counts. RFC 9110 §5.3
 */
const SINGLE_HEADERS = new Set(['authorization', 'content-type', 'host', 'idempotency-key']);
const SINGLE_HEADER_CHARS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** `raw`: names and values in turn. */
function assertSingleHeaders(raw: readonly string[]): void {
  let seen: string[] | null = null;
  for (let at = 0; at < raw.length; at += 2) {
    if (!SINGLE_HEADER_CHARS.has(raw[at]!.length)) continue;
    const name = raw[at]!.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen?.includes(name))
      throw apiError('invalid_parameter', `The header ${name} appears twice: send it once.`);
    if (seen === null) seen = [name];
    else seen.push(name);
  }
}

/** A synchronous hook: an async one costs each request a promise and a turn. */
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

function addBodyParsers(app: App, bodies: BodyReader): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await bodies.read(request, payload);
    const { rawBody, rawBodyFrom = Number.POSITIVE_INFINITY } = request.routeOptions.config;
    if (rawBody === true || body.length >= rawBodyFrom) return body;
    // Some clients send the header with an empty body.
    if (body.length === 0) return undefined;
    const parsed = parseJson(body);
    if (!parsed.ok) throw apiError('invalid_body', parsed.problem);
    return parsed.value;
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const type = mediaType(request.headers['content-type']);
    if (request.routeOptions.config.mediaTypes?.includes(type)) return bodies.read(request, payload);
    throw apiError('unsupported_media_type', unsupported(request));
  });
  // Media type before size and body: a wrong type is refused unread.
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

/** A route without a body accepts none or `{}`: nothing sent on purpose is dropped silently. */
function assertNoUselessBody({ body, routeOptions }: FastifyRequest): void {
  if (body === undefined || routeOptions.schema?.body !== undefined || routeOptions.config.rawBody === true)
    return;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw apiError('invalid_body', 'This endpoint takes no body: send none.');
  const [field] = Object.keys(body);
  if (field !== undefined)
    throw apiError('invalid_body', `${field} is not a field of this request: this endpoint takes no body.`);
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

import { connect as connectTcp, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { request } from 'undici';
import type { Config } from '../../config/config-type.ts';
import type { Role } from '../../config/role-duties.ts';
import { limitedSignal } from '../../platform/limited-signal.ts';

export interface Listener {
  readonly role: Role | 'metrics';
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  readonly speaks: 'http' | 'smtp' | 'smtps';
}

/** `foreign`: not Acuse. */
export type Heard =
  | { readonly kind: 'answers'; readonly said: string }
  | { readonly kind: 'foreign'; readonly said: string }
  | { readonly kind: 'silent'; readonly why: string };

/** For local listeners, and for the remote greeting (ms). */
const ANSWER_MS = 5_000;
/** Longest greeting that is read, and shown. RFC 5321 §4.5.3.1.5 */
const GREETING_MAX_CHARS = 512;

/** Listeners with a fixed port; 0 takes any. */
export function listenersOf(config: Config): Listener[] {
  const { roles, host } = config;
  const has = (role: Role) => roles.includes(role);
  const smtp = (role: Role, at: string, variable: string, port: number | null, tls = false): Listener[] =>
    has(role) && port !== null ? [{ role, variable, host: at, port, speaks: tls ? 'smtps' : 'smtp' }] : [];
  const http = (role: Role | 'metrics', at: string, variable: string, port: number): Listener => ({
    ...{ role, variable, host: at, port },
    speaks: 'http',
  });
  return [
    http('api', host, 'ACUSE_PORT', config.port),
    ...(has('admin') ? [http('admin', config.adminHost, 'ACUSE_ADMIN_PORT', config.adminPort)] : []),
    ...(config.metricsPort === null
      ? []
      : [http('metrics', config.metricsHost, 'ACUSE_METRICS_PORT', config.metricsPort)]),
    ...smtp('return-path', config.returnPathHost, 'ACUSE_RETURN_PATH_PORT', config.returnPathPort),
    ...smtp('submission', config.submissionHost, 'ACUSE_SUBMISSION_PORT', config.submissionPort),
    ...smtp('submission', config.submissionHost, 'ACUSE_SUBMISSIONS_PORT', config.submissionsPort, true),
  ].filter(({ port }) => port > 0);
}

export async function hear(listener: Listener, hostname: string, signal: AbortSignal): Promise<Heard> {
  const host = reachableHost(listener.host);
  if (listener.speaks === 'http') return hearHttp(listener, host, signal);
  const heard = await greetingOf({ host, port: listener.port, tls: listener.speaks === 'smtps' }, signal);
  if (heard.kind !== 'answers' || heard.said.startsWith(`220 ${hostname} `)) return heard;
  return { kind: 'foreign', said: heard.said };
}

/** The path to ask, and the expected content. */
const WEB: { readonly [role: string]: { path: string; sign: string }; api: { path: string; sign: string } } =
  {
    api: { path: '/healthz', sign: '"status":"ok"' },
    admin: { path: '/', sign: '<title>Acuse</title>' },
    metrics: { path: '/metrics', sign: '# HELP' },
  };

async function hearHttp({ role, port }: Listener, host: string, signal: AbortSignal): Promise<Heard> {
  const { path, sign } = WEB[role] ?? WEB.api;
  try {
    const answer = await request(`http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`, {
      signal: limitedSignal(ANSWER_MS, signal),
    });
    const text = (await answer.body.text()).slice(0, GREETING_MAX_CHARS);
    return { kind: text.includes(sign) ? 'answers' : 'foreign', said: `HTTP ${answer.statusCode}` };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'silent', why: code ?? message };
  }
}

/** The first line that an SMTP server says. RFC 5321 §4.2 */
export function greetingOf(
  { host, port, tls }: { host: string; port: number; tls: boolean },
  signal: AbortSignal,
): Promise<Heard> {
  return new Promise((resolve) => {
    // certificates.ts checks it.
    const socket = tls ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port });
    let said = '';
    const finish = (heard: Heard) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.destroy();
      resolve(heard);
    };
    const onAbort = () => finish({ kind: 'silent', why: 'no answer' });
    const timer = setTimeout(
      () => finish({ kind: 'silent', why: `no answer within ${ANSWER_MS / 1_000} s` }),
      ANSWER_MS,
    );
    signal.addEventListener('abort', onAbort);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      finish({ kind: 'silent', why: error.code ?? error.message }),
    );
    socket.on('close', () => finish({ kind: 'silent', why: 'closed without a greeting' }));
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      said += String(chunk);
      const line = /^[^\r\n]*(?=\r?\n)/.exec(said)?.[0] ?? (said.length > GREETING_MAX_CHARS ? said : null);
      if (line === null) return;
      finish({
        kind: line.startsWith('220') ? 'answers' : 'foreign',
        said: line.slice(0, GREETING_MAX_CHARS),
      });
    });
  });
}

/** Null: it may. */
export function tryToListen({ host, port }: Listener): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host;
}

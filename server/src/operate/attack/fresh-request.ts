import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { limitedSignal } from '../../platform/limited-signal.ts';
import type { Route } from './target.ts';

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: whatever the system takes. */
  readonly route?: Route;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface Told {
  /** 0: no answer. */
  readonly status: number;
  readonly cookie: string | null;
  readonly body: string;
}

const TIMEOUT_MS = 10_000;
const BODY_MAX_CHARS = 64 * 1024;

/** One request over a new connection, which has to be let in. */
export function ask(base: URL, { method = 'GET', path, headers = {}, body, ...how }: Ask): Promise<Told> {
  const isSecure = base.protocol === 'https:';
  const request = isSecure ? httpsRequest : httpRequest;
  const signal = limitedSignal(
    how.timeoutMs ?? TIMEOUT_MS,
    ...(how.signal === undefined ? [] : [how.signal]),
  );
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, cookie: null, body: '' });
    const asking = request(
      new URL(path, base),
      {
        method,
        signal,
        agent: isSecure ? new HttpsAgent() : new HttpAgent(),
        headers: {
          host: base.host,
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(how.route !== undefined && { ...how.route, hostname: how.route.host }),
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          if (text.length < BODY_MAX_CHARS) text += chunk;
        });
        answer.once('error', nothing);
        answer.once('end', () => {
          const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? null;
          resolve({ status: answer.statusCode ?? 0, cookie, body: text });
        });
      },
    );
    asking.once('error', nothing);
    asking.end(body);
  });
}

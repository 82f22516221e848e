/** TLS through an HTTP proxy: CONNECT first, the handshake with the server after it. RFC 9110 §9.3.6 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { proxyAuthorization } from './proxy-authorization.ts';
import { HttpFailure } from './transport.ts';

type Created = (error: Error | null, socket: Duplex) => void;

/** An agent whose connections all pass through `proxy`. */
export function tunnelAgent(options: https.AgentOptions, proxy: URL): https.Agent {
  return new TunnelAgent(options, proxy);
}

class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(options: https.AgentOptions, proxy: URL) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: https.RequestOptions, done?: Created): undefined {
    const { host, port, servername } = options as { host: string; port: number; servername?: string };
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const request = http.request({
      hostname: this.#proxy.hostname.replace(/^\[|\]$/g, ''),
      port: this.#proxy.port === '' ? 80 : this.#proxy.port,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...proxyAuthorization(this.#proxy) },
      agent: false,
    });
    const fail = (error: Error) => done?.(error, undefined as never);
    request.once('error', fail);
    request.once('response', (answer) => {
      answer.resume();
      fail(new Error(`the proxy answered ${answer.statusCode}`));
    });
    request.once('connect', (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        fail(new Error(`the proxy answered ${answer.statusCode}`));
        return;
      }
      const name = servername ?? host;
      const secured = tls.connect({ ...(options as tls.ConnectionOptions), socket, servername: name });
      const failed = (cause: Error) =>
        fail(new HttpFailure('tls', 'tls', `The TLS handshake failed: ${cause.message}.`, { cause }));
      secured.once('error', failed);
      secured.once('secureConnect', () => {
        secured.off('error', failed);
        done?.(null, secured);
      });
    });
    request.end();
    return undefined;
  }
}

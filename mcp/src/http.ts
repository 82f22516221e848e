/** Streamable HTTP without sessions: each request brings its own key, which is passed on and never kept. */
import { createServer as createHttp, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { type Config, SettingError } from './config.ts';
import { createServer } from './server.ts';
import { openSession } from './session.ts';

/** Attachments of 10 MiB in base64, and the rest. */
const BODY_MAX_BYTES = 16 * 2 ** 20;
const BEARER = /^Bearer (acuse_[A-Za-z0-9_-]{1,200})$/;

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `address`: host and port. Throws SettingError for an address that is not this machine's without hosts. */
export async function serveHttp(
  config: Config,
  address: string,
  log: (line: string) => void,
): Promise<HttpServer> {
  const { host, port } = addressOf(address);
  if (
    !localhostAllowedHostnames().includes(host.includes(':') ? `[${host}]` : host) &&
    config.hosts.length === 0
  )
    throw new SettingError(
      'Listening beyond this machine needs ACUSE_MCP_HOSTS: the names under which clients reach it, over TLS.',
    );
  const handler = handlerOf(config, log);
  const listener = toNodeHandler({
    fetch: (request, options) => guarded(config, request, () => handler.fetch(request, options)),
  });
  const server = createHttp((request, response) => {
    listener(request as NodeIncomingMessageLike, response).catch(() => response.destroy());
  });
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function handlerOf(config: Config, log: (line: string) => void) {
  return createMcpHandler(
    async ({ requestInfo }) => {
      const apiKey = BEARER.exec(requestInfo?.headers.get('authorization') ?? '')?.[1];
      const session = openSession({ apiKey, config, way: 'http', log });
      const server = await createServer(session);
      server.server.onclose = () => session.acuse.close();
      return server;
    },
    { maxRequestBodySize: BODY_MAX_BYTES, onerror: (error) => log(`request: ${error.name}`) },
  );
}

/** What must hold before anything of a request is read. */
async function guarded(config: Config, request: Request, serve: () => Promise<Response>): Promise<Response> {
  const hosts = [...localhostAllowedHostnames(), ...config.hosts];
  const origins = [...localhostAllowedOrigins(), ...config.hosts];
  const refused = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins);
  if (refused !== undefined) return refused;
  if (new URL(request.url).pathname !== '/mcp')
    return new Response('Not found: use /mcp.\n', { status: 404 });
  if (!BEARER.test(request.headers.get('authorization') ?? ''))
    return new Response('Send Authorization: Bearer <API key>.\n', {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="acuse"' },
    });
  return serve();
}

function addressOf(text: string): { readonly host: string; readonly port: number } {
  const colon = text.lastIndexOf(':');
  const host = text.slice(0, colon).replace(/^\[|\]$/g, '');
  const port = /^\d{1,5}$/.test(text.slice(colon + 1)) ? Number(text.slice(colon + 1)) : -1;
  if (colon <= 0 || host === '' || port < 0 || port > 65_535)
    throw new SettingError(`--http takes host:port, such as 127.0.0.1:8026, not ${text}.`);
  return { host, port };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

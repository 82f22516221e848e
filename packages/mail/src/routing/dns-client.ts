import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { connect, isIP } from 'node:net';
import {
  type DnsAnswer,
  type DnsData,
  type DnsType,
  decodeAnswer,
  encodeQuery,
  RCODE,
} from './dns-message.ts';

/**
 * The servers to ask, and how long; `servers` are `address`, `address:port` or `[v6]:port`, default the
 * system's.
 */
export interface DnsClientOptions {
  readonly servers?: readonly string[];
  /** Time for one answer of one server, ms. */
  readonly timeoutMs?: number;
  /** Rounds over all servers. */
  readonly rounds?: number;
}

/** An answer, or the reason for its absence: nobody answered in time, or every answer was a failure. */
export type DnsResult<T> =
  | { readonly kind: 'answer'; readonly answer: DnsAnswer<T> }
  | { readonly kind: 'timeout' | 'servfail'; readonly detail: string };

export type DnsQuery = <T extends DnsType>(name: string, type: T) => Promise<DnsResult<DnsData[T]>>;

const DEFAULT_TIMEOUT_MS = 3_000;
const DEFAULT_ROUNDS = 2;
const DNS_PORT = 53;

/**
 * A client of recursive resolvers: UDP from a fresh port with a random id for each question (RFC 5452 §9.2),
 * TCP where the answer was cut.
 */
export function createDnsClient(options: DnsClientOptions = {}): DnsQuery {
  const configured = options.servers ?? [];
  const servers = (configured.length > 0 ? configured : getServers()).map(parseServer);
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const rounds = options.rounds ?? DEFAULT_ROUNDS;
  return async (name, type) => {
    let failure: { kind: 'timeout' | 'servfail'; detail: string } = {
      kind: 'timeout',
      detail: 'no DNS server',
    };
    for (let round = 0; round < rounds; round += 1) {
      for (const server of servers) {
        const answer = await ask(server, name, type, timeoutMs);
        if (typeof answer === 'string') {
          // A server that answered SERVFAIL tells more than one that did not answer.
          if (failure.kind === 'timeout')
            failure = { kind: 'timeout', detail: `${server.address}: ${answer}` };
          continue;
        }
        if (answer.rcode === RCODE.noError || answer.rcode === RCODE.nxDomain)
          return { kind: 'answer', answer };
        failure = {
          kind: 'servfail',
          detail: `${server.address}: rcode ${answer.rcode} for ${name} ${type}`,
        };
      }
    }
    return failure;
  };
}

interface Server {
  readonly address: string;
  readonly port: number;
}

/** Throws TypeError on what is not a server. */
function parseServer(text: string): Server {
  const bracketed = /^\[([0-9a-fA-F:.]+)\](?::(\d{1,5}))?$/.exec(text);
  const plain = isIP(text) === 6 ? [text, text] : /^([0-9.]+)(?::(\d{1,5}))?$/.exec(text);
  const [, address = '', port] = bracketed ?? plain ?? [];
  if (isIP(address) === 0) throw new TypeError(`${text} is not a DNS server`);
  return { address, port: port === undefined ? DNS_PORT : Number(port) };
}

/** The answer, or a text that says why there is none. */
async function ask<T extends DnsType>(
  server: Server,
  name: string,
  type: T,
  timeoutMs: number,
): Promise<DnsAnswer<DnsData[T]> | string> {
  const id = randomInt(0x10000);
  const query = encodeQuery(id, name, type);
  // Such a name cannot be in the DNS, so that it does not exist.
  if (query === null) return NO_SUCH_NAME;
  const read = (bytes: Uint8Array) => decodeAnswer(bytes, { id, name, type });
  const answer = await askUdp(server, query, read, timeoutMs);
  if (typeof answer === 'string' || !answer.truncated) return answer;
  return askTcp(server, query, read, timeoutMs);
}

const NO_SUCH_NAME = {
  rcode: RCODE.nxDomain,
  truncated: false,
  authenticated: false,
  records: [],
  ttlSeconds: 0,
};

function askUdp<A>(
  server: Server,
  query: Uint8Array,
  read: (bytes: Uint8Array) => A | null,
  timeoutMs: number,
): Promise<A | string> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(server.address) === 6 ? 'udp6' : 'udp4');
    const finish = (result: A | string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.close();
      resolve(result);
    };
    const timer = setTimeout(() => finish(`no answer within ${timeoutMs} ms`), timeoutMs);
    socket.on('error', (error) => finish(error.message));
    socket.on('message', (bytes) => {
      const answer = read(bytes);
      // A datagram that is not an answer to this question may be a forger's: the true one can still come.
      if (answer !== null) finish(answer);
    });
    // A connected socket takes datagrams of this server only, and hears of a closed port.
    socket.connect(server.port, server.address, () => socket.send(query));
  });
}

/** Octets of a DNS message over TCP. RFC 1035 §4.2.2 */
const MAX_TCP_BYTES = 65_537;

function askTcp<A>(
  server: Server,
  query: Uint8Array,
  read: (bytes: Uint8Array) => A | null,
  timeoutMs: number,
): Promise<A | string> {
  return new Promise((resolve) => {
    const socket = connect({ host: server.address, port: server.port });
    let received = Buffer.alloc(0);
    const finish = (result: A | string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => finish(`no answer over TCP within ${timeoutMs} ms`), timeoutMs);
    socket.on('error', (error) => finish(error.message));
    socket.on('close', () => finish('closed without an answer'));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length > MAX_TCP_BYTES) finish('too long an answer');
      else if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        finish(read(received.subarray(2, 2 + received.readUInt16BE(0))) ?? 'a malformed answer');
      }
    });
  });
}

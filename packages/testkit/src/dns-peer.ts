/**
 * A scripted DNS server for tests, over UDP and TCP: answers as told, also wrongly, and counts the questions.
 */
import { createSocket } from 'node:dgram';
import { createServer, isIPv6, type Socket } from 'node:net';

/** A record's data, by type. */
export type PeerData =
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'PTR' | 'TXT'; readonly value: string }
  | { readonly type: 'MX'; readonly preference: number; readonly exchange: string }
  | {
      readonly type: 'TLSA';
      readonly usage: number;
      readonly selector: number;
      readonly matching: number;
      readonly data: Uint8Array;
    };

export type PeerRecord = PeerData & { readonly name?: string; readonly ttl?: number };

export interface PeerAnswer {
  readonly records?: readonly PeerRecord[];
  readonly rcode?: number;
  readonly authenticated?: boolean;
  /** Seconds that an absence may be kept: an SOA is added. */
  readonly negativeTtl?: number;
  /** Cut over UDP, so that the client comes back over TCP. */
  readonly truncated?: boolean;
  /** `silent` says nothing; `wrong-id` and `wrong-question` answer as a forger; `garbage` sends rubbish. */
  readonly fault?: 'silent' | 'wrong-id' | 'wrong-question' | 'garbage' | 'cut';
}

/** The answer to `name type`; undefined is NXDOMAIN. */
export type DnsScript = (name: string, type: string, over: 'udp' | 'tcp') => PeerAnswer | undefined;

export interface DnsPeer {
  /** As resolvers are configured: `127.0.0.1:<port>`. */
  readonly server: string;
  /** `MX example.test`, in the order they were asked. */
  readonly questions: string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, number>> = {
  A: 1,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  TLSA: 52,
};

export async function startDnsPeer(script: DnsScript): Promise<DnsPeer> {
  const questions: string[] = [];
  const udp = createSocket('udp4');
  const tcp = createServer();
  const sockets = new Set<Socket>();
  const respond = (query: Buffer, over: 'udp' | 'tcp'): Buffer | null => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type} ${name}`);
    const answer = script(name, type, over) ?? { rcode: 3 };
    return answer.fault === 'silent' ? null : build(query, end, name, answer, over);
  };
  udp.on('message', (query, from) => {
    const response = respond(query, 'udp');
    if (response !== null) udp.send(response, from.port, from.address);
  });
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk: Buffer) => {
      const response = respond(chunk.subarray(2), 'tcp');
      if (response === null) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    });
  });
  // One port for both: taken over TCP first, as UDP ports are rarely in use.
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const address = tcp.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise<void>((resolve) => udp.bind(address.port, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${address.port}`,
    questions,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => udp.close(() => resolve()));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    const size = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += size + 1;
  }
  const number = query.readUInt16BE(at + 1);
  const type = Object.entries(TYPES).find(([, value]) => value === number)?.[0] ?? String(number);
  return { name: labels.join('.'), type, end: at + 5 };
}

function build(
  query: Buffer,
  questionEnd: number,
  name: string,
  answer: PeerAnswer,
  over: 'udp' | 'tcp',
): Buffer {
  const cut = answer.truncated === true && over === 'udp';
  const records = cut ? [] : (answer.records ?? []);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  if (answer.fault === 'wrong-id') header.writeUInt16BE(query.readUInt16BE(0) ^ 1, 0);
  const flags =
    0x8180 | (cut ? 0x0200 : 0) | (answer.authenticated === true ? 0x0020 : 0) | (answer.rcode ?? 0);
  header.writeUInt16BE(flags, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(answer.negativeTtl === undefined ? 0 : 1, 8);
  const question = Buffer.from(query.subarray(12, questionEnd));
  if (answer.fault === 'wrong-question') question[1] = question[1] === 0x78 ? 0x79 : 0x78;
  const parts = [header, question, ...records.map((one) => record(one.name ?? name, one))];
  if (answer.negativeTtl !== undefined) parts.push(soa(name, answer.negativeTtl));
  const whole = Buffer.concat(parts);
  if (answer.fault === 'garbage') return Buffer.from('not DNS at all');
  return answer.fault === 'cut' ? whole.subarray(0, whole.length - 3) : whole;
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter(Boolean);
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
    Buffer.from([0]),
  ]);
}

function record(name: string, one: PeerRecord): Buffer {
  return withHead(name, TYPES[one.type]!, one.ttl ?? 300, rdata(one));
}

function withHead(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt32BE(ttl, 4);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), head, data]);
}

function soa(name: string, minimum: number): Buffer {
  const numbers = Buffer.alloc(20);
  numbers.writeUInt32BE(minimum, 16);
  return withHead(
    name,
    TYPES['SOA']!,
    3_600,
    Buffer.concat([encodeName('ns.test'), encodeName('admin.test'), numbers]),
  );
}

function rdata(one: PeerData): Buffer {
  switch (one.type) {
    case 'A':
      return Buffer.from(one.value.split('.').map(Number));
    case 'AAAA':
      return ipv6Bytes(one.value);
    case 'CNAME':
    case 'PTR':
      return encodeName(one.value);
    case 'TXT': {
      const bytes = Buffer.from(one.value);
      const strings: Buffer[] = [];
      for (let at = 0; at < bytes.length || at === 0; at += 255) {
        const piece = bytes.subarray(at, at + 255);
        strings.push(Buffer.from([piece.length]), piece);
      }
      return Buffer.concat(strings);
    }
    case 'MX': {
      const preference = Buffer.alloc(2);
      preference.writeUInt16BE(one.preference);
      return Buffer.concat([preference, encodeName(one.exchange)]);
    }
    case 'TLSA':
      return Buffer.concat([Buffer.from([one.usage, one.selector, one.matching]), one.data]);
  }
}

function ipv6Bytes(text: string): Buffer {
  if (!isIPv6(text)) throw new TypeError(`${text} is no IPv6 address`);
  const [head = '', tail = ''] = text.split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const fill = 8 - groups(head).length - groups(tail).length;
  const all = text.includes('::')
    ? [...groups(head), ...Array(fill).fill('0'), ...groups(tail)]
    : groups(head);
  const out = Buffer.alloc(16);
  for (const [i, group] of all.entries()) out.writeUInt16BE(Number.parseInt(group, 16), i * 2);
  return out;
}

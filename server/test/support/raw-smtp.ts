import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';

/** An SMTP client that checks nothing and writes whatever bytes a test gives it. */
export interface RawSmtp {
  /** The next whole reply, its lines joined by LF. Rejects when the server hangs up before it is there. */
  reply(): Promise<string>;
  /** Writes a line and returns its reply. */
  command(line: string): Promise<string>;
  write(bytes: string | Uint8Array): void;
  /** STARTTLS, and a new EHLO, whose reply it returns. */
  startTls(): Promise<string>;
  /** As startTls, once the command was written and answered. */
  startTlsAfterReply(): Promise<string>;
  /** AUTH PLAIN with an API key; returns the reply. */
  login(key: string): Promise<string>;
  peerCertificate(): PeerCertificate;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>;
  end(): void;
}

/** Connects and reads the greeting; with `tls` from the first byte, from an address of the loopback range. */
export async function openRawSmtp(
  port: number,
  options: { tls?: boolean; localAddress?: string } = {},
): Promise<RawSmtp> {
  const plain = connect({ port, host: '127.0.0.1', localAddress: options.localAddress });
  await once(plain, 'connect');
  const smtp = rawSmtp(options.tls === true ? await secure(plain) : plain);
  await smtp.reply();
  return smtp;
}

async function secure(plain: Socket): Promise<TLSSocket> {
  // Nothing is sent over these connections but what a test made up.
  const socket = connectTls({ socket: plain, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

const LAST_LINE = /^\d{3}(?: .*)?$/;

function rawSmtp(first: Socket): RawSmtp {
  let socket = first;
  let received = '';
  let ended = false;
  let notify: () => void = () => {};
  let closed: Promise<unknown>;

  function listenTo(next: Socket): void {
    socket = next;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('utf8');
      notify();
    });
    socket.on('error', () => {});
    closed = new Promise((resolve) => socket.once('close', resolve));
    socket.once('close', () => {
      ended = true;
      notify();
    });
  }

  function takeReply(): string | null {
    const lines = received.split('\r\n');
    const last = lines.slice(0, -1).findIndex((line) => LAST_LINE.test(line));
    if (last === -1) return null;
    received = lines.slice(last + 1).join('\r\n');
    return lines.slice(0, last + 1).join('\n');
  }

  async function reply(): Promise<string> {
    for (;;) {
      const found = takeReply();
      if (found !== null) return found;
      if (ended) throw new Error(`the server hung up after ${JSON.stringify(received)}`);
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  }

  async function command(line: string): Promise<string> {
    socket.write(`${line}\r\n`);
    return reply();
  }

  async function shake(): Promise<string> {
    socket.removeAllListeners();
    listenTo(await secure(socket));
    return command('EHLO client.test');
  }

  listenTo(first);
  return {
    reply,
    command,
    write: (bytes) => void socket.write(bytes),
    async startTls() {
      await command('STARTTLS');
      return shake();
    },
    startTlsAfterReply: shake,
    login: (key) => command(`AUTH PLAIN ${Buffer.from(`\0anybody\0${key}`).toString('base64')}`),
    peerCertificate: () => (socket as TLSSocket).getPeerCertificate(),
    get closed() {
      return closed;
    },
    end: () => socket.destroy(),
  };
}

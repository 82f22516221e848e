import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Route } from './target.ts';

/** As much SMTP as an attacker needs: it reads replies, and sends what it likes. */
export interface Conversation {
  readonly socket: Socket;
  /** The code of the next reply; 0 when the connection ended. */
  reply(): Promise<number>;
  say(line: string): Promise<number>;
  end(): void;
}

export async function converse(
  to: Route & { readonly port: number },
  signal: AbortSignal,
): Promise<Conversation> {
  const plain = connect(to);
  let current = plain;
  signal.addEventListener('abort', () => current.destroy(), { once: true });
  let talk = over(plain);
  await talk.reply();
  if ((await talk.say('EHLO attack.invalid')) === 250 && (await talk.say('STARTTLS')) === 220) {
    // The operator attacks an installation of their own: its certificate does not matter.
    const secure = connectTls({ socket: plain, rejectUnauthorized: false });
    await untilOne(secure, 'secureConnect', 'error', 'close');
    current = secure;
    talk = over(secure);
    await talk.say('EHLO attack.invalid');
  }
  return talk;
}

/** Waits for the first of `events`, and leaves no listener behind. */
export function untilOne(socket: Socket, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      for (const event of events) socket.removeListener(event, end);
      resolve();
    };
    for (const event of events) socket.on(event, end);
  });
}

function over(socket: Socket): Conversation {
  let text = '';
  let wake = () => {};
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  socket.on('error', () => {});
  socket.once('close', () => wake());
  async function reply(): Promise<number> {
    for (;;) {
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        if (line[3] !== '-') return Number(line.slice(0, 3));
      }
      if (socket.destroyed) return 0;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    socket,
    reply,
    say(line) {
      if (!socket.destroyed) socket.write(`${line}\r\n`);
      return reply();
    },
    end: () => socket.destroy(),
  };
}

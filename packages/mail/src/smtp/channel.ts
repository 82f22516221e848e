import type { Socket } from 'node:net';
import { TokenHider } from '../hide-token.ts';
import { parseReplyLine, type ReplyLine, replyFromLines, type SmtpReply } from '../reply/parse.ts';
import { MAX_REPLY_BYTES, MAX_REPLY_FLOOD_BYTES, MAX_REPLY_LINE_BYTES, MAX_REPLY_LINES } from './limits.ts';
import { printable, type Transcript } from './transcript.ts';
import type { NetworkError, SmtpStage, TlsFacts } from './types.ts';

/**
 * Ends a conversation from the inside; never leaves the smtp folder, where it becomes a `connection-failed`.
 */
export class SmtpFailure extends Error {
  readonly stage: SmtpStage;
  readonly error: NetworkError;
  /** Set if the peer's certificate was refused. */
  readonly tls: TlsFacts | null;

  constructor(stage: SmtpStage, error: NetworkError, tls: TlsFacts | null = null) {
    super(`${stage}: ${error.message}`);
    this.stage = stage;
    this.error = error;
    this.tls = tls;
  }
}

/** Octets in the clear where TLS was to begin. RFC 3207 §6 */
export const INJECTION: NetworkError = {
  code: 'starttls_injection',
  message: 'clear text follows the reply to STARTTLS',
};

interface Waiter {
  readonly stage: SmtpStage;
  readonly timeoutMs: number;
  /**
   * False while its command is still being written: neither its time runs nor may it be answered with a 2xx.
   */
  sent: boolean;
  /** Where the reply is written down: the next message's commands may precede it. */
  readonly transcript: Transcript;
  readonly resolve: (reply: SmtpReply) => void;
  readonly reject: (failure: SmtpFailure) => void;
}

const LF = 0x0a;
/** The three digits of a reply and what follows them. RFC 5321 §4.2 */
const REPLY_CODE_CHARS = 4;
const REFUSAL = /^[45]\d\d $/;

/** A reply that is due once the data in front of it has been written. */
export interface AwaitedData {
  readonly reply: Promise<SmtpReply>;
  readonly early: () => SmtpReply | null;
  readonly sent: () => void;
}
/** Characters of a peer's line that an error repeats. */
const MAX_ERROR_CHARS = 200;

/**
 * The command and reply layer over one socket: replies are handed out in the order in which they were asked
 * for, each with its own time limit, and anything out of order ends the conversation. RFC 5321 §4.2, RFC 2920
 * §3.1
 */
export class Channel {
  #socket: Socket;
  #transcript: Transcript;
  /** Return paths of all messages of the session: a server may name an earlier one. */
  readonly #hider = new TokenHider();
  #waiting: Waiter[] = [];
  /** The line that has not ended yet, as much of it as is kept; its octets, and those of the reply so far. */
  #partial: Buffer | null = null;
  #lineBytes = 0;
  #heardBytes = 0;
  #lines: ReplyLine[] = [];
  #replyBytes = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | null = null;
  #failure: NetworkError | null = null;
  #lastStage: SmtpStage = 'connect';
  #drained: (() => void) | null = null;

  constructor(socket: Socket, transcript: Transcript) {
    this.#socket = socket;
    this.#transcript = transcript;
    this.#attach();
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** Why the channel is dead; null while it is alive. */
  get failure(): NetworkError | null {
    return this.#failure;
  }

  /**
   * Sends what follows into another transcript; no transcript, reply or error shows the token of this return
   * path.
   */
  record(transcript: Transcript, reversePath: string): void {
    this.#transcript = transcript;
    this.#hider.add(reversePath);
  }

  /** Everything that `work` writes before it first waits leaves in one segment. */
  together<T>(work: () => T): T {
    const socket = this.#socket;
    socket.cork();
    try {
      return work();
    } finally {
      socket.uncork();
    }
  }

  /**
   * Writes command lines in one segment; `shown` is what the transcript keeps where a line carries a secret.
   */
  write(lines: readonly string[], shown: readonly string[] = lines): void {
    for (const line of shown) {
      const hidden = line.startsWith('MAIL FROM:') ? this.#hider.hideLatest(line) : this.#hider.hide(line);
      this.#transcript.client(hidden);
    }
    if (this.#failure === null) this.#socket.write(`${lines.join('\r\n')}\r\n`, 'utf8');
  }

  /**
   * Resolves when the peer has taken the block, or at once when it has answered early; rejects after
   * `timeoutMs` without progress.
   */
  async writeBlock(data: Uint8Array, stage: SmtpStage, timeoutMs: number): Promise<void> {
    this.#throwIfDead(stage);
    if (this.#socket.write(data)) return;
    await new Promise<void>((resolve, reject) => {
      const finish = (error: NetworkError | null) => {
        clearTimeout(timer);
        this.#drained = null;
        this.#socket.off('drain', onDrain);
        if (error === null) resolve();
        else reject(new SmtpFailure(stage, error));
      };
      const onDrain = () => finish(null);
      const timer = setTimeout(() => {
        const error = {
          code: 'timeout',
          message: `the peer takes the data too slowly: none for ${timeoutMs} ms`,
        };
        this.fail(error);
        finish(error);
      }, timeoutMs);
      this.#drained = () => finish(this.#failure);
      this.#socket.once('drain', onDrain);
    });
  }

  /** The next reply in turn; its time starts when those before it have come. Rejects with SmtpFailure. */
  expect(stage: SmtpStage, timeoutMs: number): Promise<SmtpReply> {
    return this.#enqueue(stage, timeoutMs, true);
  }

  /**
   * As expect, for data still to be written: `sent()` says that it is, `early()` is a refusal that came
   * before.
   */
  expectAfterData(stage: SmtpStage, timeoutMs: number): AwaitedData {
    let early: SmtpReply | null = null;
    const reply = this.#enqueue(stage, timeoutMs, false);
    const waiter = this.#waiting.at(-1);
    reply.then(
      (value) => {
        early = value;
      },
      () => {},
    );
    return {
      reply,
      early: () => early,
      sent: () => {
        if (waiter === undefined) return;
        waiter.sent = true;
        this.#arm();
      },
    };
  }

  /**
   * Rejects what was said unasked so far, half a line included: what is asked next must not be answered by
   * it.
   */
  refuseUnasked(stage: SmtpStage): void {
    this.#throwIfDead(stage);
    if (this.#partial === null && this.#lines.length === 0) return;
    const error = { code: 'unsolicited_reply', message: 'the peer spoke before it was asked' };
    this.fail(error);
    throw new SmtpFailure(stage, error);
  }

  /** Takes the socket away for a TLS handshake; rejects clear text after the last reply. RFC 3207 §4.2 */
  detach(stage: SmtpStage): Socket {
    this.#throwIfDead(stage);
    if (this.#partial !== null || this.#lines.length > 0) {
      this.fail(INJECTION);
      throw new SmtpFailure(stage, INJECTION);
    }
    this.#detachListeners();
    return this.#socket;
  }

  /** Continues over another socket (the TLS one). */
  attach(socket: Socket): void {
    this.#socket = socket;
    this.#attach();
  }

  /** Ends the conversation now; every waiting step rejects with `error`. */
  fail(error: NetworkError): void {
    if (this.#failure !== null) return;
    this.#hearUnended();
    this.#failure = error;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#partial !== null) this.#heard.server(this.#hider.hide(this.#partial.toString('utf8')));
    this.#partial = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) waiter.reject(new SmtpFailure(waiter.stage, error));
    this.#drained?.();
    this.#socket.destroy();
  }

  /** A refusal that goes on past what is kept of a line, and never ends, is one: its verdict stands first. */
  #hearUnended(): void {
    const line = this.#partial;
    if (line === null || this.#lineBytes <= line.length || this.#waiting.length === 0) return;
    if (!REFUSAL.test(line.toString('latin1', 0, REPLY_CODE_CHARS))) return;
    const lineBytes = this.#lineBytes;
    this.#partial = null;
    this.#onLine(line, lineBytes);
  }

  #enqueue(stage: SmtpStage, timeoutMs: number, sent: boolean): Promise<SmtpReply> {
    const transcript = this.#transcript;
    const promise = new Promise<SmtpReply>((resolve, reject) => {
      if (this.#failure !== null) reject(new SmtpFailure(stage, this.#failure));
      else this.#waiting.push({ stage, timeoutMs, sent, transcript, resolve, reject });
    });
    // A pipelined step that nobody awaits fails together with the awaited one.
    promise.catch(() => {});
    if (this.#waiting.length === 1) this.#arm();
    return promise;
  }

  /** Transcript of the command that is answered next. */
  get #heard(): Transcript {
    return this.#waiting[0]?.transcript ?? this.#transcript;
  }

  #throwIfDead(stage: SmtpStage): void {
    if (this.#failure !== null) throw new SmtpFailure(stage, this.#failure);
  }

  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const head = this.#waiting[0];
    if (head === undefined || !head.sent) return;
    this.#timer = setTimeout(() => {
      this.fail({ code: 'timeout', message: `no answer within ${head.timeoutMs} ms` });
    }, head.timeoutMs);
  }

  #attach(): void {
    const socket = this.#socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#onError);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
  }

  #detachListeners(): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('error', this.#onError);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onEnd);
  }

  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.fail({ code: error.code ?? 'connection_closed', message: error.message });
  };

  readonly #onEnd = (): void => {
    this.fail({ code: 'connection_closed', message: 'the peer closed the connection' });
  };

  readonly #onData = (chunk: Buffer): void => {
    let rest = chunk;
    while (this.#failure === null && rest.length > 0) {
      const end = rest.indexOf(LF);
      this.#gather(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1 || this.#failure !== null) return;
      rest = rest.subarray(end + 1);
      const line = this.#partial!;
      const lineBytes = this.#lineBytes;
      this.#partial = null;
      this.#lineBytes = 0;
      this.#onLine(line, lineBytes);
    }
  };

  /** Keeps the beginning of a line: what is behind it is no verdict. */
  #gather(piece: Buffer): void {
    this.#lineBytes += piece.length;
    this.#heardBytes += piece.length;
    if (this.#partial === null) this.#partial = piece.subarray(0, MAX_REPLY_LINE_BYTES);
    else if (this.#partial.length < MAX_REPLY_LINE_BYTES)
      this.#partial = Buffer.concat([
        this.#partial,
        piece.subarray(0, MAX_REPLY_LINE_BYTES - this.#partial.length),
      ]);
    if (this.#heardBytes > MAX_REPLY_FLOOD_BYTES)
      this.fail({ code: 'reply_too_long', message: 'a reply over the limits of length' });
  }

  #onLine(bytes: Buffer, lineBytes: number): void {
    const isCut = lineBytes > bytes.length;
    const whole = !isCut && bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes;
    // Drops half a character at the cut.
    const read = isCut ? whole.toString('utf8').replace(/\ufffd$/, '') : whole.toString('utf8');
    const text = this.#shown(read);
    const line = this.#waiting.length === 0 ? null : parseReplyLine(text);
    // Lines after the last kept one are read only for the end of the reply and its code.
    const isKept =
      line === null ||
      line.last ||
      (this.#lines.length < MAX_REPLY_LINES && this.#replyBytes <= MAX_REPLY_BYTES);
    if (isKept) this.#writeDown(text, lineBytes, isCut);
    else this.#leftOut += 1;
    if (this.#waiting.length === 0) {
      this.#onUnasked(text);
      return;
    }
    if (line === null) {
      this.fail({ code: 'bad_reply', message: 'not an SMTP reply' });
      return;
    }
    if (isKept) {
      this.#lines.push(line);
      this.#replyBytes += bytes.length;
    }
    if (!line.last) return;
    const reply = replyFromLines(this.#lines);
    this.#lines = [];
    this.#replyBytes = 0;
    this.#heardBytes = 0;
    this.#onReply(reply);
  }

  /** The transcript says where it is not all that was heard. */
  #writeDown(text: string, lineBytes: number, isCut: boolean): void {
    if (this.#leftOut > 0) this.#heard.server(`[${this.#leftOut} lines left out]`);
    this.#leftOut = 0;
    this.#heard.server(isCut ? `${text} [cut: ${lineBytes} octets in all]` : text);
  }

  /**
   * Hidden before anything is made of it: what is shown, judged and kept is one text. The code stays what it
   * is.
   */
  #shown(text: string): string {
    return text.slice(0, REPLY_CODE_CHARS) + this.#hider.hide(text.slice(REPLY_CODE_CHARS));
  }

  #onUnasked(text: string): void {
    if (this.#lastStage === 'starttls') {
      this.fail(INJECTION);
      return;
    }
    const code = text.startsWith('421') ? 'connection_closed' : 'unsolicited_reply';
    this.fail({ code, message: printable(text).slice(0, MAX_ERROR_CHARS) });
  }

  #onReply(reply: SmtpReply): void {
    const waiter = this.#waiting[0]!;
    if (!waiter.sent && reply.code < 400) {
      this.fail({ code: 'bad_reply', message: 'a positive reply before the data had ended' });
      return;
    }
    this.#waiting.shift();
    this.#lastStage = waiter.stage;
    this.#arm();
    waiter.resolve(reply);
    if (!waiter.sent) this.#drained?.();
  }
}

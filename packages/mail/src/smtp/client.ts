import { connect as netConnect, type Socket } from 'node:net';
import { Channel, SmtpFailure } from './channel.ts';
import { checkEhloName, checkMessage, faultyPath, needsSmtpUtf8, type OutgoingMessage } from './commands.ts';
import type { Extensions } from './extensions.ts';
import { type OpeningFacts, openSession, type SmtpCredentials } from './handshake.ts';
import {
  DEFAULT_TIMEOUTS,
  MAX_END_MS_AHEAD,
  MAX_SESSION_AGE_MS,
  MAX_SESSION_MESSAGES,
  type SmtpTimeouts,
} from './limits.ts';
import { type MessageScan, scanMessage } from './message-data.ts';
import type { TlsOptions } from './tls.ts';
import { runTransaction, type SentEnvelope, sendEnvelopeAhead, type Transaction } from './transaction.ts';
import { Transcript } from './transcript.ts';
import type {
  Accepted,
  ConnectionFailed,
  MonotonicClock,
  Refused,
  SendResult,
  SessionFacts,
  StopSignal,
  TranscriptLine,
  Unsupported,
} from './types.ts';
import { within } from './within.ts';

/** Where to and how. `address` is an IP literal: names are resolved by routing, never here. */
export interface SmtpOptions {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly localAddress?: string;
  readonly ehloName: string;
  readonly tls: TlsOptions;
  readonly auth?: SmtpCredentials;
  readonly timeouts?: Partial<SmtpTimeouts>;
  /** Never use BDAT, for servers that offer it and fail at it. */
  readonly disableChunking?: boolean;
  /** One command at a time, for servers that offer PIPELINING and lose what was pipelined. */
  readonly disablePipelining?: boolean;
  /** Messages that the session carries before it is closed. */
  readonly maxMessages?: number;
  readonly clock: MonotonicClock;
  readonly signal?: StopSignal;
}

/** A session, or the reason for its absence; `transcript` is that of the opening. */
export type ConnectResult =
  | { readonly kind: 'ready'; readonly session: SmtpSession }
  | ((Refused | ConnectionFailed) & {
      readonly transcript: readonly TranscriptLine[];
      readonly facts: SessionFacts;
    });

/**
 * Opens a session up to the point where it takes mail. Refusals and failures are returned; only a faulty
 * option throws (TypeError).
 */
export async function connect(options: SmtpOptions): Promise<ConnectResult> {
  checkEhloName(options.ehloName);
  const timeouts: SmtpTimeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const transcript = new Transcript(options.clock);
  const learnt: OpeningFacts = { banner: null, tls: null };
  let ends = endsOf(options, null);
  let channel: Channel | null = null;
  const onAbort = () => channel?.fail({ code: 'aborted', message: 'aborted by the caller' });
  try {
    const socket = await dial(options, timeouts.connectMs);
    ends = endsOf(options, socket);
    channel = new Channel(socket, transcript);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const opened = channel;
    const opening = await within(opened, timeouts.openingMs, () =>
      openSession(opened, { ...options, timeouts }, learnt),
    );
    const facts = { ...ends, ...learnt };
    if (opening.kind === 'refused') {
      const lines = [...transcript.lines()];
      void hangUp(channel, timeouts.quitMs);
      return { ...opening, transcript: lines, facts };
    }
    const extensions = { ...opening.extensions };
    if (options.disableChunking === true) extensions.chunking = false;
    if (options.disablePipelining === true) extensions.pipelining = false;
    const session = new SmtpSession({
      channel,
      transcript,
      facts,
      extensions,
      timeouts,
      clock: options.clock,
      maxMessages: Math.min(options.maxMessages ?? MAX_SESSION_MESSAGES, MAX_SESSION_MESSAGES),
    });
    return { kind: 'ready', session };
  } catch (failure) {
    channel?.fail({ code: 'aborted', message: 'the session could not be opened' });
    if (failure instanceof SmtpFailure) learnt.tls ??= failure.tls;
    const facts = { ...ends, ...learnt };
    return { ...asFailed(failure, false), transcript: [...transcript.lines()], facts };
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
}

interface SessionParts {
  readonly channel: Channel;
  readonly transcript: Transcript;
  readonly facts: SessionFacts;
  readonly extensions: Extensions;
  readonly timeouts: SmtpTimeouts;
  readonly clock: MonotonicClock;
  readonly maxMessages: number;
}

/**
 * Gives the message that is to be sent next, so that its envelope can leave with the end of the one before;
 * null: none. Only one that `fits`: what the session could not send is not spoken of. Whoever gave it sends
 * it next, or ends the session.
 */
export type Following = (fits: (message: OutgoingMessage) => boolean) => OutgoingMessage | null;

/** A message whose envelope is on its way. */
interface Ahead {
  readonly message: OutgoingMessage;
  readonly scan: MessageScan;
  readonly transcript: Transcript;
  readonly envelope: SentEnvelope;
}

/** An open session: one message at a time, up to `maxMessages` of them or 300 s. */
export class SmtpSession {
  readonly facts: SessionFacts;
  readonly extensions: Extensions;
  readonly #parts: SessionParts;
  readonly #openedMs: number;
  #opening: Transcript | null;
  #needsReset = false;
  #busy = false;
  #ended = false;
  #messages = 0;
  #ahead: Ahead | null = null;
  /** How long the server took over the end of the message before (ms). */
  #lastEndMs = Number.POSITIVE_INFINITY;

  constructor(parts: SessionParts) {
    this.facts = parts.facts;
    this.extensions = parts.extensions;
    this.#parts = parts;
    this.#opening = parts.transcript;
    this.#openedMs = parts.clock.now();
  }

  /** True while it may take another message: alive, in step, idle, and within its age and count. */
  get reusable(): boolean {
    if (this.#ended || this.#busy || this.#parts.channel.failure !== null) return false;
    return this.#ahead === null && this.#hasRoom();
  }

  #hasRoom(): boolean {
    if (this.#messages >= this.#parts.maxMessages) return false;
    return this.#parts.clock.now() - this.#openedMs < MAX_SESSION_AGE_MS;
  }

  /** True once the envelope of this message is on its way. */
  hasAhead(message: OutgoingMessage): boolean {
    return this.#ahead?.message === message;
  }

  /**
   * Sends one message to one recipient. Every SMTP and network outcome is returned; throws TypeError on a
   * faulty envelope, a busy session, or one that expects another message.
   */
  async send(message: OutgoingMessage, following: Following | null = null): Promise<SendResult> {
    checkMessage(message);
    if (this.#busy) throw new TypeError('an SMTP session takes one message at a time');
    const ahead = this.#ahead;
    if (ahead !== null && ahead.message !== message)
      throw new TypeError('the envelope of another message is on its way');
    this.#ahead = null;
    const transcript = ahead?.transcript ?? this.#opening ?? new Transcript(this.#parts.clock);
    const earlierMessages = this.#messages;
    const scan = ahead?.scan ?? scanOf(message);
    const envelope = ahead?.envelope ?? null;
    const outcome =
      this.#unsupported(message, scan) ??
      (await this.#transact({ message, scan, transcript, ahead: envelope }, following));
    const lines = transcript.lines().slice();
    if (outcome.kind === 'accepted') {
      const { kind, reply } = outcome;
      return { kind, reply, transcript: lines, facts: this.facts, earlierMessages };
    }
    return { ...outcome, transcript: lines, facts: this.facts, earlierMessages };
  }

  /** QUIT, then closes whether or not it is answered. Never rejects. */
  async quit(): Promise<void> {
    // Where a server waits for a message, QUIT would be its first line.
    if (this.#ahead !== null) return this.destroy();
    this.#ended = true;
    await hangUp(this.#parts.channel, this.#parts.timeouts.quitMs);
  }

  /** Closes at once; a message under way ends as `connection-failed`, `aborted`. */
  destroy(): void {
    this.#ended = true;
    this.#parts.channel.fail({ code: 'aborted', message: 'aborted by the caller' });
  }

  #unsupported(message: OutgoingMessage, scan: MessageScan): Unsupported | null {
    const { sizeLimit, smtpUtf8 } = this.extensions;
    if (sizeLimit !== null && sizeLimit > 0 && scan.sizeBytes > sizeLimit) {
      const detail = `the message has ${scan.sizeBytes} octets, ${this.facts.host} takes ${sizeLimit}`;
      return { kind: 'unsupported', extension: 'SIZE', enhancedStatus: '5.3.4', detail };
    }
    if (!smtpUtf8 && needsSmtpUtf8(message)) {
      const detail = `${this.facts.host} does not offer SMTPUTF8`;
      return { kind: 'unsupported', extension: 'SMTPUTF8', enhancedStatus: '5.6.7', detail };
    }
    return null;
  }

  async #transact(
    { message, scan, transcript, ahead }: Pick<Transaction, 'message' | 'scan' | 'transcript' | 'ahead'>,
    following: Following | null,
  ): Promise<Accepted | Refused | ConnectionFailed> {
    const { channel, extensions, timeouts, clock } = this.#parts;
    let completeMs: number | null = null;
    this.#busy = true;
    this.#opening = null;
    this.#messages += 1;
    if (ahead === null) channel.record(transcript, message.reversePath);
    try {
      const end = await runTransaction({
        channel,
        transcript,
        extensions,
        timeouts,
        clock,
        message,
        scan,
        ahead,
        reset: this.#needsReset,
        onDataComplete: () => {
          completeMs = clock.now();
        },
        findNext: () => (following === null ? null : this.#findNext(following)),
      });
      this.#needsReset = end.state === 'open';
      if (end.state === 'broken') this.destroy();
      if (end.outcome.reply.code === 421) this.#ended = true;
      if (completeMs !== null) this.#lastEndMs = clock.now() - completeMs;
      return end.outcome;
    } catch (failure) {
      channel.fail({ code: 'aborted', message: 'the session is out of step' });
      return asFailed(failure, completeMs !== null);
    } finally {
      this.#busy = false;
    }
  }

  /**
   * The message behind is bound to this session until the one before has its answer: only where that came
   * soon the last time.
   */
  #findNext(following: Following): (() => void) | null {
    const { channel, extensions, timeouts, clock } = this.#parts;
    if (!extensions.pipelining || this.#lastEndMs > MAX_END_MS_AHEAD || !this.#hasRoom()) return null;
    const message = following(
      (each) => faultyPath(each) === null && this.#unsupported(each, scanOf(each)) === null,
    );
    if (message === null) return null;
    const scan = scanOf(message);
    return () => {
      const transcript = new Transcript(clock);
      channel.record(transcript, message.reversePath);
      const envelope = sendEnvelopeAhead({ channel, extensions, timeouts, message, scan });
      this.#ahead = { message, scan, transcript, envelope };
    };
  }
}

function scanOf({ scan, data }: OutgoingMessage): MessageScan {
  return scan ?? scanMessage(data);
}

function dial(options: SmtpOptions, connectMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { address, port, localAddress, signal } = options;
    const source = localAddress === undefined ? {} : { localAddress };
    const socket = netConnect({ host: address, port, ...source, noDelay: true, keepAlive: false });
    const settle = (error: { code: string; message: string } | null) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect);
      socket.off('error', onError);
      if (error === null) {
        resolve(socket);
        return;
      }
      socket.on('error', () => {});
      socket.destroy();
      reject(new SmtpFailure('connect', error));
    };
    const onAbort = () => settle({ code: 'aborted', message: 'aborted by the caller' });
    const onConnect = () => settle(null);
    const onError = (error: NodeJS.ErrnoException) => {
      settle({ code: error.code ?? 'connection_closed', message: error.message });
    };
    const timer = setTimeout(() => {
      settle({ code: 'timeout', message: `no connection within ${connectMs} ms` });
    }, connectMs);
    socket.once('connect', onConnect);
    socket.once('error', onError);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}

async function hangUp(channel: Channel, quitMs: number): Promise<void> {
  if (channel.failure === null) {
    channel.write(['QUIT']);
    await channel.expect('quit', quitMs).catch(() => {});
  }
  channel.fail({ code: 'connection_closed', message: 'closed by us' });
}

function asFailed(failure: unknown, mayHaveBeenAccepted: boolean): ConnectionFailed {
  if (!(failure instanceof SmtpFailure)) throw failure;
  return { kind: 'connection-failed', stage: failure.stage, error: failure.error, mayHaveBeenAccepted };
}

function endsOf(options: SmtpOptions, socket: Socket | null): Omit<SessionFacts, 'tls' | 'banner'> {
  return {
    host: options.host,
    remoteAddress: options.address,
    remotePort: options.port,
    localAddress: socket?.localAddress ?? null,
    localPort: socket?.localPort ?? null,
  };
}

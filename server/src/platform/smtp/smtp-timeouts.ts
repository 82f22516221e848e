export interface SmtpTimeouts {
  /** Between two commands. RFC 5321 §4.5.3.2.7: at least five minutes. */
  readonly idle: number;
  /** From connecting to TLS, for implicit TLS; our choice. */
  readonly handshake: number;
  /** From connecting to a successful login or, without logins, an accepted recipient; our choice. */
  readonly firstAct: number;
  /** Without a message; our choice. */
  readonly noMail: number;
  /** For a whole message; our choice. */
  readonly data: number;
  /**
   * Some of a message must arrive in each such period; a client has three times as long for a block. RFC 5321
   * §4.5.3.2.5
   */
  readonly progress: number;
}

export const IDLE_MS = 300_000;
const HANDSHAKE_MS = 60_000;
const FIRST_ACT_MS = 60_000;
const NO_MAIL_MS = 1_800_000;
/** 25 MiB at 128 kbit/s. */
const DATA_MS = 1_800_000;
const PROGRESS_MS = 60_000;

export const SMTP_TIMEOUTS: SmtpTimeouts = {
  idle: IDLE_MS,
  handshake: HANDSHAKE_MS,
  firstAct: FIRST_ACT_MS,
  noMail: NO_MAIL_MS,
  data: DATA_MS,
  progress: PROGRESS_MS,
};

/** Minimum speed within `progress`; our choice. */
export const PROGRESS_BYTES_PER_SECOND = 1_000;

/** One timer per holder. Does not keep the process alive. */
interface Deadlines<Holder extends object> {
  set(holder: Holder, ms: number, onPast: () => void): void;
  clear(holder: Holder): void;
}

export function createDeadlines<Holder extends object>(): Deadlines<Holder> {
  const timers = new WeakMap<Holder, NodeJS.Timeout>();
  return {
    set(holder, ms, onPast) {
      clearTimeout(timers.get(holder));
      timers.set(holder, setTimeout(onPast, ms).unref());
    },
    clear(holder) {
      clearTimeout(timers.get(holder));
      timers.delete(holder);
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Db, DbAndClock } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/logger.ts';
import { createSmtpListener } from '../platform/smtp/smtp-listener.ts';
import type { IncomingMail, SmtpAnswer, SmtpCertificate } from '../platform/smtp/smtp-types.ts';
import {
  type Behaviour,
  behaviourOf,
  REACTIONS,
  type Reaction,
  recipientAnswer,
  SLOW_MS,
  type Tries,
} from './behaviour.ts';
import { readableAddress } from './readable-address.ts';
import { insertMail, type NewSandboxMail, pruneMail } from './store.ts';

/**
 * The test mailbox: a real SMTP server on loopback, whose sandbox.test addresses refuse, defer, bounce,
 * complain or acknowledge by name.
 */
interface SandboxMailboxDeps extends DbAndClock {
  readonly log: Log;
  /** It accepts mail from anybody. */
  readonly host: '127.0.0.1' | '::1';
  readonly port: number;
  readonly hostname: string;
  readonly certificate?: SmtpCertificate;
  /** The recipients' acts. Resolves when they are done or given up. */
  react?(reaction: Reaction, mail: IncomingMail, signal: AbortSignal): Promise<void>;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
}

export interface SandboxMailbox {
  start(): Promise<number>;
  stop(): Promise<void>;
}

/** A message of 25 MiB and its signatures. */
const MAX_MESSAGE_BYTES = 26 * 1024 * 1024;
const MAX_RECIPIENTS = 100;
const MAX_CLIENTS = 200;
/** Pruned at twice this number. */
const KEPT_MAIL = 50_000;
const PRUNE_EVERY = 1_000;
/** A forgotten envelope is deferred again. */
const MAX_TRIES = 10_000;

const ACCEPTED = (id: string): SmtpAnswer => ({ code: 250, text: `2.0.0 OK: kept as ${id}` });

export function createSandboxMailbox(deps: SandboxMailboxDeps): SandboxMailbox {
  const { db, clock, log } = deps;
  const sleep = deps.sleep ?? ((ms, signal) => pause(ms, undefined, { signal }));
  const abort = new AbortController();
  const tries = new Map<string, Tries>();
  const reactions = new Set<Promise<void>>();
  const keep = createWriter(db, log);

  const listener = createSmtpListener({
    name: 'sandbox-mailbox',
    hostname: deps.hostname,
    host: deps.host,
    port: deps.port,
    ...(deps.certificate === undefined ? {} : { certificate: deps.certificate }),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxRecipients: MAX_RECIPIENTS,
    maxClients: MAX_CLIENTS,
    log,
    async onRecipient({ reversePath, forwardPath }) {
      const behaviour = behaviourOf(forwardPath);
      const nowMs = clock.monotonicMs();
      const key = `${reversePath}\n${forwardPath.toLowerCase()}`;
      const earlier = tries.get(key) ?? { count: 0, firstAtMs: nowMs };
      const answer = recipientAnswer(behaviour, earlier, nowMs);
      if (answer === null) tries.delete(key);
      else if (answer.code < 500) remember(key, { count: earlier.count + 1, firstAtMs: earlier.firstAtMs });
      return answer;
    },
    async onMail(mail) {
      const behaviours = new Set<Behaviour>(mail.forwardPaths.map(behaviourOf));
      if (behaviours.has('slow')) await sleep(SLOW_MS, abort.signal);
      const id = await keepAll(mail);
      for (const [behaviour, reaction] of REACTIONS)
        if (behaviours.has(behaviour)) react(reaction, forThose(mail, behaviour));
      return ACCEPTED(id);
    },
  });

  function remember(key: string, made: Tries): void {
    if (tries.size >= MAX_TRIES && !tries.has(key)) tries.delete(tries.keys().next().value!);
    tries.set(key, made);
  }

  async function keepAll(mail: IncomingMail): Promise<string> {
    const mails = mailsOf(mail, clock.now());
    await keep(mails);
    return mails[0]!.mailId;
  }

  function react(reaction: Reaction, mail: IncomingMail): void {
    if (deps.react === undefined || mail.reversePath === '') return;
    const done = deps
      .react(reaction, mail, abort.signal)
      .catch((error) => {
        if (!abort.signal.aborted)
          log.warn({ err: error, reaction }, 'a recipient of the sandbox could not react');
      })
      .finally(() => reactions.delete(done));
    reactions.add(done);
  }

  return {
    start: () => listener.start(),
    async stop() {
      abort.abort(new Error('shutting down'));
      await listener.stop();
      await Promise.all(reactions);
    },
  };
}

function mailsOf(mail: IncomingMail, receivedAt: Date): NewSandboxMail[] {
  return mail.forwardPaths.map((forwardPath) => ({
    mailId: newId(receivedAt.getTime()),
    reversePath: mail.reversePath,
    forwardPath: readableAddress(forwardPath.toLowerCase()),
    clientName: mail.clientName,
    tls: mail.tls,
    raw: mail.raw,
    receivedAt,
  }));
}

function forThose(mail: IncomingMail, behaviour: Behaviour): IncomingMail {
  return { ...mail, forwardPaths: mail.forwardPaths.filter((path) => behaviourOf(path) === behaviour) };
}

/** Groups inserts: commits are the cost. */
function createWriter(db: Db, log: Log): (mails: readonly NewSandboxMail[]) => Promise<void> {
  let waiting: { mails: readonly NewSandboxMail[]; resolve(): void; reject(error: unknown): void }[] = [];
  let writing = false;
  let sincePrune = 0;

  async function write(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const mails = group.flatMap((item) => item.mails);
      try {
        await insertMail(db, mails);
        for (const item of group) item.resolve();
      } catch (error) {
        for (const item of group) item.reject(error);
      }
      sincePrune += mails.length;
    }
    writing = false;
    if (sincePrune >= PRUNE_EVERY) {
      sincePrune = 0;
      await pruneMail(db, KEPT_MAIL).catch((error) =>
        log.warn({ err: error }, 'pruning the sandbox mailbox failed'),
      );
    }
  }

  return (mails) =>
    new Promise((resolve, reject) => {
      waiting.push({ mails, resolve, reject });
      if (!writing) void write();
    });
}

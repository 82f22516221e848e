import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_OPTIONS, type ApiClient, openApi } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT, type ExitCode } from './command.ts';
import {
  type ApiAttempt,
  type ApiEvent,
  type ApiMessage,
  attemptsText,
  eventsText,
  messagesText,
  messageText,
  sentText,
} from './messages-text.ts';
import type { Output } from './output.ts';
import { SEND_OPTIONS, sendBody } from './send-body.ts';
import { EXAMPLE_ID, moreLine, PAGE_OPTIONS } from './shared-options.ts';

const WAIT_MAX_MS = 10 * 60_000;
const WAIT_POLL_MS = 250;
/** Final states. */
const ENDED: ReadonlySet<string> = new Set(['sent', 'bounced', 'complained', 'cancelled']);

const REPEAT_OPTIONS = {
  'idempotency-key': { type: 'string', value: '<key>', doc: 'repeating it sends nothing twice' },
  wait: { type: 'boolean', doc: 'follow it until it is delivered and, if certified, sealed' },
} as const;

const send = defineCommand({
  name: 'messages send',
  summary: 'Sends a message and prints its id and status',
  details:
    'Like every acuse messages command but erase it works over the API: on the sandbox of this data folder, or with --url and --key on any service. A new idempotency key is used each time; give one of your own to repeat a send safely. With --wait, exit code 1: it bounced or was cancelled.',
  options: { ...SEND_OPTIONS, ...REPEAT_OPTIONS, ...API_OPTIONS },
  examples: [
    'acuse messages send --from billing@sandbox.test --to delivered@sandbox.test --subject "Invoice 1" --text Hello',
    'acuse messages send --from billing@sandbox.test --to bounced+42@sandbox.test --text Hello --wait --json',
  ],
  async run({ options, out, env }) {
    return sendAndTell(
      openApi(env, options),
      { path: '/v1/messages', body: sendBody(options) },
      options,
      out,
    );
  },
});

interface RepeatOptions {
  readonly 'idempotency-key': string | undefined;
  readonly wait: boolean;
}

async function sendAndTell(
  api: ApiClient,
  { path, body }: { path: string; body: object | undefined },
  options: RepeatOptions,
  out: Output,
): Promise<ExitCode> {
  const key = options['idempotency-key'] ?? randomUUID();
  const { body: answer, headers } = await api.call('POST', path, body, key).catch((error) => {
    if (error instanceof CommandError && error.exitCode === EXIT.unavailable)
      out.note(`it may have been accepted: repeat it with --idempotency-key ${key}`);
    throw error;
  });
  const message = answer as ApiMessage;
  const replayed = headers.get('idempotent-replayed') === 'true';
  if (!options.wait) {
    out.answer({ ...message, replayed }, () => sentText(message, replayed));
    return EXIT.ok;
  }
  out.progress(`${message.id} ${message.status}`);
  const ends = [await follow(api, message, out)];
  for (const { id } of message.copies ?? []) ends.push(await follow(api, await read(api, id), out));
  const [end, ...copies] = ends;
  // A message does not name its copies when read back.
  const first = { ...end, ...(message.copies && { copies: message.copies }) };
  out.answer({ ...first, replayed, ...(copies.length > 0 && { followed: copies }) }, () =>
    ends.map(messageText),
  );
  for (const { id, status } of ends)
    if (status === 'bounced') out.note(`the conversation in which it bounced: acuse messages attempts ${id}`);
  return exitCodeOf(ends);
}

const resend = defineCommand({
  name: 'messages resend',
  summary: 'Sends a message again, as a new one',
  details:
    'With the content and the recipient of a message that was sent, bounced or was cancelled; certified if that one was.',
  args: [{ name: 'message', doc: 'id of the message' }],
  options: { ...REPEAT_OPTIONS, ...API_OPTIONS },
  examples: [
    `acuse messages resend ${EXAMPLE_ID}`,
    `acuse messages resend ${EXAMPLE_ID} --idempotency-key ticket-4711 --wait`,
  ],
  async run({ options, args, out, env }) {
    const path = `/v1/messages/${encodeURIComponent(args[0]!)}/resend`;
    return sendAndTell(openApi(env, options), { path, body: undefined }, options, out);
  },
});

function exitCodeOf(ends: readonly ApiMessage[]): ExitCode {
  return ends.some(({ status }) => status === 'bounced' || status === 'cancelled') ? EXIT.failed : EXIT.ok;
}

/** Until delivered and sealed, or otherwise final. Throws CommandError on time-out. */
async function follow(api: ApiClient, first: ApiMessage, out: Output): Promise<ApiMessage> {
  const deadline = performance.now() + WAIT_MAX_MS;
  let seen = stateOf(first);
  for (let message = first; ; message = await read(api, first.id)) {
    const state = stateOf(message);
    if (state !== seen) out.progress(`${message.id} ${state}`);
    seen = state;
    if (ENDED.has(message.status) && (!message.certified || message.sealed_at !== null)) return message;
    if (performance.now() >= deadline)
      throw new CommandError(
        EXIT.unavailable,
        'still_waiting',
        `${first.id} is still ${state} after ${WAIT_MAX_MS / 60_000} minutes: acuse messages show ${first.id}`,
      );
    await sleep(WAIT_POLL_MS);
  }
}

const stateOf = ({ status, sealed_at }: ApiMessage) => (sealed_at === null ? status : `${status}, sealed`);

async function read(api: ApiClient, id: string): Promise<ApiMessage> {
  return (await api.call('GET', `/v1/messages/${encodeURIComponent(id)}`)).body;
}

const list = defineCommand({
  name: 'messages list',
  summary: 'Lists messages, newest first',
  options: {
    status: {
      type: 'string',
      value: '<status>',
      doc: 'only those with this status: queued, sent, bounced, …',
    },
    to: { type: 'string', value: '<address>', doc: 'only those to this recipient' },
    tag: { type: 'string', value: '<tag>', doc: 'only those that carry this tag' },
    ...PAGE_OPTIONS,
    ...API_OPTIONS,
  },
  examples: ['acuse messages list', 'acuse messages list --status bounced --limit 100 --json'],
  async run({ options, out, env }) {
    const { status, to, tag, limit, after } = options;
    const { body } = await openApi(env, options).call(
      'GET',
      `/v1/messages${query({ status, to, tag, limit, after })}`,
    );
    out.answer(body, () => [messagesText(body.data), ...moreLine(body.next_cursor)]);
  },
});

const MESSAGE = [{ name: 'message', doc: 'id of the message' }] as const;

const show = defineCommand({
  name: 'messages show',
  summary: 'Shows a message: its status, the last reply, when it was sealed',
  args: MESSAGE,
  options: API_OPTIONS,
  examples: [`acuse messages show ${EXAMPLE_ID}`, `acuse messages show ${EXAMPLE_ID} --json`],
  async run({ options, args, out, env }) {
    const message = await read(openApi(env, options), args[0]!);
    out.answer(message, () => messageText(message));
  },
});

const events = defineCommand({
  name: 'messages events',
  summary: "Lists a message's events, oldest first",
  args: MESSAGE,
  options: { ...PAGE_OPTIONS, ...API_OPTIONS },
  examples: [`acuse messages events ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    const body = await pageOfMessage(openApi(env, options), args[0]!, 'events', options);
    out.answer(body, () => [eventsText(body.data as ApiEvent[]), ...moreLine(body.next_cursor)]);
  },
});

const attempts = defineCommand({
  name: 'messages attempts',
  summary: "Lists a message's delivery attempts with their SMTP transcripts, oldest first",
  args: MESSAGE,
  options: { ...PAGE_OPTIONS, ...API_OPTIONS },
  examples: [`acuse messages attempts ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    const body = await pageOfMessage(openApi(env, options), args[0]!, 'attempts', options);
    out.answer(body, () => [attemptsText(body.data as ApiAttempt[]), ...moreLine(body.next_cursor)]);
  },
});

async function pageOfMessage(
  api: ApiClient,
  id: string,
  what: 'events' | 'attempts',
  { limit, after }: { limit: string | undefined; after: string | undefined },
): Promise<{ data: unknown[]; next_cursor: string | null }> {
  const path = `/v1/messages/${encodeURIComponent(id)}/${what}${query({ limit, after })}`;
  return (await api.call('GET', path)).body;
}

function query(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

export const messageCommands: readonly Command[] = [send, resend, list, show, events, attempts];

import { fromCommandLine } from '../accounts/audit/append.ts';
import { presentPausable, presentQueue } from '../delivery/operate/present.ts';
import {
  listQueue,
  type Pausable,
  pauseQueue,
  resumeQueue,
  showDestination,
  showMessage,
  showTenant,
} from '../delivery/operate/queue.ts';
import { QUEUE_KEYS, type QueueKey } from '../delivery/operate/queue-store.ts';
import { cancelQueued } from '../delivery/operate/retry-cancel.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { table } from './output.ts';
import { capCommands } from './queue-caps.ts';
import { noteCommands } from './queue-notes.ts';
import { destinationAnswer, groupTable, MORE, messageAnswer, tenantAnswer } from './queue-text.ts';
import { unknownCommands } from './queue-unknown.ts';
import { withServices } from './services.ts';
import {
  BY_OPTION,
  EXAMPLE_ID,
  oneLine,
  REASON_MAX_CHARS,
  WHAT_OPTIONS,
  wholeNumber,
  whoRuns,
} from './shared-options.ts';

const DEFAULT_LIMIT = 20;
const LIMIT_MAX = 1_000;

const show = defineCommand({
  name: 'queue show',
  summary: 'Explains why a message is waiting, or shows what waits for a destination or an account',
  args: [{ name: 'message', doc: 'id of the message', optional: true }],
  options: WHAT_OPTIONS,
  examples: [
    `acuse queue show ${EXAMPLE_ID}`,
    'acuse queue show --destination example.com',
    `acuse queue show --tenant ${EXAMPLE_ID} --json`,
  ],
  async run({ options, args, out, env }) {
    const [messageId] = args;
    const { destination, tenant } = options;
    if ([messageId, destination, tenant].filter((given) => given !== undefined).length !== 1)
      throw usage('give a message id, --destination or --tenant');
    const { answer, text } = await withServices(env, 'queue show', async (services) => {
      if (messageId !== undefined) return messageAnswer(await showMessage(services, messageId));
      if (destination !== undefined) return destinationAnswer(await showDestination(services, destination));
      return tenantAnswer(await showTenant(services, tenant!));
    });
    out.answer(answer, () => text);
  },
});

const list = defineCommand({
  name: 'queue list',
  summary: 'Lists waiting messages by destination, account or age, and what is paused',
  options: {
    by: { type: 'string', value: '<key>', doc: `one of ${QUEUE_KEYS.join(', ')} (default: destination)` },
    ...WHAT_OPTIONS,
    limit: {
      type: 'string',
      value: '<n>',
      doc: `number of lines, 1 to ${LIMIT_MAX} (default: ${DEFAULT_LIMIT})`,
    },
  },
  examples: [
    'acuse queue list',
    'acuse queue list --by age --destination example.com',
    'acuse queue list --by tenant --json',
  ],
  async run({ options, out, env }) {
    const by = (options.by ?? 'destination') as QueueKey;
    if (!QUEUE_KEYS.includes(by)) throw usage(`--by takes ${QUEUE_KEYS.join(', ')}, not "${by}"`);
    const limit = options.limit === undefined ? DEFAULT_LIMIT : wholeNumber('limit', options.limit);
    if (limit < 1 || limit > LIMIT_MAX) throw usage(`--limit takes 1 to ${LIMIT_MAX}`);
    const filter = { tenantId: options.tenant ?? null, destination: options.destination ?? null };
    const found = await withServices(env, 'queue list', (services) => listQueue(services, by, filter, limit));
    const { scheduled, unknown } = found;
    const answer = { ...presentQueue(by, found), scheduled, unknown };
    const { paused } = answer;
    out.answer(answer, () => {
      const lines = paused.map((pause) => {
        const what = 'destination' in pause ? pause.destination : pause.tenant_id;
        return [what, pause.paused_at, pause.paused_by, pause.reason];
      });
      const pauses = paused.length === 0 ? [] : [table(['PAUSED', 'SINCE', 'BY', 'REASON'], lines, ''), ''];
      const later =
        scheduled === 0 ? [] : ['', `${scheduled} more scheduled: in no queue until they fall due`];
      if (unknown > 0)
        later.push('', `${unknown} more held since a restore, outcome unknown: acuse queue unknown`);
      const more = answer.more ? ['', MORE] : [];
      return [
        ...pauses,
        groupTable(by.toUpperCase(), found.groups, 'no messages waiting'),
        ...more,
        ...later,
      ];
    });
  },
});

const pause = defineCommand({
  name: 'queue pause',
  summary: 'Pauses the mail of an account, or to a destination, until it is resumed',
  details:
    'Every delivery process obeys within two seconds; SMTP sessions in progress finish. Messages expire 48 hours after acceptance, paused or not.',
  options: {
    ...WHAT_OPTIONS,
    reason: { type: 'string', value: '<text>', doc: 'reason, for the record', required: true },
    ...BY_OPTION,
  },
  examples: [
    'acuse queue pause --destination example.com --reason "they block us: ticket 4711"',
    `acuse queue pause --tenant ${EXAMPLE_ID} --reason "spam complaints"`,
  ],
  async run({ options, out, env }) {
    const what = pausable(options);
    const reason = oneLine('reason', options.reason, REASON_MAX_CHARS);
    const by = whoRuns(options.by);
    await withServices(env, 'queue pause', (services) => pauseQueue(services, what, { reason, by }));
    out.answer(
      { ...presentPausable(what), paused: true, reason, paused_by: by },
      () => `paused ${nameOf(what)}`,
    );
  },
});

const resume = defineCommand({
  name: 'queue resume',
  summary: 'Resumes paused mail; messages held back become due at once',
  options: WHAT_OPTIONS,
  examples: ['acuse queue resume --destination example.com'],
  async run({ options, out, env }) {
    const what = pausable(options);
    const due = await withServices(env, 'queue resume', (services) => resumeQueue(services, what));
    if (due === null) throw new CommandError(EXIT.failed, 'not_paused', `${nameOf(what)} is not paused`);
    out.answer(
      { ...presentPausable(what), paused: false, due },
      () => `resumed ${nameOf(what)}: ${due} messages are due`,
    );
  },
});

const cancel = defineCommand({
  name: 'queue cancel',
  summary: 'Cancels a message that no server has taken yet',
  details:
    'The message is not sent, and its status becomes cancelled: it did not bounce and counts in no rate. Its quota stays used; a certified message gets an outcome in the log that says that the operator cancelled it. Cannot be undone.',
  args: [{ name: 'message', doc: 'id of the message' }],
  examples: [`acuse queue cancel ${EXAMPLE_ID}`],
  async run({ args, out, env }) {
    const [messageId] = args;
    await withServices(env, 'queue cancel', (services) =>
      cancelQueued({ ...services, hostname: services.config.hostname }, messageId!, fromCommandLine('queue')),
    );
    out.answer({ message_id: messageId, status: 'cancelled' }, () => `cancelled ${messageId}`);
  },
});

export const queueCommands: readonly Command[] = [
  ...[show, list, pause, resume, cancel],
  ...noteCommands,
  ...capCommands,
  ...unknownCommands,
];

function pausable({
  destination,
  tenant,
}: {
  destination: string | undefined;
  tenant: string | undefined;
}): Pausable {
  if (destination !== undefined && tenant === undefined) return { destination };
  if (tenant !== undefined && destination === undefined) return { tenantId: tenant };
  throw usage('give either --destination or --tenant');
}

function nameOf(what: Pausable): string {
  return 'destination' in what ? what.destination : `account ${what.tenantId}`;
}

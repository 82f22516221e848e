import { fromCommandLine } from '../accounts/audit/append.ts';
import { RESOLUTIONS, readUnknown, resolveUnknown } from '../delivery/operate/unknown-outcomes.ts';
import { type Command, defineCommand, usage } from './command.ts';
import { table } from './output.ts';
import { withServices } from './services.ts';
import { EXAMPLE_ID, WHAT_OPTIONS, wholeNumber } from './shared-options.ts';

const DEFAULT_LIMIT = 50;
const LIMIT_MAX = 1_000;

const list = defineCommand({
  name: 'queue unknown',
  summary: 'Lists messages that a restore left with an unknown outcome: they may have been sent',
  options: {
    ...WHAT_OPTIONS,
    limit: {
      type: 'string',
      value: '<n>',
      doc: `number of lines, 1 to ${LIMIT_MAX} (default: ${DEFAULT_LIMIT})`,
    },
  },
  examples: ['acuse queue unknown', 'acuse queue unknown --destination example.com --json'],
  async run({ options, out, env }) {
    const limit = options.limit === undefined ? DEFAULT_LIMIT : wholeNumber('limit', options.limit);
    if (limit < 1 || limit > LIMIT_MAX) throw usage(`--limit takes 1 to ${LIMIT_MAX}`);
    const filter = filterOf(options, undefined);
    const found = await withServices(env, 'queue unknown', (services) =>
      readUnknown(services, filter, limit),
    );
    const messages = found.messages.map(({ created_at, held_at, ...rest }) => ({
      ...rest,
      created_at: created_at.toISOString(),
      held_at: held_at.toISOString(),
    }));
    out.answer({ total: found.total, messages }, () => {
      const lines = messages.map((row) => [
        row.message_id,
        row.destination,
        String(row.attempts),
        row.created_at,
      ]);
      const shown = table(['MESSAGE', 'DESTINATION', 'ATTEMPTS', 'ACCEPTED'], lines, 'none');
      return found.total > messages.length ? [shown, `${found.total} in all`] : [shown];
    });
  },
});

const resolve = defineCommand({
  name: 'queue resolve',
  summary: 'Decides what happens to messages that a restore left with an unknown outcome',
  details:
    'Give a message, --tenant or --destination, or --all. --send queues them again: a recipient whose message was sent after the restored point gets it twice. --cancel ends them as cancelled by the operator, --bounce as expired; neither says that the recipient did not get them. Cannot be undone.',
  args: [{ name: 'message', doc: 'id of the message', optional: true }],
  options: {
    ...WHAT_OPTIONS,
    all: { type: 'boolean', doc: 'all of them' },
    send: { type: 'boolean', doc: 'send them now' },
    cancel: { type: 'boolean', doc: 'end them as cancelled' },
    bounce: { type: 'boolean', doc: 'end them as bounced, which their senders are told' },
  },
  examples: [
    `acuse queue resolve ${EXAMPLE_ID} --send`,
    'acuse queue resolve --destination example.com --cancel',
  ],
  async run({ options, args, out, env }) {
    const [messageId] = args;
    const chosen = RESOLUTIONS.filter((each) => options[each] === true);
    const [how] = chosen;
    if (how === undefined || chosen.length > 1) throw usage('give one of --send, --cancel and --bounce');
    const named = [messageId, options.tenant ?? options.destination, options.all].filter(Boolean);
    if (named.length !== 1) throw usage('give a message id, --tenant or --destination, or --all');
    const filter = filterOf(options, messageId);
    const done = await withServices(env, 'queue resolve', (services) =>
      resolveUnknown(
        { ...services, hostname: services.config.hostname },
        filter,
        how,
        fromCommandLine('queue'),
      ),
    );
    out.answer({ resolution: how, done }, () => `${DONE[how]}: ${done}`);
  },
});

const DONE = { send: 'in line to be sent', cancel: 'cancelled', bounce: 'bounced' } as const;

function filterOf(
  options: { readonly tenant: string | undefined; readonly destination: string | undefined },
  messageId: string | undefined,
) {
  return {
    tenantId: options.tenant ?? null,
    destination: options.destination ?? null,
    messageId: messageId ?? null,
  };
}

export const unknownCommands: readonly Command[] = [list, resolve];

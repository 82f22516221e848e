import { type Erased, type Erasure, eraseMessage } from '../operate/retention/erase.ts';
import { presentErasure, presentRetention } from '../operate/retention/present.ts';
import { readRetentionStatus, runRetention } from '../operate/retention/retention-run.ts';
import { type Command, CommandError, defineCommand, EXIT } from './command.ts';
import { facts } from './output.ts';
import { type CommandServices, withServices } from './services.ts';
import { BY_OPTION, EXAMPLE_ID, oneLine, REASON_MAX_CHARS, whoRuns } from './shared-options.ts';

const run = defineCommand({
  name: 'retention run',
  summary: 'Deletes plain content and records past their retention periods now',
  details:
    'The delivery role does the same every hour. An installation that comes from an earlier version begins with records 30 days after its upgrade, which acuse retention status shows; with --records now. With --certified, certified messages past their retention period are erased too, as acuse messages erase does it; nothing else ever does that automatically.',
  options: {
    records: {
      type: 'boolean',
      doc: 'delete records of plain messages even if the installation does not do so yet',
    },
    certified: { type: 'boolean', doc: 'also erase certified messages past their retention period' },
    ...BY_OPTION,
  },
  examples: ['acuse retention run', 'acuse retention run --certified --json'],
  async run({ options, out, env }) {
    const certified = options.certified ? { by: whoRuns(options.by) } : null;
    const done = await withServices(env, 'retention run', (services) =>
      runRetention(depsOf(services), { records: options.records, certified }),
    );
    out.answer(done, () => [
      `deleted the content of ${done.plain.messages} plain messages (${done.plain.bytes} bytes)`,
      ...(done.records === null ? [] : [`deleted the records of ${done.records.messages} plain messages`]),
      ...(done.certified === null
        ? []
        : [`erased ${done.certified.messages} certified messages (${done.certified.bytes} bytes)`]),
    ]);
  },
});

const status = defineCommand({
  name: 'retention status',
  summary: 'Shows how long content is kept, what is due for deletion and what was deleted',
  examples: ['acuse retention status', 'acuse retention status --json'],
  async run({ out, env }) {
    const state = await withServices(env, 'retention status', (services) =>
      readRetentionStatus(depsOf(services)),
    );
    const answer = presentRetention(state);
    out.answer(answer, () => {
      const { at_least: atLeast, ...rest } = answer;
      const more: readonly string[] = atLeast;
      return facts(
        Object.entries(rest).map(([name, value]) => [name, more.includes(name) ? `${value} or more` : value]),
      );
    });
  },
});

const erase = defineCommand({
  name: 'messages erase',
  summary: 'Erases a message permanently: its content, its salts and everything that its records say of it',
  details:
    'Hashes, leaves, proofs and constancias stay valid; nobody can tell from them afterwards what the message said. This cannot be undone. A message that is still waiting is refused: cancel it first. Certified messages are refused until their years are over, unless --force is given. Reaches this database, not its backups: see docs/operating.md.',
  args: [{ name: 'message', doc: 'id of the message' }],
  options: {
    reason: {
      type: 'string',
      value: '<text>',
      doc: 'reason; it is kept and the customer reads it, so give no personal data',
      required: true,
    },
    ...BY_OPTION,
    tenant: { type: 'string', value: '<id>', doc: 'account that the message must belong to' },
    force: { type: 'boolean', doc: 'erase evidence even within its retention period' },
  },
  examples: [
    `acuse messages erase ${EXAMPLE_ID} --reason "request 4711"`,
    `acuse messages erase ${EXAMPLE_ID} --reason "court order 12/2031" --force --json`,
  ],
  async run({ options, args, out, env }) {
    const [messageId] = args as [string];
    const request = {
      messageId,
      tenantId: options.tenant ?? null,
      reason: oneLine('reason', options.reason, REASON_MAX_CHARS),
      by: whoRuns(options.by),
      force: options.force,
    };
    const { erasure, archive } = await withServices(env, 'messages erase', async (services) => ({
      erasure: await eraseMessage(depsOf(services), request),
      archive: services.config.archive,
    }));
    const erased = assertErased(erasure, messageId);
    if (archive !== null && erased.certified)
      out.note(`if its month is in ${archive}, the next acuse archive create takes it out there`);
    const { certified, reason, by, already } = erased;
    const answer = presentErasure(messageId, erased);
    out.answer(answer, () =>
      already
        ? `message ${messageId} was already erased at ${answer.erased_at} by ${by} (${reason})`
        : `erased message ${messageId}${certified ? ': its hashes and proofs stay valid' : ''}`,
    );
  },
});

export const retentionCommands: readonly Command[] = [erase, run, status];

function depsOf({ config, db, clock }: CommandServices) {
  const { plainRetentionDays: plainDays, plainRecordDays: recordDays } = config;
  return { db, clock, plainDays, recordDays, certifiedYears: config.certifiedRetentionYears };
}

function assertErased(erasure: Erasure, messageId: string): Erased {
  switch (erasure.kind) {
    case 'erased':
      return erasure;
    case 'unknown':
      throw new CommandError(EXIT.failed, 'not_found', `no message has the id ${messageId}`);
    case 'waiting':
      throw new CommandError(
        EXIT.failed,
        'still_waiting',
        `message ${messageId} is still waiting to be sent: cancel it (acuse queue cancel ${messageId}) or wait until it is sent or bounces, then erase it`,
      );
    case 'guarded':
      throw new CommandError(
        EXIT.failed,
        'within_retention',
        `message ${messageId} is certified and its evidence must be kept until ${erasure.until.toISOString()}: to erase it anyway, add --force`,
      );
  }
}

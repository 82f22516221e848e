import {
  addGlobalSuppression,
  addSuppression,
  readGlobalSuppressions,
  readSuppressions,
  removeGlobalSuppression,
  removeSuppression,
} from '../accounts/suppressions/operations.ts';
import { presentSuppression } from '../accounts/suppressions/routes.ts';
import { readTenant } from '../accounts/tenants/operations.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { withServices } from './services.ts';
import { answerPage, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf, wholeNumber } from './shared-options.ts';

const GLOBAL_OPTION = {
  global: { type: 'boolean', doc: "the operator's list, which applies to every account" },
} as const;
const DEFAULT_LIMIT = 20;
const LIMIT_MAX = 1_000;
const ALL = { limit: 100, afterId: null, list: '', fetch: 101 };

const add = defineCommand({
  name: 'suppressions add',
  summary: 'Suppresses an address: nothing is sent to it',
  args: [{ name: 'address', doc: 'address of the recipient' }],
  options: {
    ...TENANT_OPTION,
    ...GLOBAL_OPTION,
    reason: { type: 'string', value: '<text>', doc: 'reason, stored with the address' },
  },
  examples: [
    'acuse suppressions add jo@example.com --reason "asked by phone"',
    'acuse suppressions add abuse@example.net --global',
  ],
  async run({ options, args, out, env }) {
    const input = { address: args[0]!, ...(options.reason === undefined ? {} : { reason: options.reason }) };
    const answer = await withServices(env, 'suppressions add', async (services) => {
      if (options.global)
        return { address: input.address, created: await addGlobalSuppression(services, input) };
      const { tenantId } = await readTenant(services, await tenantOf(services, options.tenant));
      const { created, entry } = await addSuppression(services, tenantId, input);
      return { ...presentSuppression(entry), created };
    });
    out.answer(answer, () =>
      answer.created ? `added ${answer.address}` : `${answer.address} is already on the list`,
    );
  },
});

const list = defineCommand({
  name: 'suppressions list',
  summary: 'Lists suppressed addresses, newest first (--global: sorted by address)',
  options: { ...TENANT_OPTION, ...GLOBAL_OPTION, ...PAGE_OPTIONS },
  examples: ['acuse suppressions list', 'acuse suppressions list --global --json'],
  async run({ options, out, env }) {
    const answer = await withServices(env, 'suppressions list', async (services) =>
      options.global
        ? globalPage(
            await readGlobalSuppressions(services, {}, options.after ?? '', globalLimit(options.limit) + 1),
            globalLimit(options.limit),
          )
        : readSuppressions(
            services,
            await tenantOf(services, options.tenant),
            {},
            pageOf('suppressions list', options),
            presentSuppression,
          ),
    );
    const lines = answer.data.map((entry) => [
      entry.address,
      'source' in entry ? entry.source : 'global',
      entry.created_at,
      entry.reason,
    ]);
    answerPage(out, answer, ['ADDRESS', 'SOURCE', 'SINCE', 'REASON'], lines, 'no suppressions');
  },
});

const remove = defineCommand({
  name: 'suppressions remove',
  summary: 'Removes an address from the list',
  args: [{ name: 'address', doc: 'address of the recipient' }],
  options: { ...TENANT_OPTION, ...GLOBAL_OPTION },
  examples: [
    'acuse suppressions remove jo@example.com',
    'acuse suppressions remove abuse@example.net --global',
  ],
  async run({ options, args, out, env }) {
    const address = args[0]!;
    const removed = await withServices(env, 'suppressions remove', async (services) => {
      if (options.global) return removeGlobalSuppression(services, address);
      const tenantId = await tenantOf(services, options.tenant);
      const { data } = await readSuppressions(services, tenantId, { address }, ALL, presentSuppression);
      for (const { id } of data) await removeSuppression(services, tenantId, id);
      return data.length > 0;
    });
    if (!removed) throw new CommandError(EXIT.failed, 'not_found', `${address} is not on the list`);
    out.answer({ address, removed: true }, () => `removed ${address}`);
  },
});

export const suppressionCommands: readonly Command[] = [add, list, remove];

function globalLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : wholeNumber('limit', text);
  if (limit < 1 || limit > LIMIT_MAX) throw usage(`--limit takes 1 to ${LIMIT_MAX}`);
  return limit;
}

function globalPage(rows: { address: string; reason: string; createdAt: Date }[], limit: number) {
  const data = rows
    .slice(0, limit)
    .map(({ address, reason, createdAt }) => ({ address, reason, created_at: createdAt.toISOString() }));
  return { data, next_cursor: rows.length > limit ? data.at(-1)!.address : null };
}

import { createSender, readSenders, removeSender, switchSender } from '../accounts/senders/operations.ts';
import { presentSender } from '../accounts/senders/routes.ts';
import { type Command, defineCommand, EXIT } from './command.ts';
import { withServices } from './services.ts';
import { answerPage, EXAMPLE_ID, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf } from './shared-options.ts';

const SENDER_ARGUMENT = { name: 'id', doc: 'id of the sender' } as const;

const add = defineCommand({
  name: 'senders add',
  summary: 'Approves an address of a registered domain, or *@domain for all of them',
  args: [{ name: 'address', doc: 'address, such as news@example.com or "*@example.com"' }],
  options: TENANT_OPTION,
  examples: ['acuse senders add news@example.com', 'acuse senders add "*@example.com"'],
  async run({ options, args, out, env }) {
    const sender = await withServices(env, 'senders add', async (services) =>
      presentSender(await createSender(services, await tenantOf(services, options.tenant), args[0]!)),
    );
    out.answer(sender, () => `${sender.id}  ${sender.address}`);
  },
});

const list = defineCommand({
  name: 'senders list',
  summary: 'Lists approved senders, newest first',
  options: { ...TENANT_OPTION, ...PAGE_OPTIONS },
  examples: ['acuse senders list'],
  async run({ options, out, env }) {
    const page = pageOf('senders list', options);
    const answer = await withServices(env, 'senders list', async (services) =>
      readSenders(
        services,
        await tenantOf(services, options.tenant),
        { active: null, domainId: null },
        page,
        presentSender,
      ),
    );
    const lines = answer.data.map(({ id, active, address }) => [id, active ? 'active' : 'off', address]);
    answerPage(out, answer, ['ID', 'STATE', 'ADDRESS'], lines, 'no senders');
  },
});

const switchOn = defineCommand({
  name: 'senders enable',
  summary: 'Enables a sender again',
  args: [SENDER_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse senders enable ${EXAMPLE_ID}`],
  run: (input) => switchTo(input, true),
});

const switchOff = defineCommand({
  name: 'senders disable',
  summary: 'Disables a sender: its address is refused, even where *@domain approves it',
  args: [SENDER_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse senders disable ${EXAMPLE_ID}`],
  run: (input) => switchTo(input, false),
});

const remove = defineCommand({
  name: 'senders delete',
  summary: 'Deletes a sender',
  args: [SENDER_ARGUMENT],
  options: TENANT_OPTION,
  examples: [`acuse senders delete ${EXAMPLE_ID}`],
  async run({ options, args, out, env }) {
    await withServices(env, 'senders delete', async (services) =>
      removeSender(services, await tenantOf(services, options.tenant), args[0]!),
    );
    out.answer({ id: args[0], deleted: true }, () => `deleted ${args[0]}`);
  },
});

export const senderCommands: readonly Command[] = [add, list, switchOn, switchOff, remove];

async function switchTo({ options, args, out, env }: Parameters<typeof add.run>[0], active: boolean) {
  const sender = await withServices(env, 'senders', async (services) =>
    presentSender(
      await switchSender(
        services,
        await tenantOf(services, options['tenant'] as string | undefined),
        args[0]!,
        active,
      ),
    ),
  );
  out.answer(sender, () => `${sender.address} is ${sender.active ? 'active' : 'off'}`);
  return EXIT.ok;
}

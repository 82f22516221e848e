import { ROLES } from '../delivery/return-path/role-address.ts';
import { readRoleMailBytes, readRoleMailbox, removeRoleMail } from '../delivery/return-path/role-mailbox.ts';
import { type Command, defineCommand, usage } from './command.ts';
import { withServices } from './services.ts';
import { answerPage, EXAMPLE_ID, PAGE_OPTIONS, pageOf } from './shared-options.ts';

const list = defineCommand({
  name: 'role-mail list',
  summary: 'Lists mail to postmaster, abuse and fbl that is for the operator',
  options: {
    ...PAGE_OPTIONS,
    role: { type: 'string', value: '<name>', doc: `only this role: ${ROLES.join(', ')}` },
  },
  examples: ['acuse role-mail list', 'acuse role-mail list --role abuse'],
  async run({ options, out, env }) {
    const role = ROLES.find((one) => one === options.role);
    if (options.role !== undefined && role === undefined)
      throw usage(`--role takes ${ROLES.join(', ')}, not "${options.role}"`);
    const answer = await withServices(env, 'role-mail list', (services) =>
      readRoleMailbox(services, { role }, pageOf('role-mail list', options)),
    );
    const lines = answer.data.map((mail) => [
      mail.id,
      mail.role,
      mail.problem ?? mail.kind,
      mail.received_at,
      mail.from,
      mail.subject,
    ]);
    answerPage(out, answer, ['ID', 'ROLE', 'WHAT', 'RECEIVED', 'FROM', 'SUBJECT'], lines, 'no mail');
  },
});

const show = defineCommand({
  name: 'role-mail show',
  summary: 'Shows a mail of the role mailbox as received; only the beginning of a long one',
  args: [{ name: 'id', doc: 'id of the mail' }],
  examples: [`acuse role-mail show ${EXAMPLE_ID}`],
  async run({ args, out, env }) {
    const raw = await withServices(env, 'role-mail show', (services) =>
      readRoleMailBytes(services, args[0]!),
    );
    const text = Buffer.from(raw).toString('utf8');
    out.answer({ id: args[0]!, raw: text }, () => text);
  },
});

const remove = defineCommand({
  name: 'role-mail delete',
  summary: 'Deletes a mail of the role mailbox',
  args: [{ name: 'id', doc: 'id of the mail' }],
  examples: [`acuse role-mail delete ${EXAMPLE_ID}`],
  async run({ args, out, env }) {
    await withServices(env, 'role-mail delete', (services) => removeRoleMail(services, args[0]!));
    out.answer({ id: args[0]!, deleted: true }, () => `deleted ${args[0]!}`);
  },
});

export const roleMailCommands: readonly Command[] = [list, show, remove];

import { fromCommandLine } from '../accounts/audit/append.ts';
import { readTenant } from '../accounts/tenants/operations.ts';
import { forgetSecondFactor, issueLink, readUsers } from '../people/sessions/operator-issued-link.ts';
import { MEMBER_ROLES, type MemberRole } from '../people/sessions/roles.ts';
import { toPage } from '../platform/http/page.ts';
import { shownUrls } from './api-client.ts';
import { type Command, defineCommand, usage } from './command.ts';
import { type CommandServices, withServices } from './services.ts';
import { answerPage, PAGE_OPTIONS, pageOf, TENANT_OPTION, tenantOf } from './shared-options.ts';

const EMAIL_ARGUMENT = { name: 'email', doc: 'address of the person' } as const;

const COMMAND_LINE = fromCommandLine('users');

const link = defineCommand({
  name: 'users link',
  summary: 'Prints a link that signs a person in to the portal once; with --role, makes them a member first',
  args: [EMAIL_ARGUMENT],
  options: {
    ...TENANT_OPTION,
    role: {
      type: 'string',
      value: '<role>',
      doc: `${MEMBER_ROLES.join(', ')}: the person's role from now on`,
    },
    name: { type: 'string', value: '<name>', doc: 'name of a new person' },
  },
  examples: ['acuse users link ana@example.com --role owner', 'acuse users link ana@example.com'],
  async run({ options, args, out, env }) {
    const role = options.role === undefined ? null : roleOf(options.role);
    const answer = await withServices(env, 'users link', async (services) => {
      const membership =
        role === null ? null : { tenantId: await existingTenant(services, options.tenant), role };
      const input = {
        email: args[0]!,
        membership,
        ...(options.name !== undefined && { name: options.name }),
      };
      const { user, link } = await issueLink(linkDeps(services), input, COMMAND_LINE);
      return {
        user_id: user.personId,
        email: user.email,
        url: link.url,
        expires_at: link.expiresAt.toISOString(),
      };
    });
    out.answer(answer, () => [
      answer.url,
      '',
      `Signs ${answer.email} in once, until ${answer.expires_at}. Earlier links of this kind no longer work.`,
    ]);
  },
});

const list = defineCommand({
  name: 'users list',
  summary: 'Lists people who can sign in to the portal, newest first',
  options: PAGE_OPTIONS,
  examples: ['acuse users list'],
  async run({ options, out, env }) {
    const page = pageOf('users list', options);
    const rows = await withServices(env, 'users list', ({ db }) => readUsers(db, page.afterId, page.fetch));
    const answer = toPage(
      rows,
      page,
      ({ personId }) => personId,
      (user) => ({
        id: user.personId,
        email: user.email,
        name: user.name === '' ? null : user.name,
        has_password: user.passwordPhc !== null,
        has_totp: user.totpSealed !== null,
        has_passkeys: user.hasPasskeys,
        address_proven: user.emailProvenAt !== null,
        created_at: user.createdAt.toISOString(),
      }),
    );
    const lines = answer.data.map(({ id, has_totp, has_passkeys, created_at, email }) => [
      id,
      [has_passkeys && 'passkey', has_totp && 'app'].filter(Boolean).join(', ') || '-',
      created_at,
      email,
    ]);
    answerPage(out, answer, ['ID', 'SECOND FACTOR', 'CREATED', 'ADDRESS'], lines, 'no users');
  },
});

const forget = defineCommand({
  name: 'users forget-factor',
  summary: 'Turns off the second factor of a person who has lost it, and ends their sessions',
  args: [EMAIL_ARGUMENT],
  options: {},
  examples: ['acuse users forget-factor ana@example.com'],
  async run({ args, out, env }) {
    const user = await withServices(env, 'users forget-factor', ({ db, clock }) =>
      forgetSecondFactor({ db, clock }, args[0]!, COMMAND_LINE),
    );
    out.answer(
      { user_id: user.personId, email: user.email },
      () => `${user.email} signs in without a second factor`,
    );
  },
});

export const userCommands: readonly Command[] = [link, list, forget];

function roleOf(text: string): MemberRole {
  const role = MEMBER_ROLES.find((each) => each === text);
  if (role === undefined) throw usage(`--role must be one of ${MEMBER_ROLES.join(', ')}`);
  return role;
}

async function existingTenant(services: CommandServices, given: string | undefined): Promise<string> {
  const tenantId = await tenantOf(services, given);
  return (await readTenant(services, tenantId)).tenantId;
}

export function linkDeps({ db, clock, config }: CommandServices) {
  return { db, clock, publicUrl: () => shownUrls(config).publicUrl };
}

import type { Operator } from '../people/operators/operator.ts';
import {
  addOperator,
  changeOperator,
  firstLink,
  linkOperator,
  type OperatorLink,
  type OperatorsDeps,
  presentOperator,
  readOperators,
  removeOperator,
  requireByEmail,
  resetFactor,
} from '../people/operators/operators.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../platform/http/http.ts';
import { toPage } from '../platform/http/page.ts';
import { shownUrls } from './api-client.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { facts, type Lines } from './output.ts';
import { type CommandServices, withServices } from './services.ts';
import { answerPage, oneLine, PAGE_OPTIONS, pageOf } from './shared-options.ts';

const NAME_MAX_CHARS = 200;
const EMAIL_ARGUMENT = { name: 'email', doc: 'address of the operator' } as const;
const ROLE_OPTION = {
  role: {
    type: 'string',
    value: '<role>',
    doc: 'admin: everything; support: reads, retry, cancel, pause and resume (default: admin)',
  },
} as const;

const list = defineCommand({
  name: 'operators list',
  summary: 'Lists operators, newest first',
  options: PAGE_OPTIONS,
  examples: ['acuse operators list', 'acuse operators list --json'],
  async run({ options, out, env }) {
    const page = pageOf('operators list', options);
    const rows = await withServices(env, 'operators list', (services) =>
      readOperators(depsOf(services), page.afterId, page.fetch),
    );
    const answer = toPage(rows, page, (row) => row.personId, presentOperator);
    const lines = answer.data.map(({ id, email, role, has_totp, has_passkeys, created_at }) => [
      id,
      email,
      role,
      has_totp || has_passkeys ? 'yes' : 'no',
      created_at,
    ]);
    answerPage(out, answer, ['ID', 'ADDRESS', 'ROLE', 'SECOND FACTOR', 'SINCE'], lines, 'no operators yet');
  },
});

const add = defineCommand({
  name: 'operators add',
  summary: 'Adds an operator and prints the link that signs them in, once',
  args: [EMAIL_ARGUMENT],
  options: { name: { type: 'string', value: '<name>', doc: 'name of the person' }, ...ROLE_OPTION },
  examples: ['acuse operators add ana@example.com --name "Ana López"'],
  async run({ options, args, out, env }) {
    const role = readRole(options.role ?? 'admin');
    const name = options.name === undefined ? '' : oneLine('name', options.name, NAME_MAX_CHARS);
    const made = await withServices(env, 'operators add', (services) =>
      addOperator(depsOf(services), { email: args[0]!, name, role }),
    );
    out.answer(presentLinked(made), () => linkText(made.operator, made.link));
  },
});

const link = defineCommand({
  name: 'operators link',
  summary: 'Prints a link that signs an operator in, once within 24 hours',
  details:
    'Without an address: the link of a first start, whose holder becomes the first operator. Earlier links stop working; a second factor is still required.',
  args: [{ ...EMAIL_ARGUMENT, optional: true }],
  examples: ['acuse operators link', 'acuse operators link ana@example.com --json'],
  async run({ args, out, env }) {
    const [email] = args;
    const made = await withServices(env, 'operators link', async (services) => {
      const deps = depsOf(services);
      if (email !== undefined) return linkOperator(deps, (await requireByEmail(deps, email)).personId);
      return { operator: null, link: await firstLink(deps) };
    });
    if (made.link === null)
      throw new CommandError(
        EXIT.failed,
        'conflict',
        'there are operators: name one by address (acuse operators list)',
      );
    const { operator, link: shown } = made;
    out.answer({ operator: operator && presentOperator(operator), link: presentLink(shown) }, () =>
      linkText(operator, shown),
    );
  },
});

const update = defineCommand({
  name: 'operators update',
  summary: "Changes an operator's role",
  args: [EMAIL_ARGUMENT],
  options: { role: { ...ROLE_OPTION.role, doc: 'admin or support', required: true } },
  examples: ['acuse operators update ana@example.com --role support'],
  async run({ options, args, out, env }) {
    const role = readRole(options.role);
    const changed = await withServices(env, 'operators update', async (services) => {
      const deps = depsOf(services);
      return changeOperator(deps, (await requireByEmail(deps, args[0]!)).personId, { role });
    });
    out.answer(presentOperator(changed.after), () => `${changed.after.email} is ${role}`);
  },
});

const reset = defineCommand({
  name: 'operators reset',
  summary: 'Removes the second factor of an operator who has lost it, and ends their sessions',
  args: [EMAIL_ARGUMENT],
  examples: ['acuse operators reset ana@example.com'],
  async run({ args, out, env }) {
    const email = args[0]!;
    const had = await withServices(env, 'operators reset', async (services) => {
      const deps = depsOf(services);
      return resetFactor(deps, (await requireByEmail(deps, email)).personId);
    });
    out.answer({ email, second_factor_removed: had }, () =>
      had ? `removed the second factor of ${email}` : `${email} had no second factor; their sessions ended`,
    );
  },
});

const remove = defineCommand({
  name: 'operators remove',
  summary: 'Removes an operator; what they did stays on record',
  args: [EMAIL_ARGUMENT],
  examples: ['acuse operators remove ana@example.com'],
  async run({ args, out, env }) {
    const email = args[0]!;
    await withServices(env, 'operators remove', async (services) => {
      const deps = depsOf(services);
      return removeOperator(deps, (await requireByEmail(deps, email)).personId);
    });
    out.answer({ email, removed: true }, () => `removed ${email}`);
  },
});

export const operatorCommands: readonly Command[] = [list, add, link, update, reset, remove];

function depsOf({ db, clock, config }: CommandServices): OperatorsDeps {
  return { db, clock, adminUrl: () => shownUrls(config).adminUrl };
}

function readRole(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((each) => each === text);
  if (role === undefined) throw usage(`--role takes ${OPERATOR_ROLES.join(' or ')}, not "${text}"`);
  return role;
}

function presentLinked({ operator, link: made }: { operator: Operator; link: OperatorLink }) {
  return { operator: presentOperator(operator), link: presentLink(made) };
}

function presentLink({ url, expiresAt }: OperatorLink) {
  return { url, expires_at: expiresAt.toISOString() };
}

function linkText(operator: Operator | null, { url, expiresAt }: OperatorLink): Lines {
  return facts([
    ['operator', operator?.email ?? 'the first'],
    ['link', url],
    ['good until', expiresAt.toISOString()],
  ]);
}

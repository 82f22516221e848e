import { appendAccountChange } from '../accounts/audit/account-change.ts';
import { fromCommandLine } from '../accounts/audit/append.ts';
import { changeTenantFrom, createTenant, readTenants } from '../accounts/tenants/operations.ts';
import { presentTenant, readSourcePool } from '../accounts/tenants/present.ts';
import type { AccountSettings, Tenant, TenantChange, TenantStatus } from '../accounts/tenants/store.ts';
import { loadConfig } from '../config/config.ts';
import type { SourcePool } from '../config/config-values.ts';
import { toPage } from '../platform/http/page.ts';
import { type Command, defineCommand, usage } from './command.ts';
import { facts, type Lines } from './output.ts';
import { withServices } from './services.ts';
import { answerPage, EXAMPLE_ID, PAGE_OPTIONS, pageOf, wholeNumber } from './shared-options.ts';

const SETTINGS_OPTIONS = {
  'default-certified': {
    type: 'string',
    value: '<true|false>',
    doc: 'whether a send that does not say is certified (default: true)',
  },
  quota: { type: 'string', value: '<n>', doc: 'certified messages per month' },
  'plain-quota': { type: 'string', value: '<n>', doc: 'plain messages per month' },
  price: { type: 'string', value: '<cents>', doc: 'price per certified message, in cents' },
  'require-ready-domains': {
    type: 'string',
    value: '<true|false>',
    doc: 'refuse sends from a domain whose mail receivers cannot check (default: false)',
  },
  'plain-price': { type: 'string', value: '<cents>', doc: 'price per plain message, in cents' },
  'plain-record-days': {
    type: 'string',
    value: '<n>',
    doc: 'days that records of plain messages are kept; default: as ACUSE_PLAIN_RECORD_DAYS says',
  },
} as const;

const STATUSES: readonly TenantStatus[] = ['active', 'suspended', 'deactivated'];

const create = defineCommand({
  name: 'tenants create',
  summary: 'Creates an account',
  options: {
    name: { type: 'string', value: '<name>', doc: 'name of the account', required: true },
    ...SETTINGS_OPTIONS,
  },
  examples: [
    'acuse tenants create --name "Example S.A."',
    'acuse tenants create --name Test --quota 500 --json',
  ],
  async run({ options, out, env }) {
    const settings = readSettings(options);
    const tenant = await withServices(env, 'tenants create', (services) =>
      createTenant(services, { name: options.name, ...settings }),
    );
    out.answer(presentTenant(tenant), () => describe(tenant));
  },
});

const list = defineCommand({
  name: 'tenants list',
  summary: 'Lists accounts, newest first',
  options: PAGE_OPTIONS,
  examples: ['acuse tenants list', 'acuse tenants list --json --limit 100'],
  async run({ options, out, env }) {
    const page = pageOf('tenants list', options);
    const rows = await withServices(env, 'tenants list', (services) =>
      readTenants(services, page.afterId, page.fetch),
    );
    const answer = toPage(rows, page, (tenant) => tenant.tenantId, presentTenant);
    const lines = answer.data.map(({ id, name, status, created_at }) => [id, status, created_at, name]);
    answerPage(out, answer, ['ID', 'STATUS', 'CREATED', 'NAME'], lines, 'no accounts');
  },
});

const update = defineCommand({
  name: 'tenants update',
  summary: 'Changes the settings or the state of an account',
  args: [{ name: 'id', doc: 'id of the account' }],
  options: {
    name: { type: 'string', value: '<name>', doc: 'name of the account' },
    status: {
      type: 'string',
      value: '<status>',
      doc: `${STATUSES.join(', ')}; a suspended or deactivated account's requests are refused`,
    },
    'source-pool': {
      type: 'string',
      value: '<name>',
      doc: 'pool of ACUSE_SOURCE_POOLS that its mail is sent from (default: default)',
    },
    ...SETTINGS_OPTIONS,
  },
  examples: [
    `acuse tenants update ${EXAMPLE_ID} --status suspended`,
    `acuse tenants update ${EXAMPLE_ID} --quota 50000 --price 12`,
    `acuse tenants update ${EXAMPLE_ID} --source-pool bulk`,
  ],
  async run({ options, args, out, env }) {
    const change: TenantChange = {
      ...readSettings(options),
      ...(options.name === undefined ? {} : { name: options.name }),
    };
    if (options.status !== undefined) change.status = readStatus(options.status);
    const pool = options['source-pool'];
    if (pool !== undefined) change.sourcePool = readPool(pool, loadConfig(env).config.sourcePools ?? []);
    if (Object.keys(change).length === 0)
      throw usage('nothing to change: give at least one setting; see acuse tenants update --help');
    const { after: tenant } = await withServices(env, 'tenants update', (services) =>
      changeTenantFrom(services, args[0]!, change, (tx, { before, after }) =>
        appendAccountChange(
          tx,
          before.tenantId,
          fromCommandLine('tenants'),
          { before: presentTenant(before), after: presentTenant(after) },
          services.clock.now(),
        ),
      ),
    );
    out.answer(presentTenant(tenant), () => describe(tenant));
  },
});

export const tenantCommands: readonly Command[] = [create, list, update];

function readStatus(text: string): TenantStatus {
  const status = STATUSES.find((each) => each === text);
  if (status === undefined) throw usage(`--status takes ${STATUSES.join(', ')}, not "${text}"`);
  return status;
}

function readPool(name: string, pools: readonly SourcePool[]): string | null {
  const read = readSourcePool(name, pools);
  if ('unknown' in read) throw usage(read.unknown);
  return read.pool;
}

function readSettings(
  options: { [Name in keyof typeof SETTINGS_OPTIONS]: string | undefined },
): Partial<AccountSettings> {
  const settings: Partial<AccountSettings> = {};
  const certified = yesOrNo('default-certified', options['default-certified']);
  if (certified !== undefined) settings.defaultCertified = certified;
  const ready = yesOrNo('require-ready-domains', options['require-ready-domains']);
  if (ready !== undefined) settings.requireReadyDomains = ready;
  if (options.quota !== undefined) settings.quotaMessagesMonth = wholeNumber('quota', options.quota);
  if (options['plain-quota'] !== undefined)
    settings.quotaPlainMessagesMonth = wholeNumber('plain-quota', options['plain-quota']);
  if (options.price !== undefined) settings.pricePerMessageCents = wholeNumber('price', options.price);
  if (options['plain-price'] !== undefined)
    settings.pricePerPlainMessageCents = wholeNumber('plain-price', options['plain-price']);
  const days = options['plain-record-days'];
  if (days !== undefined)
    settings.plainRecordDays = days === 'default' ? null : wholeNumber('plain-record-days', days);
  return settings;
}

function yesOrNo(option: string, given: string | undefined): boolean | undefined {
  if (given === undefined) return undefined;
  if (given !== 'true' && given !== 'false') throw usage(`--${option} takes true or false, not "${given}"`);
  return given === 'true';
}

function describe(tenant: Tenant): Lines {
  return facts(Object.entries(presentTenant(tenant)));
}

import { knownSources } from '../delivery/next-hop/source-pools.ts';
import { EACH } from '../delivery/operate/cap-store.ts';
import {
  CAP_DAYS_MAX,
  capSending,
  type GivenCap,
  presentCap,
  type ShownCap,
  showCaps,
  uncap,
} from '../delivery/operate/caps.ts';
import { scopeText } from '../delivery/operate/why-waiting.ts';
import { type Command, CommandError, defineCommand, EXIT, usage } from './command.ts';
import { type Lines, table } from './output.ts';
import { type CommandServices, withServices } from './services.ts';
import { BY_OPTION, EXAMPLE_ID, oneLine, REASON_MAX_CHARS, wholeNumber, whoRuns } from './shared-options.ts';

const DESTINATION = {
  type: 'string',
  value: '<domain>',
  doc: `a domain of the recipients; a large receiver with all its domains; "${EACH}": each receiver by itself`,
} as const;
const REASON = { type: 'string', value: '<text>', doc: 'reason, for the record', required: true } as const;
const DAYS = {
  type: 'string',
  value: '<n>',
  doc: 'days until it ends (default: when it is taken back)',
} as const;

const caps = defineCommand({
  name: 'queue caps',
  summary: 'Lists caps on outgoing mail and warm-ups of addresses, and how much of each is used',
  examples: ['acuse queue caps', 'acuse queue caps --json'],
  async run({ out, env }) {
    const { shown, now } = await withServices(env, 'queue caps', async (services) => ({
      shown: await showCaps(services),
      now: services.clock.now(),
    }));
    out.answer({ data: shown.map((each) => presentCap(each, now)) }, () => [capsTable(shown, now)]);
  },
});

function capsTable(shown: readonly ShownCap[], now: Date): Lines {
  const lines = shown.flatMap((each) => {
    const { cap_id, period, steps, warms_up, reason, counts } = presentCap(each, now);
    const what = warms_up ? `warm-up, ${steps.length} days` : `${steps[0]} a ${period}`;
    const head = [cap_id, what, scopeText(each.cap)];
    if (counts.length === 0) return [[...head, '-', '-', '-', reason]];
    return counts.map(({ receiver, taken, limit, step, state, turned_away: turnedAway, answered }) => [
      ...[...head, receiver ?? '-'],
      `${limit === null ? answered : Math.min(taken, limit)}/${limit ?? 'no limit'}${step === null ? '' : `, day ${step}`}`,
      turnedAway === 0 ? state : `${state}, ${turnedAway} turned away`,
      reason,
    ]);
  });
  return table(['CAP', 'ALLOWS', 'OF', 'RECEIVER', 'USED', 'STATE', 'REASON'], lines, 'nothing is capped');
}

const cap = defineCommand({
  name: 'queue cap',
  summary: 'Allows so many messages an hour or a day: of an account, a pool, an address or to a receiver',
  details:
    'Further mail goes by another address of the pool that has room, or waits until the hour or the day (UTC) ends; acuse queue show says so. All delivery processes together keep to it. A cap of the same scope and period is replaced.',
  options: {
    tenant: { type: 'string', value: '<id>', doc: 'id of the account' },
    pool: { type: 'string', value: '<name>', doc: 'pool of ACUSE_SOURCE_POOLS' },
    source: { type: 'string', value: '<name>', doc: 'EHLO name of one of our addresses' },
    destination: DESTINATION,
    'per-hour': { type: 'string', value: '<n>', doc: 'messages an hour' },
    'per-day': { type: 'string', value: '<n>', doc: 'messages a day' },
    days: DAYS,
    reason: REASON,
    ...BY_OPTION,
  },
  examples: [
    `acuse queue cap --tenant ${EXAMPLE_ID} --per-hour 500 --reason "new customer"`,
    'acuse queue cap --pool bulk --destination "*" --per-day 20000 --reason "agreed with the provider"',
  ],
  async run({ options, out, env }) {
    const { 'per-hour': perHour, 'per-day': perDay } = options;
    if ((perHour === undefined) === (perDay === undefined)) throw usage('give --per-hour or --per-day');
    const period = perHour === undefined ? 'day' : 'hour';
    const { tenant, pool, source, destination } = options;
    const written = await write(env, 'queue cap', {
      scope: {
        ...{ tenant_id: tenant ?? null, source_pool: pool ?? null },
        ...{ source: source?.toLowerCase() ?? null, receiver: destination ?? null },
      },
      ...{ period, steps: [wholeNumber(`per-${period}`, (perHour ?? perDay)!)], warmsUp: false },
      ...common(options),
    });
    out.answer(written, () => `capped ${scopeText(written)}: ${written.steps[0]} a ${period}`);
  },
});

const warmUp = defineCommand({
  name: 'queue warm-up',
  summary:
    'Warms up one of our addresses: few messages on the first day, more after each good day, per receiver',
  details:
    'A day that used half of its number and had at most 5 % turned away goes on to the next; beyond 15 % the day is over at once, and the next one is a step lower. After the last day there is no limit. Further mail goes by the other addresses of the pool; where there is none, it waits.',
  args: [{ name: 'source', doc: 'EHLO name of the address' }],
  options: {
    destination: DESTINATION,
    steps: {
      type: 'string',
      value: '<n,n,…>',
      doc: 'messages of each day (default: 50 to 200000 in 17 days)',
    },
    days: DAYS,
    reason: REASON,
    ...BY_OPTION,
  },
  examples: [
    'acuse queue warm-up bulk.example.com --reason "new address"',
    'acuse queue warm-up bulk.example.com --destination gmail.com --steps 20,50,100,200,500 --reason "they defer us"',
  ],
  async run({ options, args, out, env }) {
    const steps = options.steps?.split(',').map((step) => wholeNumber('steps', step.trim())) ?? null;
    const source = args[0]!.toLowerCase();
    const written = await write(env, 'queue warm-up', {
      scope: { tenant_id: null, source_pool: null, source, receiver: options.destination ?? null },
      ...{ period: 'day', steps, warmsUp: true },
      ...common(options),
    });
    out.answer(
      written,
      () => `warming up ${source}: ${written.steps[0]} on the first day, ${scopeText(written)}`,
    );
  },
});

const uncapCommand = defineCommand({
  name: 'queue uncap',
  summary: 'Takes back a cap or a warm-up; messages that it held are due at once',
  args: [{ name: 'cap', doc: 'id of the cap' }],
  examples: [`acuse queue uncap ${EXAMPLE_ID}`],
  async run({ args, out, env }) {
    const [id] = args;
    const gone = await withServices(env, 'queue uncap', (services) => uncap(services, id!));
    if (gone === null) throw new CommandError(EXIT.failed, 'not_found', `there is no cap ${id}`);
    out.answer(
      { cap_id: id, removed: true, due: gone.due },
      () => `took back the cap of ${scopeText(gone.cap)}: ${gone.due} messages are due`,
    );
  },
});

export const capCommands: readonly Command[] = [caps, cap, warmUp, uncapCommand];

function write(env: Parameters<typeof withServices>[0], name: string, given: GivenCap) {
  return withServices(env, name, async (services: CommandServices) => {
    const written = await capSending(services, given, knownSources(services.config));
    return presentCap({ cap: written, counts: [] }, services.clock.now());
  });
}

function common(options: { days: string | undefined; reason: string; by: string | undefined }) {
  const days = options.days === undefined ? null : wholeNumber('days', options.days);
  if (days !== null && (days < 1 || days > CAP_DAYS_MAX)) throw usage(`--days takes 1 to ${CAP_DAYS_MAX}`);
  return { days, reason: oneLine('reason', options.reason, REASON_MAX_CHARS), by: whoRuns(options.by) };
}

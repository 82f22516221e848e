import { randomBytes } from 'node:crypto';
import type { Environment } from '../config/config.ts';
import type { Config } from '../config/config-type.ts';
import { describeKeys, logKeysOf } from '../evidence/log/published-keys.ts';
import { describeStop } from '../evidence/log/stop.ts';
import { centsOf, isMonth, presentSealing } from '../evidence/present-status.ts';
import { CONSTANCIAS_COUNTED_MAX, readCover } from '../evidence/renewal/renewal-store.ts';
import { createRenewals } from '../evidence/renewal/renewals.ts';
import { createAuthorities } from '../evidence/stamp/authorities.ts';
import { createInProcessSealer } from '../evidence/stamp/in-process.ts';
import { openAuthorities } from '../evidence/stamp/open-authorities.ts';
import type { Sealer } from '../evidence/stamp/sealer.ts';
import { readSealingStatus, type SealingStatus } from '../evidence/status.ts';
import type { InstallationSecretDeps } from '../platform/database/installation-secrets-store.ts';
import { COUNTED_MAX } from '../platform/database/shared-read.ts';
import { createLog } from '../platform/logger.ts';
import { openTimeStampAuthority } from '../sandbox/time-stamp-authority.ts';
import { type Command, defineCommand, EXIT, usage } from './command.ts';
import { type Lines, table } from './output.ts';
import { withServices } from './services.ts';
import { wholeNumber } from './shared-options.ts';

const DAY_MS = 86_400_000;

const renew = defineCommand({
  name: 'renew',
  summary: 'Renews the constancias whose certificates end soon',
  details:
    'The sealing role does the same every ten minutes; this does it now. Exit code 0: everything due was renewed; 1: something was not, and the output says why.',
  options: {
    within: {
      type: 'string',
      value: '<days>',
      doc: 'renew what ends within this many days (default: ACUSE_RENEW_BEFORE)',
    },
  },
  examples: ['acuse renew', 'acuse renew --within 365 --json'],
  async run({ options, out, env }) {
    return withServices(env, 'renew', async (services) => {
      const { config, db, clock } = services;
      const log = createLog('silent');
      const authorities = createAuthorities({ db, clock, log, sealers: await openSealers(services, env) });
      const renewBeforeMs =
        options.within === undefined ? config.renewBeforeMs : wholeNumber('within', options.within) * DAY_MS;
      const renewals = createRenewals({ ...services, log, authorities, renewBeforeMs });
      const coverNow = () => {
        const now = clock.now();
        return readCover(db, { now, dueBefore: new Date(now.getTime() + renewBeforeMs) });
      };
      const { due } = await coverNow();
      const round = await renewals.renewNow({
        onRound: (sum) =>
          out.progress(`${sum.renewed + sum.notDue + sum.postponed} of ${due}, ${sum.postponed} postponed`),
      });
      // Postponed ones are due, but not retried yet.
      const left = (await coverNow()).putOff;
      const { renewed } = round;
      const postponed = Math.max(round.postponed, left);
      const reasons =
        left > round.postponed ? [...round.reasons, putOffBefore(left - round.postponed)] : round.reasons;
      out.answer({ renewed, postponed, reasons }, () => [
        `renewed ${renewed}`,
        `postponed ${postponed}`,
        ...reasons.map((reason) => `✗ ${reason}`),
      ]);
      return postponed === 0 ? EXIT.ok : EXIT.failed;
    });
  },
});

const putOffBefore = (count: number) =>
  `${count} postponed earlier, or being renewed by another process: retried within a day; acuse sealing status shows the state of the authorities`;

const status = defineCommand({
  name: 'sealing status',
  summary:
    'Shows what is waiting to be sealed and why, the state of the authorities, what ends when, and the cost',
  options: {
    month: { type: 'string', value: '<YYYY-MM>', doc: 'month of the costs, UTC (default: this month)' },
  },
  examples: ['acuse sealing status', 'acuse sealing status --month 2026-11 --json'],
  async run({ options, out, env }) {
    return withServices(env, 'sealing status', async ({ config, db, clock }) => {
      const month = options.month ?? clock.now().toISOString().slice(0, 7);
      if (!isMonth(month)) throw usage(`--month takes YYYY-MM, not "${month}"`);
      const state = await readSealingStatus({ db, clock, renewBeforeMs: config.renewBeforeMs }, month);
      out.answer(presentSealing(state), () => describe(state));
      if (config.authorities === null && config.delivery !== 'sandbox') out.note(DEVELOPMENT);
      return EXIT.ok;
    });
  },
});

export const sealingCommands: readonly Command[] = [renew, status];

const DEVELOPMENT =
  'No time-stamping authority is configured (ACUSE_TSA_MANIFESTS): these are development constancias, not NOM-151.';

/** A plus: possibly more. */
const upTo = (limit: number, count: number) => (count < limit ? String(count) : `${limit}+`);
const counted = (count: number) => upTo(CONSTANCIAS_COUNTED_MAX, count);

const iso = (time: Date | null) => time?.toISOString() ?? null;

function stopLines({ origin, endedAt, stop }: SealingStatus['logs'][number]): string[] {
  if (stop === null || endedAt !== null) return [];
  const notes = [
    `as ${stop.witness} has it:`,
    stop.note,
    'as this database has it:',
    stop.ownNote ?? 'nothing',
  ];
  return [
    '',
    `✗ ${describeStop({ ...stop, origin, stoppedAt: stop.at })}`,
    ...notes.flatMap((text) => text.trimEnd().split('\n')),
  ];
}

function describe({ logs, authorities, cover, month, costs }: SealingStatus): Lines {
  const total = costs.reduce((sum, { costMicros }) => sum + costMicros, 0);
  return [
    table(
      ['log', 'leaves', 'pending', 'unstamped', 'oldest', 'attempts', 'next', 'last error'],
      logs.map((log) => [
        log.origin,
        String(log.leaves),
        upTo(COUNTED_MAX, log.pendingLeaves),
        upTo(COUNTED_MAX, log.unstamped),
        iso(log.oldestUnstampedAt) ?? '-',
        String(log.attempts ?? '-'),
        iso(log.nextAttemptAt) ?? '-',
        log.lastError ?? '-',
      ]),
      'no log yet',
    ),
    ...logs.map((log) => `log ${log.origin}: ${describeKeys(logKeysOf(log))}`),
    ...logs.flatMap(stopLines),
    ...logs.flatMap(({ origin, endedAt, unsealedLeaves }) =>
      endedAt === null
        ? []
        : [
            `log ${origin} ended at ${endedAt.toISOString()}; ${upTo(COUNTED_MAX, unsealedLeaves)} leaves waited for it and are never sealed`,
          ],
    ),
    '',
    table(
      ['authority', 'state', 'sealed last', 'chain ends', 'last error'],
      authorities.map((authority) => [
        authority.name,
        stateOf(authority),
        iso(authority.sealedAt) ?? 'never',
        `${iso(authority.chainNotAfter) ?? '-'}${authority.endsSoon ? ' SOON' : ''}`,
        authority.failures === 0 ? '-' : (authority.lastError ?? '-'),
      ]),
      'no authority asked yet',
    ),
    '',
    `constancias ${counted(cover.constancias)}, renewals ${counted(cover.renewals)}, due for renewal ${cover.due}, ended without renewal ${cover.lapsed}, first chain ends ${iso(cover.firstEnd) ?? '-'}`,
    '',
    table(
      ['tenant', 'kind', 'authority', 'items', 'cents'],
      costs.map((cost) => [
        cost.tenantId,
        cost.kind,
        cost.authority,
        String(cost.items),
        centsOf(cost.costMicros).toFixed(2),
      ]),
      `${month}: no constancia had a cost`,
    ),
    ...(costs.length === 0 ? [] : [`${month}: ${centsOf(total).toFixed(2)} cents`]),
  ];
}

function stateOf({ failures, pausedUntil }: SealingStatus['authorities'][number]): string {
  if (failures === 0) return 'seals';
  return pausedUntil === null ? `failed ${failures} times` : `paused until ${iso(pausedUntil)}`;
}

/** The configured authorities, or the embedded one. */
export async function openSealers(
  services: InstallationSecretDeps & { config: Pick<Config, 'authorities'> },
  env: Environment,
): Promise<Sealer[]> {
  if (services.config.authorities !== null)
    return openAuthorities(services.config.authorities, (name) => env[name]);
  return [createInProcessSealer(await openTimeStampAuthority(services), randomBytes)];
}

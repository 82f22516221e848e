import { createHash, randomBytes } from 'node:crypto';
import type { TimeStampResult } from '@acuse/evidence/timestamp/policy';
import { verifyTimeStamp } from '@acuse/evidence/timestamp/verify';
import { request } from 'undici';
import { type AuthorityService, openServices } from '../../evidence/stamp/open-authorities.ts';
import { readSealingStatus, type SealingStatus } from '../../evidence/status.ts';
import { limitedSignal } from '../../platform/limited-signal.ts';
import { judgeDrift } from './clock.ts';
import type { DoctorDeps, Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

/** Seals take seconds: a longer wait is a fault. */
const UNSEALED_MAX_MS = 15 * 60_000;
const REACH_MS = 5_000;

export const authorities: Group = async (deps, { stamp }, signal) => {
  const asked = await checkConfigured(deps, stamp, signal);
  if (deps.db === null) return asked;
  const month = deps.clock.now().toISOString().slice(0, 7);
  const renewBeforeMs = deps.config.renewBeforeMs;
  const status = await readSealingStatus({ db: deps.db, clock: deps.clock, renewBeforeMs }, month);
  return [...asked, ...judgeSealing(status, deps.clock.now())];
};

async function checkConfigured(deps: DoctorDeps, stamp: boolean, signal: AbortSignal): Promise<Finding[]> {
  const { config, secretOf } = deps;
  if (config.authorities === null) {
    if (config.delivery === 'sandbox') return [];
    const detail =
      'None is configured: constancias are those of the development authority, and prove nothing.';
    const fix =
      'set ACUSE_TSA_MANIFESTS to the manifest of a PSC (docs/operating.md, Time-stamping authorities)';
    return [fault('problem', ['authority', 'ACUSE_TSA_MANIFESTS'], detail, fix)];
  }
  let services: AuthorityService[];
  try {
    services = openServices(config.authorities, secretOf);
  } catch (error) {
    const fix = 'repair that manifest: the service does not start with it';
    return [fault('problem', ['authority', 'ACUSE_TSA_MANIFESTS'], (error as Error).message, fix)];
  }
  const only = services.length > 1 ? [] : [ONLY_ONE];
  const looks = services.map(async (service) => [
    ...(await reach(service, deps, signal)),
    ...(stamp ? [await tryStamp(service, deps, signal)] : []),
  ]);
  return [...(await Promise.all(looks)).flat(), ...only];
}

const ONLY_ONE = fault(
  'advice',
  ['authority', 'ACUSE_TSA_MANIFESTS'],
  'There is one authority only: while it is away, nothing is sealed.',
  'add the manifest of a second one behind it',
);

/** An empty request costs nothing, and any answer shows the authority's clock. */
async function reach(
  { sealer, url, dispatcher }: AuthorityService,
  deps: DoctorDeps,
  signal: AbortSignal,
): Promise<Finding[]> {
  const place = ['authority.reach', sealer.name] as const;
  try {
    const answer = await request(url, {
      method: 'HEAD',
      signal: limitedSignal(REACH_MS, signal),
      ...(dispatcher !== undefined && { dispatcher }),
    });
    await answer.body.dump();
    const its = Date.parse(String(answer.headers['date']));
    const reached = ok(...place, `${new URL(url).host} answers (HTTP ${answer.statusCode} to HEAD).`);
    // Its clock has a resolution of a second.
    const driftMs = its + 500 - deps.clock.now().getTime();
    return Number.isNaN(its) ? [reached] : [reached, judgeDrift(['clock.authority', sealer.name], driftMs)];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fix = `check the way to ${url} (firewall, proxy, TLS: ca_file, client_certificate)`;
    return [fault('problem', place, `Cannot be reached: ${code ?? message}`, fix)];
  } finally {
    await dispatcher?.close();
  }
}

async function tryStamp(
  { sealer }: AuthorityService,
  deps: DoctorDeps,
  signal: AbortSignal,
): Promise<Finding> {
  const place = ['authority.stamp', sealer.name] as const;
  const imprint = createHash('sha256').update(randomBytes(32)).digest();
  let result: TimeStampResult;
  try {
    const { response, expected } = await sealer.stamp({ imprint, hashAlgorithm: 'sha256' }, signal);
    result = await verifyTimeStamp(
      response,
      { ...expected, imprint, hashAlgorithm: 'sha256' },
      sealer.policy,
      sealer.intermediates,
    );
  } catch (error) {
    return fault('problem', place, (error as Error).message, 'ask the authority, with that answer');
  }
  if (result.ok) {
    const drift = new Date(result.facts.genTime).getTime() - deps.clock.now().getTime();
    return ok(
      ...place,
      `Gave a valid time-stamp; its time differs from ours by ${(Math.abs(drift) / 1_000).toFixed(1)} s.`,
    );
  }
  const failed = result.checks.filter((check) => !check.ok).map((check) => `${check.name}: ${check.detail}`);
  return fault(
    'problem',
    place,
    `Its time-stamp is not valid: ${failed.join('; ')}`,
    'compare the policy of the manifest with what the authority issues',
  );
}

export function judgeSealing({ logs, authorities, cover }: SealingStatus, now: Date): Finding[] {
  return [
    ...logs.map((log) => judgeLog(log, now)),
    ...authorities.flatMap(judgeAuthority),
    ...judgeCover(cover),
  ];
}

function judgeLog(log: SealingStatus['logs'][number], now: Date): Finding {
  const place = ['sealing.log', log.origin] as const;
  const { oldestUnstampedAt, lastError } = log;
  const waitsMs = oldestUnstampedAt === null ? 0 : now.getTime() - oldestUnstampedAt.getTime();
  const state =
    log.endedAt === null
      ? `${log.pendingLeaves} pending`
      : `ended at ${log.endedAt.toISOString()}, ${log.unsealedLeaves} never sealed`;
  const counts = `${log.leaves} leaves, ${state}, ${log.unstamped} checkpoints without a constancia.`;
  if (waitsMs <= UNSEALED_MAX_MS) return ok(...place, counts);
  const why = lastError === null ? 'no process with the role sealing works' : lastError;
  const detail = `Nothing has been sealed for ${Math.round(waitsMs / 60_000)} min: ${why}`;
  return fault(
    'problem',
    place,
    detail,
    'run a process with the role sealing; acuse sealing status shows each authority',
  );
}

function judgeAuthority(row: SealingStatus['authorities'][number]): Finding[] {
  const place = ['sealing.authority', row.name] as const;
  const { failures, pausedUntil, lastError, chainNotAfter, endsSoon } = row;
  if (failures > 0) {
    const until = pausedUntil === null ? '' : `, asked again at ${pausedUntil.toISOString()}`;
    const detail = `Failed ${failures} times in a row${until}: ${lastError ?? 'no reason known'}`;
    return [
      fault(
        pausedUntil === null ? 'warning' : 'problem',
        place,
        detail,
        'ask the authority; acuse doctor --stamp tries it at once',
      ),
    ];
  }
  if (!endsSoon || chainNotAfter === null)
    return [ok(...place, `Sealed last at ${row.sealedAt?.toISOString() ?? '-'}.`)];
  const detail = `A certificate of its chain ends at ${chainNotAfter.toISOString()}.`;
  return [
    fault(
      'warning',
      place,
      detail,
      'ask the authority for its next certificate, and add its roots to the manifest',
    ),
  ];
}

function judgeCover({ due, lapsed, constancias, firstEnd }: SealingStatus['cover']): Finding[] {
  const place = ['sealing.renewal', 'constancias'] as const;
  if (lapsed > 0)
    return [
      fault(
        'problem',
        place,
        `${lapsed} constancias ended without renewal.`,
        'acuse renew; acuse sealing status says why the rest is late',
      ),
    ];
  if (due > 0) return [fault('warning', place, `${due} constancias are due for renewal.`, 'acuse renew')];
  const ends = firstEnd === null ? '' : `; the first chain ends at ${firstEnd.toISOString()}`;
  return [ok(...place, `${constancias} constancias${ends}.`)];
}

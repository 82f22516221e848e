import { toHex } from '@acuse/evidence/bytes';
import type { Alert, Alerts } from './alert.ts';
import type { MonitorState } from './state.ts';

export interface LookCounts {
  read: number;
  unknownCosignatures: number;
}

/** RFC 3339 times, hex hashes. */
export interface MonitorReport {
  readonly log: string;
  readonly checked_at: string;
  readonly status: 'ok' | 'alert' | 'unavailable';
  /** The newest fully verified checkpoint. */
  readonly checkpoint: { readonly size: number; readonly root: string; readonly seen_at: string } | null;
  readonly entries_read: number;
  readonly promises: { readonly kept: number; readonly open: number; readonly broken: number };
  readonly constancias: {
    readonly open: number;
    readonly newest: { size: number; sealed_at: string; authority: string; development: boolean } | null;
    readonly trust: 'pinned' | 'log';
  };
  readonly witnesses: readonly {
    readonly name: string;
    readonly size: number;
    readonly witnessed_at: string;
  }[];
  readonly unknown_cosignatures: number;
  readonly alerts: readonly Alert[];
  readonly alert_count: number;
  /** Proven and not acknowledged. */
  readonly incidents: readonly (Alert & { readonly at: string })[];
}

export function makeReport(
  { log, pinned, now }: { log: string; pinned: boolean; now: Date },
  state: MonitorState,
  alerts: Alerts,
  counts: LookCounts,
): MonitorReport {
  const { verified, sealed, incidents } = state;
  const broken = new Set(
    incidents.filter(({ code }) => code === 'promise_broken').flatMap(({ notes }) => notes ?? []),
  );
  const wrong = alerts.list.some(({ code }) => code !== 'unavailable') || incidents.length > 0;
  return {
    log,
    checked_at: now.toISOString(),
    status: wrong ? 'alert' : alerts.count > 0 ? 'unavailable' : 'ok',
    checkpoint: verified && { size: verified.size, root: toHex(verified.root), seen_at: verified.seenAt },
    entries_read: counts.read,
    promises: {
      kept: state.promises.filter(({ proven }) => proven).length,
      open: state.promises.filter(({ proven, note }) => !proven && !broken.has(note)).length,
      broken: state.promises.filter(({ note }) => broken.has(note)).length,
    },
    constancias: {
      open: state.constancias.length,
      newest: sealed && {
        size: sealed.size,
        sealed_at: sealed.genTime,
        authority: sealed.authority,
        development: sealed.development,
      },
      trust: pinned ? 'pinned' : 'log',
    },
    witnesses: state.witnesses.map(({ name, size, witnessedAt }) => ({
      name,
      size,
      witnessed_at: witnessedAt,
    })),
    unknown_cosignatures: counts.unknownCosignatures,
    alerts: alerts.list,
    alert_count: alerts.count,
    incidents,
  };
}

export function reportText(report: MonitorReport): readonly string[] {
  const { checkpoint, promises, constancias, witnesses } = report;
  const lines = [
    `${report.checked_at}  ${report.log}  ${report.status}`,
    checkpoint === null
      ? '  no checkpoint was verified yet'
      : `  ${checkpoint.size} leaves, root ${checkpoint.root}; ${report.entries_read} entries read`,
  ];
  const { newest } = constancias;
  if (newest !== null) {
    const kind = newest.development ? ' (development: not a NOM-151 constancia)' : '';
    const trust = constancias.trust === 'log' ? ', as the log itself names it' : '';
    lines.push(
      `  sealed to ${newest.size} leaves at ${newest.sealed_at} by ${newest.authority}${kind}${trust}`,
    );
  }
  if (promises.kept + promises.open + promises.broken > 0)
    lines.push(`  promises: ${promises.kept} kept, ${promises.open} open, ${promises.broken} broken`);
  for (const { name, size, witnessed_at } of witnesses)
    lines.push(`  ${name} saw ${size} leaves at ${witnessed_at}`);
  if (report.unknown_cosignatures > 0) lines.push(`  ${report.unknown_cosignatures} signatures by others`);
  for (const { code, detail } of report.alerts) lines.push(`  ✗ ${code}: ${detail}`);
  for (const { code, detail, at } of report.incidents) lines.push(`  ✗ proven at ${at}: ${code}: ${detail}`);
  return lines;
}

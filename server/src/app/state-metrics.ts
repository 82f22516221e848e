import { X509Certificate } from 'node:crypto';
import packageFacts from '../../package.json' with { type: 'json' };
import { listWitnesses } from '../evidence/batch-store.ts';
import { type FoundBackup, listBackups, newestOf } from '../operate/backup/backups-folder.ts';
import { type Room, roomOf } from '../operate/doctor/disk.ts';
import type { Clock } from '../platform/clock.ts';
import { readNodes } from '../platform/database/nodes-store.ts';
import { createSharedRead } from '../platform/database/shared-read.ts';
import type { Health } from './health.ts';
import type { Services } from './services.ts';

/** Backups are daily, manifests long (ms). */
const BACKUPS_KEPT_MS = 300_000;
/** Below a metric's time-out (ms). */
const READY_LIMIT_MS = 1_500;

/** Readiness, room, expiry and backups. */
export function addStateMetrics(services: Services, health: Pick<Health, 'whyNotReady'>): void {
  const { config, metrics, clock, recovery } = services;
  metrics.series('acuse_build_info', 'Version of Acuse and of Node.js.', ['version', 'node'], () => [
    { labels: { version: packageFacts.version, node: process.versions.node }, value: 1 },
  ]);
  metrics.gauge('acuse_ready', '1: GET /readyz answers 200; 0: it answers 503.', async () =>
    (await health.whyNotReady(READY_LIMIT_MS)) === null ? 1 : 0,
  );
  metrics.gauge(
    'acuse_recovering',
    '1: this process is in recovery: the database differs from what was published.',
    () => (recovery === null ? 0 : 1),
  );
  addDisk(services);
  const nodes = createSharedRead({ ...services, read: readNodes });
  metrics.gauges(
    'acuse_database_node_up',
    'Of a distributed database: 1: the coordinator reaches the node; 0: it does not.',
    'node',
    async () => Object.fromEntries((await nodes()).map(({ name, reachable }) => [name, reachable ? 1 : 0])),
  );
  if (config.tlsCertFile !== null)
    metrics.gauge(
      'acuse_certificate_ends_seconds',
      'Time until the certificate of the SMTP listeners expires.',
      () => secondsUntil(new Date(new X509Certificate(services.certificate.current.certPem).validTo), clock),
    );
  if (config.backupFolder !== null && config.databaseUrl === null) addBackups(services, config.backupFolder);
  addWitnesses(services);
}

function addDisk({ config, metrics }: Services): void {
  const folders = { data: config.dataDir, backup: config.backupFolder };
  const sizes = async (size: 'freeBytes' | 'totalBytes') => {
    const found: Record<string, number> = {};
    for (const [name, folder] of Object.entries(folders)) {
      const room: Room | null = folder === null ? null : await roomOf(folder).catch(() => null);
      if (room !== null) found[name] = room[size];
    }
    return found;
  };
  metrics.gauges(
    'acuse_disk_free_bytes',
    'Room on the disk of the data folder and of the folder for backups.',
    'folder',
    () => sizes('freeBytes'),
  );
  metrics.gauges('acuse_disk_size_bytes', 'Size of these disks.', 'folder', () => sizes('totalBytes'));
}

function addBackups({ metrics, clock, logSigner }: Services, folder: string): void {
  let kept: { found: readonly FoundBackup[]; atMs: number } | null = null;
  metrics.gauge(
    'acuse_backup_age_seconds',
    'Time since the newest whole backup of this installation was complete; +Inf: there is none.',
    () => {
      const nowMs = clock.monotonicMs();
      if (kept === null || nowMs - kept.atMs > BACKUPS_KEPT_MS)
        kept = { found: listBackups(folder), atMs: nowMs };
      const newest = newestOf(kept.found, logSigner.logId);
      return newest === null ? Number.POSITIVE_INFINITY : -secondsUntil(newest, clock);
    },
  );
}

function addWitnesses({ metrics, db, clock, witnesses, logSigner }: Services): void {
  if (witnesses.list.length === 0) return;
  const names = new Map(witnesses.list.map(({ vkey, key }) => [vkey, key.name]));
  metrics.gauges(
    'acuse_witness_failures',
    'Consecutive times that a witness has not cosigned the log.',
    'witness',
    createSharedRead({
      db,
      clock,
      async read(q) {
        const rows = (await listWitnesses(q)).filter(
          ({ origin, vkey }) => origin === logSigner.origin && names.has(vkey),
        );
        return Object.fromEntries(rows.map(({ vkey, failures }) => [names.get(vkey)!, failures]));
      },
    }),
  );
}

function secondsUntil(end: Date, clock: Clock): number {
  return (end.getTime() - clock.now().getTime()) / 1_000;
}

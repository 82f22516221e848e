import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import { listClusterFiles } from '../../../src/operate/backup/cluster-files.ts';
import { requireRoom } from '../../../src/operate/backup/copy-files.ts';

function clusterOf(...names: string[]): string {
  const cluster = tempFolder();
  for (const name of names) {
    mkdirSync(dirname(join(cluster, name)), { recursive: true });
    if (name.endsWith('/')) mkdirSync(join(cluster, name));
    else writeFileSync(join(cluster, name), 'abc');
  }
  return cluster;
}

test('a backup has what PostgreSQL needs, and nothing of the run that it is made of', async () => {
  const kept = ['PG_VERSION', 'base/5/1249', 'base/5/odd name;x', 'postgresql.auto.conf', 'pg_xact/0000'];
  const left = [
    'postmaster.pid',
    'postmaster.opts',
    'backup_label.old',
    'postgresql.auto.conf.tmp',
    'base/5/pg_internal.init',
    'base/pgsql_tmp/pgsql_tmp12.0',
    'pg_wal/000000010000000000000001',
    'pg_wal/archive_status/x.ready',
    'pg_replslot/mine/state',
    'pg_notify/0000',
    'global/pg_control',
  ];
  const found = await listClusterFiles(clusterOf(...kept, ...left, 'pg_tblspc/'));
  expect([...found.files].sort()).toEqual([...kept].sort());
  expect(found.bytes).toBe(3 * kept.length);
  const folders = ['base', 'base/5', 'global', 'pg_notify', 'pg_replslot', 'pg_tblspc', 'pg_wal', 'pg_xact'];
  expect([...found.folders].sort()).toEqual(folders);
});

test('WAL on another disk is followed, no other link is', async () => {
  const elsewhere = clusterOf('000000010000000000000001');
  const cluster = clusterOf('PG_VERSION');
  symlinkSync(elsewhere, join(cluster, 'pg_wal'));
  expect(await listClusterFiles(cluster)).toMatchObject({ files: ['PG_VERSION'], folders: ['pg_wal'] });
  symlinkSync(elsewhere, join(cluster, 'base'));
  await expect(listClusterFiles(cluster)).rejects.toMatchObject({ code: 'not_a_file' });
});

test('a tablespace is refused', async () => {
  const cluster = clusterOf('PG_VERSION', 'pg_tblspc/');
  symlinkSync(tempFolder(), join(cluster, 'pg_tblspc/16400'));
  await expect(listClusterFiles(cluster)).rejects.toMatchObject({ code: 'tablespaces' });
});

test('too little room is said before anything is copied, with both figures', async () => {
  const folder = tempFolder();
  await requireRoom(folder, 1, 'the backup');
  await expect(requireRoom(folder, 9e15, 'the backup')).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'no_room',
    message: expect.stringMatching(/^the backup needs 9000000\.0 GB, and the disk of \S+ has [\d.]+ GB free/),
  });
});

import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase, testDatabase } from '@acuse/testkit/database';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { expect, test } from 'vitest';
import type { Anchor } from '../../src/evidence/log/anchor/anchor.ts';
import { openAnchorFolder } from '../../src/evidence/log/anchor/anchor-folder.ts';
import { openLog } from '../../src/evidence/log/log-key.ts';
import { sequenceBatch } from '../../src/evidence/log/sequence.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { acuse } from '../cli/run.ts';
import { addLeaves, addTenant, InjectedCrash, ORIGIN, openTestDb, openWorld, secrets } from './support.ts';

/** The transcript in the guide is what the command says in each state, word by word. */

const GUIDE = readFileSync(new URL('../../../docs/guides/restore.md', import.meta.url), 'utf8');
const TRANSCRIPT = /## What the anchor says.*?```text\n(.*?)```/s.exec(GUIDE)?.[1] ?? '';
const STATES = TRANSCRIPT.split('\n\n').map((part) => part.trim());

test('the five states of anchor and database are told as the guide shows', async () => {
  const folder = tempFolder();
  const place = join(folder, 'anchor');
  mkdirSync(place);
  const anchor = openAnchorFolder(place);
  const database = await testDatabase();
  const made = await openWorld(systemClock, Promise.resolve(database));
  const tenantId = await addTenant(made.db);
  await addLeaves(made.db, made.log, tenantId, 12);
  await sequenceBatch({ ...made, anchor }, made.log);
  await made.db.close();
  const copied = await copyDatabase(database.url);

  const told: string[] = [];
  const tell = async (url: string) => {
    const said = await acuse(['log', 'anchor'], { DATABASE_URL: url, ACUSE_LOG_ANCHOR: place });
    const text = `${said.out}${said.err}`.trim().replaceAll(place, '/mnt/anchor');
    told.push(`$ acuse log anchor; echo $?\n${text.replace(ORIGIN, 'mail.example.com/log')}\n${said.code}`);
  };
  const grow = async (url: string, own: Anchor | null) => {
    const db = openTestDb(url);
    try {
      const deps = { db, clock: systemClock, secrets };
      const log = await openLog(deps, ORIGIN);
      await addLeaves(db, log, tenantId, 3);
      await sequenceBatch({ ...deps, anchor: own }, log);
    } finally {
      await db.close();
    }
  };
  try {
    await tell(database.url);
    const dead: Anchor = { ...anchor, swap: () => Promise.reject(new InjectedCrash()) };
    await expect(grow(database.url, dead)).rejects.toThrow(InjectedCrash);
    await tell(database.url);
    const db = openTestDb(database.url);
    await sequenceBatch(
      { db, clock: systemClock, anchor },
      await openLog({ db, secrets, clock: systemClock }, ORIGIN),
    );
    await db.close();
    await tell(copied.url);
    await grow(copied.url, null);
    await tell(copied.url);
    renameSync(place, `${place}.away`);
    await tell(database.url);
    expect(told).toHaveLength(5);
    expect(told).toEqual(STATES);
  } finally {
    await database.drop();
    await copied.drop();
  }
});

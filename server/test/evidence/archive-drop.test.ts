import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeBundle } from '@acuse/evidence/bundle';
import { verifyBundle } from '@acuse/evidence/verify';
import { s3Missing, startFaultyStore, startS3Server } from '@acuse/testkit/s3-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findReport } from '../../src/delivery/read-store.ts';
import {
  type ArchivePlace,
  ArchiveUnreachable,
  archiveWithin,
} from '../../src/evidence/archive/archive-place.ts';
import {
  createArchivedContents,
  createArchivedContentsInOrder,
} from '../../src/evidence/archive/archived-contents.ts';
import { MonthOpen } from '../../src/evidence/archive/create.ts';
import { ArchiveBehind, type ArchiveDropped, dropArchived } from '../../src/evidence/archive/drop.ts';
import { openArchiveFolder, openArchiveObjects } from '../../src/evidence/archive/open-archive.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { archives as doctorsArchives } from '../../src/operate/doctor/archives.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import type { Db } from '../../src/platform/database/db.ts';
import { openObjectStore } from '../../src/platform/s3/object-store.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { createThreads } from '../../src/platform/threads/threads.ts';
import { ArchiveFiles, type ArchiveMonth, openArchiveMonth } from './archive-month.ts';

/** Contents that leave the database once an archive has them, and are read from it from then on. */

let march: ArchiveMonth;
let files: ArchiveFiles;

beforeEach(async () => {
  march = await openArchiveMonth();
  // Past the time in which bounces still come.
  march.clock.forward(31);
  files = new ArchiveFiles(march);
});
afterEach(() => march.world.close());

interface Changes {
  readonly from?: ArchiveFiles;
  readonly place?: ArchivePlace;
  readonly db?: Db;
  readonly dryRun?: boolean;
}

function drop({ from = files, place = from.place, db = march.world.db, dryRun = false }: Changes = {}) {
  const { clock, tenantId, month } = march;
  return dropArchived({ db, clock }, place, { tenantId, month }, { dryRun, root: from.root });
}

const bundleOf = async (messageId: string) =>
  (await readProofBundle(march.world, march.tenantId, messageId)).bundle;

/** Without what says the hour in which it was made. */
const provenBy = (bundle: ReadonlyMap<string, Uint8Array>) =>
  [...bundle]
    .filter(([name]) => !['outcomes.note', 'SHA256SUMS', 'VERIFY.md'].includes(name))
    .map(([name, bytes]) => [name, Buffer.from(bytes).toString('latin1')]);

async function stored(): Promise<number> {
  const [row] = await march.world.db.query<{ count: number }>(
    'select count(*)::integer as count from message_contents where tenant_id = $1',
    [march.tenantId],
  );
  return row!.count;
}

/** The entries of the account's audit log about this. */
const audited = () =>
  march.world.db.query(
    `select actor_name as actor, target, after from account_events
      where tenant_id = $1 and action = 'archive_contents'`,
    [march.tenantId],
  );

type Sent = ArchiveMonth['messages'][number];
const firstTwo = () => march.messages as [Sent, Sent];

/** Reads as a service does. */
function asService(open: (place: string) => ArchivePlace = openArchiveFolder) {
  const threads = createThreads({ count: 1 });
  const archived = createArchivedContents({ db: march.world.db, open, threads });
  return { archived, stop: () => threads.stop() };
}

describe('contents', () => {
  it('stay while the archive is not there, is behind, or the month is young', async () => {
    await expect(drop()).rejects.toThrow(ArchiveBehind);
    await march.create(files.place);
    await march.complain(march.messages[0]!);
    await expect(drop()).rejects.toThrow(/is behind the database: run acuse archive create --month/);
    const { world, clock, tenantId } = march;
    const month = clock.now().toISOString().slice(0, 7);
    const young = dropArchived(world, files.place, { tenantId, month }, { dryRun: false, root: files.root });
    await expect(young).rejects.toThrow(MonthOpen);
    expect(await stored()).toBe(5);
  });

  it('stay if the archive that was read back is not as it was written', async () => {
    await march.create(files.place);
    const [name] = files.objects().filter((each) => each.endsWith('.zip'));
    const bytes = readFileSync(files.pathOf(name!));
    const at = bytes.indexOf(march.messages[3]!.raw);
    bytes[at]! ^= 1;
    writeFileSync(files.pathOf(name!), bytes);
    await expect(drop()).rejects.toThrow('it is not the one that the index lists');
    rmSync(files.pathOf(name!));
    await expect(drop()).rejects.toThrow('it is missing');
    expect(await stored()).toBe(5);
  });

  it('stay if the database has other ones than the archive', async () => {
    await march.create(files.place);
    const { messageId } = march.messages[2]!;
    await march.world.db.execute(
      'update message_contents set submission = set_byte(submission, 0, get_byte(submission, 0) # 1) where message_id = $1',
      [messageId],
    );
    expect(await drop()).toMatchObject({ messages: 5, dropped: 4 });
    expect(await stored()).toBe(1);
  });

  it('leave the database, and every bundle is as it was', async () => {
    await march.create(files.place);
    const before = new Map<string, unknown>();
    for (const { messageId } of march.messages) before.set(messageId, provenBy(await bundleOf(messageId)));
    const bounced = march.messages[4]!.messageId;
    const report = (await findReport(march.world.db, march.tenantId, bounced))!;
    const shown = report.write();
    const planned = await drop({ dryRun: true });
    expect(planned).toMatchObject({ messages: 5, dropped: 5, movedFrom: null });
    expect([await stored(), await audited()]).toEqual([5, []]);
    expect(await drop()).toEqual(planned);
    expect(await stored()).toBe(0);
    expect(await drop()).toMatchObject({ dropped: 0, bytes: 0 });
    expect(await audited()).toEqual([
      { actor: 'acuse archive', target: march.month, after: { messages: 5 } },
    ]);
    const later = (await findReport(march.world.db, march.tenantId, bounced))!;
    const content = await march.world.archived.read(march.tenantId, bounced);
    expect([report.lacksHeader, later.lacksHeader]).toEqual([false, true]);
    expect(Buffer.compare(later.write(content!.raw), shown)).toBe(0);
    const { archived, stop } = asService();
    for (const { messageId } of march.messages) {
      const bundle = await bundleOf(messageId);
      expect(provenBy(bundle)).toEqual(before.get(messageId));
      const served = await readProofBundle({ ...march.world, archived }, march.tenantId, messageId);
      expect(provenBy(served.bundle)).toEqual(before.get(messageId));
      const options = { sha256, now: march.clock.now(), trust: await march.trust() };
      expect((await verifyBundle(writeBundle(bundle), options)).verdict).toBe('verified');
    }
    await stop();
    const found = await fsck({ db: march.world.db });
    expect(found.problems).toEqual([]);
    expect(found.checked).toMatchObject({ messages: 5, archived: 5 });
  });

  it('get into a part that is written again, and out of it when they are erased', async () => {
    await march.create(files.place);
    await drop();
    const [first, second] = firstTwo();
    await march.complain(first);
    expect(await march.create(files.place)).toMatchObject({ messages: 5, written: 1 });
    expect(files.objects()).toEqual(files.listed());
    expect(await march.verify(files.place)).toMatchObject({ verdict: 'verified', messages: 5 });
    const deps = { ...march.world, plainDays: 90, recordDays: 400, certifiedYears: 10 };
    const request = { messageId: second.messageId, tenantId: march.tenantId };
    const erasure = await eraseMessage(deps, { ...request, reason: 'asked', by: 'test', force: true });
    expect(erasure).toMatchObject({ kind: 'erased' });
    expect((await bundleOf(second.messageId)).has('message.eml')).toBe(false);
    await march.create(files.place);
    const having = files.objects().filter((name) => readFileSync(files.pathOf(name)).includes(second.raw));
    expect(having).toEqual([]);
    expect((await bundleOf(first.messageId)).has('message.eml')).toBe(true);
    expect((await fsck({ db: march.world.db })).problems).toEqual([]);
  });

  it('move to another place, once that was verified', async () => {
    await march.create(files.place);
    await drop();
    const other = new ArchiveFiles(march);
    await expect(drop({ from: other })).rejects.toThrow(ArchiveBehind);
    expect(await march.create(other.place)).toMatchObject({ messages: 5, written: 1 });
    const [name] = other.objects().filter((each) => each.endsWith('.zip'));
    const bytes = readFileSync(other.pathOf(name!));
    writeFileSync(other.pathOf(name!), bytes.subarray(1));
    await expect(drop({ from: other })).rejects.toThrow('it is not the one that the index lists');
    writeFileSync(other.pathOf(name!), bytes);
    expect(await drop({ from: other })).toMatchObject({ dropped: 0, movedFrom: files.root });
    rmSync(files.root, { recursive: true });
    expect((await bundleOf(march.messages[4]!.messageId)).has('message.eml')).toBe(true);
  });

  it('are all here or there after a crash at any step', async () => {
    await march.create(files.place);
    const whole = provenBy(await bundleOf(march.messages[4]!.messageId));
    for (let step = 1, done: ArchiveDropped | null = null; done === null; step++) {
      done = await drop({ db: failingAt(step) }).catch((error) => {
        if (!(error instanceof Crash)) throw error;
        return null;
      });
      for (const { messageId } of march.messages)
        expect((await bundleOf(messageId)).has('message.eml')).toBe(true);
      expect((await fsck({ db: march.world.db })).problems).toEqual([]);
    }
    expect(await stored()).toBe(0);
    expect(provenBy(await bundleOf(march.messages[4]!.messageId))).toEqual(whole);
  });
});

describe('an archive', () => {
  it('that is away is unavailable, and never a bundle without the content', async () => {
    await march.create(files.place);
    await drop();
    const { archived, stop } = asService((place) => ({
      ...openArchiveFolder(place),
      get: () => Promise.reject(new ArchiveUnreachable(place, new Error('away'))),
    }));
    const { messageId } = march.messages[0]!;
    const reading = readProofBundle({ ...march.world, archived }, march.tenantId, messageId);
    await expect(reading).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 });
    await stop();
  });

  it('that has other bytes is found out, by its hash and by what the leaf commits to', async () => {
    await march.create(files.place);
    await drop();
    const { messageId } = march.messages[0]!;
    const { archived, stop } = asService((place) => {
      const folder = openArchiveFolder(place);
      return {
        ...folder,
        get: async (name, maxBytes) => {
          const found = await folder.get(name, maxBytes);
          if (found !== null && name.endsWith('.zip')) found.bytes[found.bytes.length >> 1]! ^= 1;
          return found;
        },
      };
    });
    await expect(archived.read(march.tenantId, messageId)).rejects.toThrow('it is not the one that');
    await stop();
    await march.world.db.execute(
      `update messages set reverse_path = 'x' || reverse_path where message_id = $1`,
      [messageId],
    );
    await expect(bundleOf(messageId)).rejects.toThrow('does not open its commitment');
  });

  it('whose part is written anew during a read is read again', async () => {
    await march.create(files.place);
    await drop();
    const [first, second] = firstTwo();
    await march.complain(first);
    let rewritten = false;
    const archived = createArchivedContentsInOrder({
      db: march.world.db,
      open: (place) => {
        const folder = openArchiveFolder(place);
        return {
          ...folder,
          get: async (name, maxBytes) => {
            if (name.endsWith('.zip') && !rewritten) {
              rewritten = true;
              await march.create(files.place);
            }
            return folder.get(name, maxBytes);
          },
        };
      },
    });
    const content = await archived.read(march.tenantId, second.messageId);
    expect([rewritten, content?.raw.equals(Buffer.from(second.raw))]).toEqual([true, true]);
  });

  it('gives nothing of a message that is erased during the read', async () => {
    await march.create(files.place);
    await drop();
    const { messageId } = march.messages[1]!;
    const deps = { ...march.world, plainDays: 90, recordDays: 400, certifiedYears: 10 };
    const request = { messageId, tenantId: march.tenantId, reason: 'asked', by: 'test', force: true };
    const archived = createArchivedContentsInOrder({
      db: march.world.db,
      open: (place) => {
        const folder = openArchiveFolder(place);
        return {
          ...folder,
          get: async (name, maxBytes) => {
            const found = await folder.get(name, maxBytes);
            await eraseMessage(deps, request);
            return found;
          },
        };
      },
    });
    const { bundle } = await readProofBundle({ ...march.world, archived }, march.tenantId, messageId);
    expect(bundle.has('message.eml')).toBe(false);
  });

  it('that is gone or away is what doctor says', async () => {
    await march.create(files.place);
    await drop();
    const look = async () => {
      const parts = { config: { archive: null }, db: march.world.db, clock: march.clock };
      const found = await doctorsArchives(parts as never, {} as never, new AbortController().signal);
      return found.map(({ check, about, status, detail }) => [check, about === files.root, status, detail]);
    };
    expect(await look()).toEqual([['archive.dropped', true, 'ok', expect.stringContaining('gave up: 1.')]]);
    rmSync(files.pathOf('archive.json'));
    expect(await look()).toEqual([
      ['archive.dropped', true, 'problem', expect.stringContaining(march.month)],
    ]);
    rmSync(files.root, { recursive: true });
    expect(await look()).toEqual([['archive.dropped', true, 'problem', expect.stringContaining('ENOENT')]]);
  });

  it('is kept as it is by another account', async () => {
    await march.create(files.place);
    await drop();
    const { messageId } = march.messages[0]!;
    const elsewhere = '0195d8f0-0000-7000-8000-000000000000';
    expect(await march.world.archived.read(elsewhere, messageId)).toBe(null);
  });
});

describe('acuse fsck --archives', () => {
  const check = (open = openArchiveFolder) => fsck({ db: march.world.db, archives: open });
  const saidOf = async (open = openArchiveFolder) =>
    (await check(open)).problems.map((problem) => [problem.check, problem.subject, problem.detail]);

  beforeEach(async () => {
    await march.create(files.place);
    await drop();
  });

  it('reads what an archive alone has, and finds it as it was', async () => {
    const found = await check();
    expect([found.problems, found.checked]).toMatchObject([[], { messages: 5, archived: 0 }]);
  });

  it.each([
    ['subject', `subject = 'Other'`],
    ['tags', `tags = array['other']`],
    ['header_from', `header_from = 'other@example.com'`],
    ['sender_address', `sender_address = 'other@example.com'`],
    ['size_bytes', 'size_bytes = size_bytes + 1'],
    ['request', 'archived_submission_bytes = archived_submission_bytes + 1'],
  ])('finds another %s than the archived content has', async (named, change) => {
    const { messageId } = march.messages[2]!;
    await march.world.db.execute(`update messages set ${change} where message_id = $1`, [messageId]);
    expect((await fsck({ db: march.world.db })).problems).toEqual([]);
    const said = await saidOf();
    expect(said).toEqual([[expect.any(String), `message ${messageId}`, expect.stringContaining(named)]]);
  });

  it('says which messages an archive lacks, whose part was changed, and that its index is gone', async () => {
    const { messageId } = march.messages[0]!;
    const [name] = files.objects().filter((each) => each.endsWith('.zip'));
    const bytes = readFileSync(files.pathOf(name!));
    writeFileSync(files.pathOf(name!), bytes.subarray(1));
    const changed = await saidOf();
    expect(changed).toHaveLength(5);
    expect(changed).toContainEqual([
      'archive',
      `message ${messageId}`,
      expect.stringContaining('not the one'),
    ]);
    rmSync(files.pathOf('archive.json'));
    const gone = await saidOf();
    expect(gone).toHaveLength(6);
    expect(gone).toContainEqual(['content', `message ${messageId}`, expect.stringContaining('lacks it')]);
  });

  it('takes no erasure and no new part meanwhile for a loss, and gives up where the archive is away', async () => {
    const [first, second] = firstTwo();
    const deps = { ...march.world, plainDays: 90, recordDays: 400, certifiedYears: 10 };
    const request = { messageId: second.messageId, tenantId: march.tenantId };
    await march.complain(first);
    let meanwhile = async () => {
      meanwhile = async () => {};
      await eraseMessage(deps, { ...request, reason: 'asked', by: 'test', force: true });
      await march.create(files.place);
    };
    const found = await check((place) => {
      const folder = openArchiveFolder(place);
      return {
        ...folder,
        get: async (name, maxBytes) => {
          if (name.endsWith('.zip')) await meanwhile();
          return folder.get(name, maxBytes);
        },
      };
    });
    expect(found.problems).toEqual([]);
    const away = check((place) => ({
      ...openArchiveFolder(place),
      get: () => Promise.reject(new ArchiveUnreachable(place, new Error('away'))),
    }));
    await expect(away).rejects.toThrow(ArchiveUnreachable);
  });
});

describe.skipIf(s3Missing !== null)(`in a bucket ${s3Missing ?? ''}`, () => {
  it('contents are dropped and read as in a folder, whichever request fails', async () => {
    const s3 = await startS3Server();
    const faulty = await startFaultyStore(s3.url);
    const settings = {
      ...{ endpoint: faulty.url, region: 'us-east-1', pathStyle: true, sessionToken: null },
      ...s3.credentials,
    };
    const open = (place: string) => openArchiveObjects(openObjectStore(place, settings));
    const service = asService(open);
    try {
      const root = `s3://${s3.bucket()}/a`;
      const place = archiveWithin(open(root), march.tenantId, march.month);
      await march.create(place);
      const { messageId } = march.messages[4]!;
      const before = provenBy(await bundleOf(messageId));
      const dropThere = () => {
        const { tenantId, month, clock, world } = march;
        return dropArchived({ db: world.db, clock }, place, { tenantId, month }, { dryRun: false, root });
      };
      for (let failing = 1; ; failing++) {
        let asked = 0;
        faulty.decide = () => (++asked === failing ? 'error' : 'pass');
        const done = await dropThere().catch((error: Error) => error);
        faulty.decide = () => 'pass';
        if (!(done instanceof Error)) break;
        expect([failing, done.name]).toEqual([failing, 'ArchiveUnreachable']);
      }
      expect(await stored()).toBe(0);
      const read = () =>
        readProofBundle({ ...march.world, archived: service.archived }, march.tenantId, messageId);
      expect(provenBy((await read()).bundle)).toEqual(before);
      const found = await fsck({ db: march.world.db, archives: open });
      expect([found.problems, found.checked.archived]).toEqual([[], 0]);
      faulty.decide = () => 'error';
      await expect(read()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 });
      await s3.stop();
      faulty.decide = () => 'pass';
      await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
      await s3.start();
      expect(provenBy((await read()).bundle)).toEqual(before);
    } finally {
      await service.stop();
      await faulty.close();
      await s3.stop();
    }
  });
});

class Crash extends Error {}

/** The one transaction that fails is undone, or (every other step) was committed. */
function failingAt(step: number): Db {
  const { db } = march.world;
  let taken = 0;
  return {
    ...db,
    async transact(work, ...rest) {
      taken++;
      if (taken < Math.ceil(step / 2)) return db.transact(work, ...rest);
      if (taken > Math.ceil(step / 2)) throw new Crash();
      if (step % 2 === 0) {
        await db.transact(work, ...rest);
        throw new Crash();
      }
      return db.transact(
        async (tx) => {
          await work(tx);
          throw new Crash();
        },
        ...rest,
      );
    },
  };
}

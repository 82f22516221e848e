import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { writeBundle } from '@acuse/evidence/bundle';
import { verifyBundle } from '@acuse/evidence/verify';
import { PATIENCE_MS } from '@acuse/testkit/eventually';
import { s3Missing, startFaultyStore, startS3Server } from '@acuse/testkit/s3-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readArchivedBundle } from '../../src/evidence/archive/archive-bundle.ts';
import { type ArchivePlace, archiveWithin } from '../../src/evidence/archive/archive-place.ts';
import { createArchive, MonthOpen } from '../../src/evidence/archive/create.ts';
import { openArchiveObjects } from '../../src/evidence/archive/open-archive.ts';
import { renewArchive } from '../../src/evidence/archive/renew-archive.ts';
import { readProofBundle } from '../../src/evidence/bundle/proof-bundle.ts';
import { archives as doctorsArchives } from '../../src/operate/doctor/archives.ts';
import { eraseMessage } from '../../src/operate/retention/erase.ts';
import { openObjectStore } from '../../src/platform/s3/object-store.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { DAY_MS } from './aging.ts';
import { ArchiveFiles, type ArchiveMonth, openArchiveMonth } from './archive-month.ts';
import { attempt } from './deliveries.ts';
import { renewAll, sealAll } from './seal-all.ts';
import { addMessages, authoritiesOf, sealerOf } from './support.ts';

/** A closed month of an account as an archive: written, verified, renewed, without what the database has. */

let march: ArchiveMonth;
let files: ArchiveFiles;
let place: ArchivePlace;

beforeEach(async () => {
  march = await openArchiveMonth();
  files = new ArchiveFiles(march);
  place = files.place;
});
afterEach(() => march.world.close());

const bundleOf = async (messageId: string) => {
  const found = await readArchivedBundle(place, messageId);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('a month', () => {
  it('is refused while it is not over, or something in it waits', async () => {
    const { world, clock, tenantId, month, tsa } = march;
    const now = clock.now().toISOString().slice(0, 7);
    const early = createArchive(world, place, { tenantId, month: now }, { dryRun: false });
    await expect(early).rejects.toThrow(/is not over: it can be archived from /);
    const at = new Date(`${month}-20T12:00:00Z`);
    const late = await addMessages(world.db, world.log, tenantId, 1, at);
    await expect(march.create(place)).rejects.toThrow('1 certified messages wait to be sent, 1 leaves');
    await attempt(world.db, late, 'sent', clock);
    await expect(march.create(place)).rejects.toThrow(MonthOpen);
    await sealAll(world, tsa);
    expect(await march.create(place)).toMatchObject({ messages: 6, written: 1 });
  });

  it('is archived with everything that its bundles prove', async () => {
    const { world, clock, tenantId, month, messages } = march;
    expect(await march.create(place, true)).toMatchObject({ messages: 5, written: 1, parts: 0 });
    expect(readdirSync(files.root)).toEqual([]);
    const made = await march.create(place);
    expect(made).toMatchObject({ messages: 5, written: 1, parts: 1, kept: 0, neverSealed: 0 });
    expect(files.objects()).toEqual(files.listed());
    expect(await march.verify(place)).toMatchObject({
      ...{ verdict: 'verified', tenant_id: tenantId, month, messages: 5, problems: [], reasons: {} },
      sequence: { first: '1', last: '5', absent: 0 },
    });
    for (const { messageId } of messages) {
      const { bundle } = await readProofBundle(world, tenantId, messageId);
      const archived = await bundleOf(messageId);
      expect([...archived.keys()].sort()).toEqual([...bundle.keys()].sort());
      // The count of outcomes says the hour in which it was made.
      for (const [name, bytes] of bundle)
        if (!['outcomes.note', 'SHA256SUMS', 'VERIFY.md'].includes(name))
          expect(Buffer.compare(archived.get(name)!, bytes), name).toBe(0);
      const options = { sha256, now: clock.now(), trust: await march.trust() };
      const { verdict, documents } = await verifyBundle(writeBundle(archived), options);
      expect([verdict, documents]).toEqual(['verified', [expect.objectContaining({ remade: true })]]);
    }
  });

  it('is written once, and again only where it has changed', async () => {
    await march.create(place);
    const before = files.objects();
    expect(await march.create(place)).toMatchObject({ messages: 5, written: 0, kept: 1 });
    expect(files.objects()).toEqual(before);
    await march.complain(march.messages[0]!);
    expect(await march.create(place)).toMatchObject({ messages: 5, written: 1, kept: 0 });
    expect(files.objects()).toEqual(files.listed());
    expect(files.objects()).not.toEqual(before);
    expect(await march.verify(place)).toMatchObject({ verdict: 'verified', messages: 5 });
  });

  it('loses what is erased', async () => {
    await march.create(place);
    const { messageId, raw } = march.messages[1]!;
    const containing = () => files.objects().filter((name) => readFileSync(files.pathOf(name)).includes(raw));
    expect(containing()).toHaveLength(1);
    const deps = { ...march.world, plainDays: 90, recordDays: 400, certifiedYears: 10 };
    const request = { messageId, tenantId: march.tenantId, reason: 'asked', by: 'test', force: true };
    expect(await eraseMessage(deps, request)).toMatchObject({ kind: 'erased' });
    expect(await march.create(place)).toMatchObject({ written: 1 });
    expect([containing(), files.objects()]).toEqual([[], files.listed()]);
    expect(await march.verify(place)).toMatchObject({
      ...{ verdict: 'incomplete', messages: 5, problems: [], reasons: { content_erased: 1 } },
    });
  });

  it('survives a crash after any step, and nothing is left behind', async () => {
    const untouched = new ArchiveFiles(march);
    await march.create(untouched.place);
    for (const changed of [false, true]) {
      if (changed) await march.complain(march.messages[0]!);
      for (let step = 1; ; step++) {
        const each = new ArchiveFiles(march);
        if (changed) cpSync(untouched.root, each.root, { recursive: true });
        const crashed = await march.create(crashingAt(each.place, step)).catch((error) => error);
        if (!(crashed instanceof Crash)) {
          expect(step).toBeGreaterThan(changed ? 5 : 3);
          break;
        }
        await march.create(each.place);
        expect(each.objects()).toEqual(each.listed());
        expect(each.index()).toMatchObject({ pending: [], complete_at: expect.any(String) });
        expect(await march.verify(each.place)).toMatchObject({ verdict: 'verified', messages: 5 });
      }
    }
  });

  it('is written by one run at a time', async () => {
    await march.create(place);
    await march.complain(march.messages[0]!);
    // Another run begins and ends between two steps of this one.
    const slow: ArchivePlace = {
      ...place,
      put: async (name, bytes, replaces) => {
        if (name !== 'archive.json') await march.create(place);
        return place.put(name, bytes, replaces);
      },
    };
    await expect(march.create(slow)).rejects.toThrow(/another run changed the archive/);
    expect(await march.verify(place)).toMatchObject({ verdict: 'verified' });
  });
});

describe('renewal', () => {
  let charged: number[];
  beforeEach(() => {
    charged = [];
  });

  const renew = (at = place, by = sealerOf(march.tsa)) => {
    const { world, clock, tenantId, month } = march;
    const authorities = authoritiesOf(world, by);
    const charge = async (_: unknown, items: number) => void charged.push(items);
    const deps = { clock, authorities, renewBeforeMs: 90 * DAY_MS, charge };
    return renewArchive(deps, at, { tenantId, month }, AbortSignal.timeout(PATIENCE_MS));
  };

  it('makes one time-stamp for all checkpoints, again and again, and the bundles are ordinary ones', async () => {
    const { world, clock, tsa, tenantId, messages } = march;
    await march.create(place);
    expect(await renew()).toMatchObject({ checkpoints: 2, renewed: 0, stamps: 0, reasons: [] });
    for (let round = 1; round <= 2; round++) {
      clock.forward(100);
      tsa.renewSigner(150);
      expect(await renew()).toEqual({ checkpoints: 2, renewed: 2, stamps: 1, reasons: [] });
      expect(await renew()).toMatchObject({ renewed: 0 });
    }
    expect(charged).toEqual([2, 2]);
    expect(files.objects()).toEqual(files.listed());
    clock.forward(60);
    const at = clock.now();
    expect(await march.verify(place, at)).toMatchObject({ verdict: 'verified', messages: 5 });
    const { messageId } = messages[4]!;
    const { valid, checks } = await verifyBundle(writeBundle(await bundleOf(messageId)), {
      sha256,
      now: at,
      at,
    });
    expect([valid, checks.map(({ name }) => name)]).toEqual([true, expect.arrayContaining(['renewal.02'])]);
    // Without them it would not hold today.
    const bare = await readProofBundle(world, tenantId, messageId);
    expect((await verifyBundle(writeBundle(bare.bundle), { sha256, now: at, at })).valid).toBe(false);
  });

  it('goes on with what the database had renewed', async () => {
    const { world, clock, tsa } = march;
    clock.forward(100);
    tsa.renewSigner(150);
    await renewAll(world, tsa);
    await march.create(place);
    expect(files.index().renewals).toHaveLength(1);
    expect(await march.verify(place)).toMatchObject({ verdict: 'verified' });
    clock.forward(100);
    tsa.renewSigner(150);
    expect(await renew()).toMatchObject({ renewed: 2, stamps: 1 });
    // The database renews too, on its own: the archive keeps its own line.
    await renewAll(world, tsa);
    await march.complain(march.messages[0]!);
    expect(await march.create(place)).toMatchObject({ written: 1 });
    expect(await march.verify(place, clock.now())).toMatchObject({ verdict: 'verified' });
  });

  it('says what cannot be renewed any more, and what no authority stamps', async () => {
    const { clock, tsa } = march;
    await march.create(place);
    clock.forward(100);
    tsa.renewSigner(300);
    const refusing = { ...sealerOf(tsa), stamp: () => Promise.reject(new Error('it is closed')) };
    expect((await renew(place, refusing)).reasons).toEqual([expect.stringContaining('it is closed')]);
    clock.forward(101);
    const { renewed, reasons } = await renew();
    expect([renewed, reasons]).toEqual([0, Array(2).fill(expect.stringMatching(/validity_at/))]);
    expect(files.index().renewals).toEqual([]);
  });

  it('that crashes after any step is done by the next run', async () => {
    await march.create(place);
    march.clock.forward(100);
    march.tsa.renewSigner(300);
    for (let step = 1; ; step++) {
      const each = new ArchiveFiles(march);
      cpSync(files.root, each.root, { recursive: true });
      const crashed = await renew(crashingAt(each.place, step)).catch((error) => error);
      if (!(crashed instanceof Crash)) {
        expect(step).toBeGreaterThan(3);
        break;
      }
      await renew(each.place);
      expect([each.objects(), each.index().pending]).toEqual([each.listed(), []]);
      expect(each.index().renewals).toHaveLength(1);
      expect(await march.verify(each.place)).toMatchObject({ verdict: 'verified' });
    }
  });
});

it('is looked after by acuse doctor', async () => {
  const { world, clock, tenantId, month } = march;
  const look = (archive: string | null) =>
    doctorsArchives(
      { config: { archive }, db: world.db, clock } as never,
      {} as never,
      AbortSignal.timeout(PATIENCE_MS),
    );
  expect(await look(null)).toEqual([]);
  expect(await look('/nowhere')).toMatchObject([{ status: 'problem', fix: 'mount the folder' }]);
  // A week after the month closed: not before.
  while (!(clock.now().toISOString().slice(0, 7) > month && clock.now().getUTCDate() > 9)) clock.forward(1);
  const fix = `run acuse archive create --month ${month}, which says why`;
  expect(await look(files.root)).toMatchObject([
    { status: 'problem', fix, detail: expect.stringContaining(tenantId) },
  ]);
  await march.create(place);
  expect(await look(files.root)).toMatchObject([{ status: 'ok', about: files.root }]);
});

describe.skipIf(s3Missing !== null)(`in a bucket ${s3Missing ?? ''}`, () => {
  it('is the same, whatever answer is lost', async () => {
    const s3 = await startS3Server();
    const faulty = await startFaultyStore(s3.url);
    const settings = {
      ...{ endpoint: faulty.url, region: 'us-east-1', pathStyle: true, sessionToken: null },
      ...s3.credentials,
    };
    try {
      const root = openArchiveObjects(openObjectStore(`s3://${s3.bucket()}/a`, settings));
      const bucket = archiveWithin(root, march.tenantId, march.month);
      for (let lost = 1; ; lost++) {
        let asked = 0;
        faulty.decide = () => (++asked === lost ? 'lose' : 'pass');
        const made = await march.create(bucket).catch((error: Error) => error.name);
        faulty.decide = () => 'pass';
        if (made !== 'ArchiveUnreachable' && asked < lost) break;
      }
      await march.complain(march.messages[0]!);
      expect(await march.create(bucket)).toMatchObject({ written: 1 });
      expect(await march.verify(bucket)).toMatchObject({ verdict: 'verified', messages: 5 });
    } finally {
      await faulty.close();
      await s3.stop();
    }
  });
});

class Crash extends Error {}

/** Ends after so many changes, as a process that is killed. */
function crashingAt(at: ArchivePlace, step: number): ArchivePlace {
  let done = 0;
  const then = <T>(result: T): T => {
    if (++done === step) throw new Crash();
    return result;
  };
  return {
    ...at,
    put: async (name, bytes, replaces) => then(await at.put(name, bytes, replaces)),
    remove: async (name) => then(await at.remove(name)),
  };
}

import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { PATIENCE } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addSuppression, recordSuppression } from '../../src/accounts/suppressions/operations.ts';
import { createTenant } from '../../src/accounts/tenants/operations.ts';
import { judgeGap } from '../../src/operate/doctor/journal.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { readAccepted } from '../../src/platform/journal/accepted.ts';
import { readGaps, writeGap } from '../../src/platform/journal/gaps.ts';
import { type Journal, openJournal } from '../../src/platform/journal/journal.ts';
import type { Note } from '../../src/platform/journal/note.ts';
import {
  JournalUnreachable,
  readJournal,
  readMark,
  removeOldMarks,
  writeMark,
} from '../../src/platform/journal/read-journal.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';

const secrets = createSecretBox([new Uint8Array(32).fill(1)]);
const OWN = '0192c3a0-0000-7000-8000-000000000001';
const facts = { installation: OWN, secrets };
let folder: string;
let journal: Journal;

const opened: Journal[] = [];
function make(deps: Partial<Parameters<typeof openJournal>[0]> = {}): Journal {
  const made = openJournal({ folder, secrets, clock: systemClock, installation: async () => OWN, ...deps });
  opened.push(made);
  return made;
}
const revoked = (each: number): Note => ({
  kind: 'key_revoked',
  tenant_id: 'tenant',
  api_key_id: `key ${each}`,
});
const files = () => readdirSync(folder).filter((name) => name.endsWith('.journal'));
const read = () => readJournal(folder, facts);
const idsOf = async () => (await read()).entries.map(({ note }) => 'api_key_id' in note && note.api_key_id);

beforeEach(() => {
  folder = tempFolder();
  journal = make();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

describe('a journal', () => {
  test('has what many writers appended at once, each once and in its own order', async () => {
    const writers = [journal, make(), make()];
    await Promise.all(
      writers.flatMap((writer, at) =>
        Array.from({ length: 50 }, (_, each) => writer.append([revoked(at * 100 + each)])),
      ),
    );
    expect(files()).toHaveLength(3);
    const found = (await idsOf()).map((id) => Number(String(id).slice(4)));
    for (const at of [0, 1, 2])
      expect(found.filter((id) => Math.floor(id / 100) === at)).toEqual(
        Array.from({ length: 50 }, (_, each) => at * 100 + each),
      );
  });

  test('names nobody to whoever reads the folder, and everything to whoever has the master key', async () => {
    const note: Note = {
      kind: 'suppressed',
      tenant_id: null,
      address: 'ana@example.com',
      reason: 'asked by telephone',
      source: 'manual',
      message_id: null,
    };
    await journal.append([note]);
    const text = readFileSync(join(folder, files()[0]!), 'utf8');
    expect(text).not.toMatch(/ana|example|telephone/);
    expect((await read()).entries.map((entry) => entry.note)).toEqual([note]);
    const other = { ...facts, secrets: createSecretBox([new Uint8Array(32).fill(2)]) };
    expect((await readJournal(folder, other)).unreadable).toEqual([
      expect.stringContaining('ACUSE_MASTER_KEY'),
    ]);
  });

  test('ignores the last line of a writer that died, and says so', async () => {
    await journal.append([revoked(1), revoked(2)]);
    const path = join(folder, files()[0]!);
    const text = readFileSync(path, 'utf8');
    const secondAt = text.indexOf('\n') + 1;
    for (let length = secondAt + 1; length < text.length - 1; length++) {
      writeFileSync(path, text.slice(0, length));
      const found = await read();
      expect([found.entries.length, found.torn.length, found.unreadable.length]).toEqual([1, 1, 0]);
    }
    // All of it but the line end: what it says is whole.
    writeFileSync(path, text.slice(0, -1));
    expect((await read()).entries).toHaveLength(2);
  });

  test('tells lines that are none, of other installations and of newer versions from each other', async () => {
    await journal.append([revoked(1)]);
    const path = join(folder, files()[0]!);
    await make({ installation: async () => 'another' }).append([revoked(2)]);
    const line = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(
      join(folder, 'z.journal'),
      [
        'by hand: key 17 too',
        '[1]',
        JSON.stringify({ ...line, v: 2 }),
        JSON.stringify({ ...line, kind: 'what comes' }),
        JSON.stringify({ ...line, api_key_id: undefined }),
        JSON.stringify({ ...line, kind: 'erased', sealed: 'AAAA', message_id: 'm' }),
        JSON.stringify({ ...line, kind: '__proto__' }),
        '',
      ].join('\n'),
    );
    const found = await read();
    expect(found.entries).toHaveLength(1);
    expect(found.foreign).toBe(1);
    expect(found.newer).toEqual(['z.journal:3', 'z.journal:4', 'z.journal:7']);
    expect(found.unreadable.map((it) => it.split(': ')[0])).toEqual(
      ['1', '2', '5', '6'].map((at) => `z.journal:${at}`),
    );
    expect(found.torn).toEqual([]);
  });

  test('refuses while its folder is away, and goes on in another file', async () => {
    await journal.append([revoked(1)]);
    const own = files()[0]!;
    const away = `${folder}.away`;
    renameSync(folder, away);
    const other = make();
    await expect(other.append([revoked(2)])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(read()).rejects.toThrow(JournalUnreachable);
    renameSync(away, folder);
    await other.append([revoked(3)]);
    // As a write that filled the disk leaves it: the writer itself never goes on after that.
    appendFileSync(join(folder, own), '{"v":1,"ins');
    expect(await idsOf()).toEqual(['key 1', 'key 3']);
    expect((await read()).torn).toHaveLength(1);
  });

  test('is read in the order of its files when one millisecond has several', async () => {
    const at = new Date('2026-01-01T00:00:00.000Z');
    const inOneMillisecond = { clock: { now: () => at } };
    const order = Array.from({ length: 12 }, (_, each) => each);
    for (const each of order) await make(inOneMillisecond).append([revoked(each)]);
    expect(await idsOf()).toEqual(order.map((each) => `key ${each}`));
  });

  test('is not waited for longer than a transaction may take', async () => {
    const hanging = make({ installation: () => new Promise(() => {}), writeLimitMs: 50 });
    await expect(hanging.append([revoked(1)])).rejects.toMatchObject({ code: 'unavailable' });
    expect((await read()).entries).toEqual([]);
  });

  test('keeps what can wait until it can be written', async () => {
    const failed: unknown[] = [];
    const late = make({ onError: (error) => failed.push(error) });
    rmSync(folder, { recursive: true });
    late.later([revoked(1)]);
    late.later([revoked(2)]);
    await vi.waitFor(() => expect(failed).toHaveLength(1), PATIENCE);
    expect(late.waiting()).toBe(2);
    mkdirSync(folder);
    await late.close();
    expect(await idsOf()).toEqual(['key 1', 'key 2']);
    expect(late.waiting()).toBe(0);
  });
});

describe('a journal whose folder is away', () => {
  const TENANTS = ['0192c3a0-0000-7000-8000-00000000000a', '0192c3a0-0000-7000-8000-00000000000b'];
  const keyOf = (n: number) => ({
    tenantId: TENANTS[n % 2]!,
    keySha256: Uint8Array.from(Buffer.from(n.toString(16).padStart(64, '0'), 'hex')),
  });
  const accepted = async () => {
    const found: string[] = [];
    await readAccepted(
      folder,
      { installation: OWN, since: new Date(0) },
      async ({ tenantId, keySha256s }) => {
        for (const hash of keySha256s) {
          const n = Number.parseInt(Buffer.from(hash).toString('hex'), 16);
          expect(tenantId).toBe(TENANTS[n % 2]);
          found.push(String(n));
        }
      },
    );
    return found.map(Number).sort((a, b) => a - b);
  };
  const gaps = () => readGaps(folder, { installation: OWN, since: new Date(0) });

  test('keeps more keys than one write has, and writes all of them once it is back', async () => {
    const many = make();
    rmSync(folder, { recursive: true });
    for (let at = 0; at < 30_000; at += 100)
      await many.accepted(Array.from({ length: 100 }, (_, n) => keyOf(at + n)));
    expect([many.waiting(), many.dropped().keys]).toEqual([30_000, 0]);
    mkdirSync(folder);
    await many.close();
    expect(await accepted()).toEqual(Array.from({ length: 30_000 }, (_, n) => n));
    expect(await gaps()).toEqual([]);
  });

  test('drops the oldest beyond the limit, and writes down how many of which time', async () => {
    const dropped: [string, number][] = [];
    const failed: unknown[] = [];
    const few = make({
      lateMax: 10_000,
      onError: (error) => failed.push(error),
      onDropped: (of, count) => dropped.push([of, count]),
    });
    rmSync(folder, { recursive: true });
    // A write under way may still succeed: what it has is not dropped then.
    few.later([revoked(0)]);
    await vi.waitFor(() => expect(failed).toHaveLength(1), PATIENCE);
    for (let at = 0; at < 20_000; at += 100)
      await few.accepted(Array.from({ length: 100 }, (_, n) => keyOf(at + n)));
    const lost = few.dropped().keys;
    // The note waits, too.
    expect(lost).toBe(20_001 - few.waiting());
    expect(few.waiting()).toBeLessThanOrEqual(10_001);
    expect(dropped.every(([of]) => of === 'keys')).toBe(true);
    expect(dropped.reduce((sum, [, count]) => sum + count, 0)).toBe(lost);
    for (let n = 1; n <= 10_000; n++) few.later([revoked(n)]);
    mkdirSync(folder);
    await few.close();
    expect(await accepted()).toEqual(Array.from({ length: 20_000 - lost }, (_, n) => lost + n));
    const found = (await gaps()).sort((a, b) => a.of.localeCompare(b.of));
    expect(found).toMatchObject([
      { of: 'keys', lost },
      { of: 'notes', lost: few.dropped().notes },
    ]);
    expect((await read()).entries).toHaveLength(10_001 - few.dropped().notes);
    expect(judgeGap(folder, found[0]!)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`${lost} keys of accepted sends`),
    });
  });

  test('tells gaps of this installation from others, and passes over a torn line', async () => {
    const at = new Date('2026-01-01T00:00:00.000Z');
    const gap = { of: 'keys', lost: 3, from: at, until: at } as const;
    const torn = writeGap(gap, { installation: OWN }).slice(0, 20);
    writeFileSync(
      join(folder, 'x.gap'),
      writeGap(gap, { installation: OWN }) + writeGap(gap, { installation: 'another' }) + torn,
    );
    expect(await gaps()).toEqual([{ ...gap, file: 'x.gap' }]);
    expect(await readGaps(folder, { installation: null, since: at })).toHaveLength(2);
    expect(await readGaps(folder, { installation: null, since: new Date(at.getTime() + 1) })).toEqual([]);
  });
});

test('a mark is the largest of any process, of this installation', async () => {
  const at = new Date('2026-01-01T00:00:00.000Z');
  expect(await readMark(folder, OWN)).toBeNull();
  await writeMark(folder, 'a', OWN, { mark: 3, at });
  await writeMark(folder, 'b', OWN, { mark: 7, at });
  await writeMark(folder, 'c', 'another', { mark: 9, at });
  writeFileSync(join(folder, 'd.mark'), '{"v":1,"installation":');
  expect((await readMark(folder, OWN))?.mark).toBe(7);
  await writeMark(folder, 'b', OWN, { mark: 8, at });
  await removeOldMarks(folder, OWN);
  expect(readdirSync(folder).sort()).toEqual(['b.mark', 'c.mark', 'd.mark']);
  expect(await readMark(folder, OWN)).toMatchObject({ mark: 8, at });
});

describe('a transaction', () => {
  let database: TestDatabase;
  let db: Db;
  let tenantId: string;
  const changes = { announce: async () => {} } as never;
  const open = () =>
    openDb({ connectionString: database.url, poolSize: 4, applicationName: 'test', journal: make() });
  const listed = async () =>
    (await db.query<{ address: string }>('select address from suppressions order by 1')).map(
      (row) => row.address,
    );

  beforeAll(async () => {
    folder = tempFolder();
    database = await testDatabase();
    db = open();
    ({ tenantId } = await createTenant({ db, clock: systemClock, changes }, { name: 'x' }));
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  beforeEach(async () => {
    await db.close();
    db = open();
    await db.execute('delete from suppressions');
  });

  test('is refused, and changes nothing, when the journal cannot have it', async () => {
    const add = () => addSuppression({ db, clock: systemClock }, tenantId, { address: 'a@b.test' });
    rmSync(folder, { recursive: true });
    await expect(add()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await listed()).toEqual([]);
    mkdirSync(folder);
    expect((await add()).created).toBe(true);
    expect((await read()).entries.map(({ note }) => note)).toMatchObject([
      { kind: 'suppressed', tenant_id: tenantId, address: 'a@b.test' },
    ]);
  });

  test('that fails, or changes nothing, is not in the journal', async () => {
    const add = (tail: string) =>
      db.transact(async (tx) => {
        tx.note(revoked(1));
        tx.send(tail);
      });
    await expect(add('select 1 / 0')).rejects.toThrow(/division/);
    expect((await read()).entries).toEqual([]);
    await add('select 1');
    expect((await read()).entries).toHaveLength(1);
  });

  test('of delivery does not wait for the journal, which gets it once it is back', async () => {
    const entry = { suppressionKey: 'c@d.test', reason: '550', source: 'bounce', at: new Date() } as const;
    rmSync(folder, { recursive: true });
    await db.transact((tx) =>
      recordSuppression(tx, tenantId, { ...entry, messageId: '0192c3a0-0000-7000-8000-000000000002' }),
    );
    expect(await listed()).toEqual(['c@d.test']);
    mkdirSync(folder);
    await vi.waitFor(async () => expect((await read()).entries).toHaveLength(1), PATIENCE);
    expect((await read()).entries[0]!.note).toMatchObject({ source: 'bounce', address: 'c@d.test' });
  });
});

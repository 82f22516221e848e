import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jcsBytes } from '@acuse/evidence/jcs';
import { formatTrustPolicy } from '@acuse/evidence/policy';
import { readZip, writeZip, type ZipEntry } from '@acuse/evidence/zip';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { acuse } from '../cli/run.ts';
import { ArchiveFiles, type ArchiveMonth, openArchiveMonth } from './archive-month.ts';

/** Archives that somebody changed, with all hashes made right again; and the commands about archives. */

let month: ArchiveMonth;
let whole: ArchiveFiles;
let files: ArchiveFiles;

beforeAll(async () => {
  month = await openArchiveMonth();
  whole = new ArchiveFiles(month);
  await month.create(whole.place);
});
afterAll(() => month.world.close());
beforeEach(() => {
  files = new ArchiveFiles(month);
  cpSync(whole.root, files.root, { recursive: true });
});

const hex = (bytes: Uint8Array) => Buffer.from(sha256(bytes)).toString('hex');
type Index = ReturnType<ArchiveFiles['index']>;

const rewrite = (change: (index: Index) => object) =>
  writeFileSync(files.pathOf('archive.json'), jcsBytes(change(files.index())));

/** Another object in place of the part, with everything that the index says of it. */
function forgePart(bytes: Uint8Array): void {
  const hash = hex(bytes);
  writeFileSync(files.pathOf(`${hash}.zip`), bytes);
  rewrite((index) => ({
    ...index,
    parts: [{ ...index.parts[0], sha256: hash, size: bytes.length }],
  }));
}

function entries(): Map<string, Uint8Array> {
  const [part] = files.index().parts;
  const any = { entries: 65_535, totalBytes: 1e9, entryBytes: () => 1e9 };
  const read = readZip(readFileSync(files.pathOf(`${part.sha256}.zip`)), any);
  return new Map(read.map(({ name, bytes }) => [name, bytes]));
}

const forge = (change: (of: Map<string, Uint8Array>) => void) => {
  const of = entries();
  change(of);
  forgePart(writeZip([...of].map(([name, bytes]): ZipEntry => ({ name, bytes }))));
};

const listName = (i: number) => `messages/${month.messages[i]!.messageId}`;
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes!).toString();
const addLine = (of: Map<string, Uint8Array>, line: string) =>
  of.set(listName(0), Buffer.from(`${text(of.get(listName(0)))}${line}\n`));

describe('an index', () => {
  it.each<[string, (index: Index) => object]>([
    ['a part that is missing', ({ parts }) => ({ parts: [{ ...parts[0], sha256: 'ab'.repeat(32) }] })],
    ['another size', ({ parts }) => ({ parts: [{ ...parts[0], size: 1 }] })],
    ['another number of messages', ({ parts }) => ({ parts: [{ ...parts[0], messages: 4 }] })],
    [
      'another first message',
      ({ parts }) => ({ parts: [{ ...parts[0], first: parts[0].first.replace(/^0/, '00').slice(0, -1) }] }),
    ],
    ['another state', ({ parts }) => ({ parts: [{ ...parts[0], state: 'ab'.repeat(32) }] })],
    ['another account', () => ({ tenant_id: month.messages[0]!.messageId })],
    ['another month', () => ({ month: '2001-01' })],
    ['renewals that are missing', () => ({ renewals: [{ sha256: 'cd'.repeat(32), size: 1 }] })],
  ])('with %s is refused', async (_, change) => {
    rewrite((index) => ({ ...index, ...change(index) }));
    const report = await month.verify(files.place).catch((error: Error) => error.message);
    if (typeof report === 'string') expect(report).toMatch(/^archive: first is malformed/);
    else expect([report.verdict, report.problem_count > 0]).toEqual(['rejected', true]);
  });

  it.each<[string, (index: Index) => object]>([
    ['an unknown field', () => ({ more: 1 })],
    ['a part twice', ({ parts }) => ({ parts: [parts[0], parts[0]] })],
    ['a name that leaves the folder', ({ parts }) => ({ parts: [{ ...parts[0], sha256: '../../passwd' }] })],
    ['no month', () => ({ month: '2026-13' })],
    ['another type', () => ({ type: 'acuse/archive/v2' })],
  ])('with %s is none', async (_, change) => {
    rewrite((index) => ({ ...index, ...change(index) }));
    await expect(month.verify(files.place)).rejects.toThrow(/^archive: /);
  });

  it('that has lost a message says that a number is absent, and that it is not finished if so', async () => {
    rewrite((index) => ({ ...index, complete_at: null }));
    expect((await month.verify(files.place)).verdict).toBe('incomplete');
  });
});

describe('a part', () => {
  it.each<[string, RegExp, (of: Map<string, Uint8Array>) => void]>([
    [
      'two messages under each other’s id',
      /of another message|sums|openings/,
      (of) => {
        const [a, b] = [of.get(listName(0))!, of.get(listName(1))!];
        of.set(listName(0), b).set(listName(1), a);
      },
    ],
    [
      'content that is not of its name',
      /has another hash/,
      (of) => {
        const name = [...of.keys()].find((each) => each.startsWith('files/'))!;
        of.set(name, Buffer.from('other'));
      },
    ],
    [
      'a file that nothing names',
      /no list names/,
      (of) => of.set(`files/${hex(Buffer.from('x'))}`, Buffer.from('x')),
    ],
    ['an entry of another name', /unknown entry/, (of) => of.set('../x', Buffer.from('x'))],
    [
      'a list of another name',
      /not the id of a message/,
      (of) => of.set(`messages/${'x'.repeat(36)}`, of.get(listName(0))!),
    ],
    ['a list of what is not there', /names no file/, (of) => addLine(of, `${'ab'.repeat(32)}  report.pdf`)],
    ['an entry twice', /names one twice/, (of) => addLine(of, text(of.get(listName(0))).split('\n')[0]!)],
    [
      'an entry that no bundle has',
      /names no file/,
      (of) => addLine(of, `${text(of.get(listName(0))).slice(0, 64)}  run.sh`),
    ],
    [
      'renewals of its own',
      /which is not for a part/,
      (of) => addLine(of, `${text(of.get(listName(0))).slice(0, 64)}  renewal/01.sums`),
    ],
    ['a list that is cut off', /cut off/, (of) => of.set(listName(0), Buffer.from('ab'))],
    [
      'one file under more names than a bundle may have bytes',
      /names too much/,
      (of) => {
        const large = Buffer.alloc(15 * 1024 * 1024);
        of.set(`files/${hex(large)}`, large);
        for (let i = 0; i < 20; i++) addLine(of, `${hex(large)}  revocation/${i}.crl`);
      },
    ],
    [
      'an outcome less',
      /outcomes|not those that the index/,
      (of) => {
        const lines = text(of.get(listName(0))).split('\n');
        const kept = lines.filter((line) => !line.includes('  delivery/') && !line.includes('delivery-01'));
        of.set(listName(0), Buffer.from(kept.join('\n')));
        const used = new Set(
          [...of].flatMap(([name, bytes]) =>
            name.startsWith('messages/')
              ? text(bytes)
                  .split('\n')
                  .map((line) => line.slice(0, 64))
              : [],
          ),
        );
        for (const name of of.keys())
          if (name.startsWith('files/') && !used.has(name.slice(6))) of.delete(name);
      },
    ],
  ])('with %s is refused', async (_, detail, change) => {
    forge(change);
    const report = await month.verify(files.place);
    expect(report.verdict).toBe('rejected');
    expect(report.problems.map((problem) => problem.detail).join('\n')).toMatch(detail);
  });

  it('that would unpack to more than it may is not unpacked', async () => {
    const zip = Buffer.from(writeZip([{ name: `files/${'ab'.repeat(32)}`, bytes: new Uint8Array(10) }]));
    // Both headers say 4 GB, deflated.
    const directory = zip.indexOf('PK\x01\x02');
    for (const [at, method] of [
      [0, 8],
      [directory + 2, 10 - 2],
    ] as const) {
      zip.writeUInt16LE(method, at + 8);
      zip.writeUInt32LE(0xf0000000, at + 22);
    }
    forgePart(zip);
    const report = await month.verify(files.place);
    expect(report.problems).toEqual([
      expect.objectContaining({ detail: expect.stringMatching(/larger than/) }),
    ]);
  });
});

describe('the commands', () => {
  const folder = tempFolder();
  const env = () => ({
    DATABASE_URL: month.world.url,
    ACUSE_DATA_DIR: folder,
    ACUSE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ACUSE_LOG_ORIGIN: month.world.log.origin,
    ACUSE_ARCHIVE: files.root,
  });

  it('write, verify and take apart an archive', async () => {
    files = new ArchiveFiles(month);
    const dry = await acuse(['archive', 'create', '--dry-run', '--json'], env());
    expect(dry.json.archives).toEqual([
      expect.objectContaining({
        tenant_id: month.tenantId,
        month: month.month,
        messages: 5,
        written: 1,
        parts: 0,
      }),
    ]);
    expect(existsSync(files.folder)).toBe(false);
    const made = await acuse(['archive', 'create'], env());
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/5 messages in 1 parts of \d+ bytes: 0 kept, 1 written/);
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, formatTrustPolicy(await month.trust()));
    const verified = await acuse(['verify', '--archive', files.folder, '--trust', policy, '--json'], {});
    expect([verified.code, verified.json]).toEqual([
      0,
      expect.objectContaining({ verdict: 'verified', messages: 5, problem_count: 0 }),
    ]);
    const asText = await acuse(['verify', '--archive', files.folder], {});
    expect([asText.code, asText.out]).toEqual([5, expect.stringMatching(/bundle_keys: 5/)]);
    const proof = join(folder, 'proof.zip');
    const { messageId } = month.messages[2]!;
    const taken = await acuse(['archive', 'bundle', files.folder, messageId, '-o', proof], {});
    expect([taken.code, taken.err]).toEqual([0, '']);
    expect((await acuse(['verify', proof, '--trust', policy], {})).code).toBe(0);
    const renewed = await acuse(['archive', 'renew', '--within', '1'], env());
    // By this machine's clock, the chains of these constancias have ended.
    expect([renewed.code, renewed.out]).toEqual([
      1,
      expect.stringMatching(/renewed 0 by 0.*\n.*validity_at/),
    ]);
  });

  it.each<[string, string[], number, RegExp]>([
    ['a folder without an archive', ['verify', '--archive', tempFolder()], 2, /has no archive\.json/],
    [
      'a folder that is not there',
      ['verify', '--archive', '/nowhere'],
      3,
      /cannot be reached.*mount the folder/,
    ],
    ['a bundle beside it', ['verify', 'a.zip', '--archive', '/x'], 2, /--archive is verified alone/],
    ['a bucket without its keys', ['verify', '--archive', 's3://bucket/x'], 2, /needs AWS_ACCESS_KEY_ID/],
    ['what is no place', ['verify', '--archive', 'https://bucket'], 2, /an archive is a path, or s3:/],
    ['neither', ['verify'], 2, /missing <bundle>, or --archive/],
    ['no month', ['archive', 'create', '--month', '2025-13'], 2, /--month takes YYYY-MM/],
    [
      'an unknown account',
      ['archive', 'create', '--tenant', '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f'],
      1,
      /No account/,
    ],
    [
      'another message',
      ['archive', 'bundle', 'FOLDER', '0190a6c2-7f3e-7c55-9d0a-3f1b2c4d5e6f'],
      1,
      /has no message/,
    ],
  ])('refuse %s, and say what to do', async (_, args, code, said) => {
    const given = args.map((arg) => (arg === 'FOLDER' ? files.folder : arg));
    const result = await acuse(given, env());
    expect([result.code, result.err]).toEqual([code, expect.stringMatching(said)]);
  });

  it('need a place', async () => {
    const { ACUSE_ARCHIVE: _, ...without } = env();
    const result = await acuse(['archive', 'create'], without);
    expect([result.code, result.err]).toEqual([2, expect.stringMatching(/set ACUSE_ARCHIVE/)]);
  });
});

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyDatabase, type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands.ts';
import { asDataFolderError, DataFolderError } from '../../src/platform/database/data-folder.ts';
import { acuse } from '../cli/run.ts';
import { startCommand } from '../support/command-process.ts';

const COMMANDS = await allCommands();

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

let folder: string;
let database: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  [database, empty] = await Promise.all([testDatabase(), emptyDatabase()]);
});
afterAll(() => Promise.all([database.drop(), empty.drop()]));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'acuse-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The content of every refusal of a folder. */
function expectRefused(said: { code: number | null; err: string }, message: RegExp, code = 2): void {
  expect(said.err).toMatch(message);
  expect(said.err).toContain('ACUSE_DATA_DIR');
  expect(said.code).toBe(code);
}

describe('a command with a mistyped ACUSE_DATA_DIR', () => {
  const commands = ['tenants list', 'keys list', 'fsck', 'sealing status', 'db migrate', 'suppressions list'];

  test.each(commands)('acuse %s makes nothing', async (command) => {
    const typed = join(folder, 'no/such');
    expectRefused(await acuse(command.split(' '), { ACUSE_DATA_DIR: typed }), /there is no database in/);
    // A folder that is somebody else's is left as it is, too.
    expectRefused(await acuse(command.split(' '), { ACUSE_DATA_DIR: folder }), /acuse serve creates/);
    expect(readdirSync(folder)).toEqual([]);
    expect(COMMANDS.map(({ name }) => name)).toContain(command);
  });

  test('a start that died before its cluster was made is not taken for one', async () => {
    writeFileSync(join(folder, 'postgres.lock'), '');
    expectRefused(await acuse(['tenants', 'list'], { ACUSE_DATA_DIR: folder }), /there is no database in/);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  });

  test('on a database of its own makes no master key, and seals nothing with one', async () => {
    const env = { DATABASE_URL: database.url, ACUSE_DATA_DIR: join(folder, 'typo') };
    expect((await acuse(['tenants', 'create', '--name', 'Example'], env)).code).toBe(0);
    const refused = await acuse(['domains', 'create', 'example.com'], env);
    expectRefused(refused, /there is no master\.key in .*ACUSE_MASTER_KEY/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a folder that cannot be used', () => {
  test('a file in its place', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const env = { ACUSE_DATA_DIR: path };
    expectRefused(await acuse(['serve'], env), /is not a folder/);
    expectRefused(await acuse(['serve'], { ACUSE_DATA_DIR: join(path, 'below') }), /is not a folder/);
  });

  test('a path that cannot be made', async () => {
    expectRefused(await acuse(['serve'], { ACUSE_DATA_DIR: '/proc/none/acuse' }), /cannot be created/);
  });

  test.runIf(isRoot)('one of another user', async () => {
    chmodSync(folder, 0o755);
    const closed = join(folder, 'closed');
    mkdirSync(join(closed, 'postgres'), { recursive: true });
    for (const [mode, message] of [
      [0o755, /cannot be written by this user \(uid 65534\)/],
      [0o700, /cannot be written by this user \(uid 65534\)/],
    ] as const) {
      chmodSync(closed, mode);
      const started = startCommand(['serve'], { ACUSE_DATA_DIR: closed }, { uid: NOBODY, gid: NOBODY });
      expectRefused({ code: await started.ended, err: started.stderr() }, message);
    }
    const listed = startCommand(
      ['tenants', 'list'],
      { ACUSE_DATA_DIR: closed },
      { uid: NOBODY, gid: NOBODY },
    );
    expectRefused({ code: await listed.ended, err: listed.stderr() }, /cannot be written by this user/);
  });

  test('a database of another PostgreSQL', async () => {
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(join(folder, 'postgres/PG_VERSION'), '13\n');
    for (const command of [['serve'], ['tenants', 'list']]) {
      const said = await acuse(command, { ACUSE_DATA_DIR: folder });
      expectRefused(said, /is of PostgreSQL 13, and this version of Acuse runs PostgreSQL \d+/);
    }
  });

  test('a full disk, told by a call of ours or by PostgreSQL', async () => {
    let fault: unknown;
    try {
      writeFileSync('/dev/full', 'x');
    } catch (error) {
      fault = Object.assign(error as Error, { path: join(folder, 'master.key') });
    }
    const said = new Error('initdb failed (exit code 1):\ncould not write: No space left on device');
    for (const error of [fault, said]) {
      const told = asDataFolderError(folder, error) as DataFolderError;
      expect(told).toBeInstanceOf(DataFolderError);
      expect(told.reason).toBe('full');
      expect(told.message).toMatch(/ACUSE_DATA_DIR.*without free space: free some, or set ACUSE_DATA_DIR/);
    }
    const elsewhere = Object.assign(new Error('spawn flock ENOENT'), { code: 'ENOENT', path: 'flock' });
    expect(asDataFolderError(folder, elsewhere)).toBe(elsewhere);
  });

  test('a master key that cannot be written, on a database of its own', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const env = { DATABASE_URL: empty.url, ACUSE_DATA_DIR: path, ACUSE_PORT: '0' };
    expectRefused(await acuse(['serve'], env), /is not a folder/);
  });
});

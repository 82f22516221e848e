import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { beforeEach, expect, test } from 'vitest';
import { openMasterKeys } from '../../src/config/master-key.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

test('a key is made once, for its owner alone, and found again', () => {
  const [key] = openMasterKeys(null, folder);
  expect(key).toHaveLength(32);
  expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600);
  expect(openMasterKeys(null, folder)).toEqual([key]);
  expect(readdirSync(folder)).toEqual(['master.key']);
});

test('given keys need no file', () => {
  const keys = [Buffer.alloc(32)];
  expect(openMasterKeys(keys, join(folder, 'none'))).toBe(keys);
  expect(readdirSync(folder)).toEqual([]);
});

test('several keys in the file: the first one seals', () => {
  const keys = [1, 2].map((fill) => Buffer.alloc(32, fill));
  writeFileSync(join(folder, 'master.key'), keys.map((key) => key.toString('base64')).join(','), {
    mode: 0o600,
  });
  expect(openMasterKeys(null, folder)).toEqual(keys);
});

test('a damaged or exposed key file is refused, never replaced', () => {
  const path = join(folder, 'master.key');
  writeFileSync(path, 'short', { mode: 0o600 });
  expect(() => openMasterKeys(null, folder)).toThrow(/is damaged/);
  chmodSync(path, 0o644);
  expect(() => openMasterKeys(null, folder)).toThrow(/can be read by others/);
});

import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asDataFolderError, DataFolderError, makeDataFolder } from '../platform/database/data-folder.ts';
import { readIfThere, syncFolder } from '../platform/durable-file.ts';
import type { Config } from './config-type.ts';
import { listOf, masterKey } from './config-values.ts';
import { askKeyCommand, askKeyCommandAtOnce } from './key-command.ts';

const FILE_NAME = 'master.key';
const KEY_BYTES = 32;

/** Where keys are given, if not in the data folder. */
type Given = Pick<Config, 'masterKeys' | 'masterKeyCommand'>;

/** Null: they are in the data folder. Throws when the command fails. */
export async function fetchGivenKeys({ masterKeys, masterKeyCommand }: Given) {
  return masterKeyCommand === null ? masterKeys : askKeyCommand(masterKeyCommand);
}

/** By the configuration that names the command: a token locks after a few wrong PINs, so it is asked once. */
const asked = new WeakMap<Given, { readonly keys: readonly Buffer[] } | { readonly error: unknown }>();

export function readGivenKeys(given: Given): readonly Buffer[] | null {
  const { masterKeys, masterKeyCommand } = given;
  if (masterKeyCommand === null) return masterKeys;
  const answer = asked.get(given) ?? ask(masterKeyCommand);
  asked.set(given, answer);
  if ('error' in answer) throw answer.error;
  return answer.keys;
}

function ask(command: string) {
  try {
    return { keys: askKeyCommandAtOnce(command) };
  } catch (error) {
    return { error };
  }
}

/**
 * The given keys, or those of `<data dir>/master.key`, which is created if missing. Concurrent starts agree
 * on one.
 */
export function openMasterKeys(given: readonly Buffer[] | null, dataDir: string): readonly Buffer[] {
  if (given !== null) return given;
  const path = join(makeDataFolder(dataDir), FILE_NAME);
  try {
    return readKeys(path) ?? makeKey(dirname(path), path);
  } catch (error) {
    throw asDataFolderError(dirname(path), error);
  }
}

export function requireMasterKeys(given: readonly Buffer[] | null, dataDir: string): readonly Buffer[] {
  const keys = given ?? readKeys(join(dataDir, FILE_NAME));
  if (keys !== null) return keys;
  throw new DataFolderError(
    'missing',
    `there is no ${FILE_NAME} in ${dataDir}: set ACUSE_DATA_DIR to the folder of your service, or ACUSE_MASTER_KEY or ACUSE_MASTER_KEY_COMMAND as it has them; acuse serve creates a new one`,
  );
}

function readKeys(path: string): readonly Buffer[] | null {
  const text = readIfThere(path)?.trim();
  if (text === undefined) return null;
  if ((statSync(path).mode & 0o077) !== 0)
    throw new Error(
      `${path} can be read by others: run chmod 600 on it, and rotate the key if they may have read it`,
    );
  const keys = listOf(masterKey).parse(text);
  if (keys === undefined)
    throw new Error(
      `${path} is damaged: it must hold ${masterKey.expected}; without it, what was encrypted with it cannot be decrypted: restore it from a backup`,
    );
  return keys;
}

function makeKey(dataDir: string, path: string): readonly Buffer[] {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    // Durable before use: a lost key loses its secrets.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  syncFolder(dataDir);
  const keys = readKeys(path);
  if (keys === null) throw new Error(`${path} disappeared while it was being created`);
  return keys;
}

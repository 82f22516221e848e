import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * The settings file that `acuse setup` writes: `NAME=value` lines as systemd, compose and Node read them. It
 * is in the data folder, so that every command and every way of running the service finds it; what the
 * environment says wins over it.
 */

type Settings = Readonly<Record<string, string | undefined>>;

const SETTINGS_FILE = 'acuse.env';
const DATA_FOLDER = './.acuse';

export function settingsPath(env: Settings): string {
  const folder = env['ACUSE_DATA_DIR']?.trim() ?? '';
  return join(folder === '' ? DATA_FOLDER : folder, SETTINGS_FILE);
}

/** Settings of the file; empty if it is absent or this user may not read it. */
export function readSettingsFile(path: string): Settings {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return {};
    throw error;
  }
}

/** The environment with what the settings file adds to it. An empty variable counts as absent. */
export function withSettingsFile(env: Settings): Settings {
  const given = Object.entries(env).filter(([, value]) => value?.trim() !== '');
  const added = readSettingsFile(settingsPath(env));
  return Object.keys(added).length === 0 ? env : { ...added, ...Object.fromEntries(given) };
}

/**
 * The text of a settings file with these values: the rest keeps its place and its comments; null removes a
 * variable. Throws RangeError for a value that some reader would read differently. Pure.
 */
export function changeSettings(
  text: string,
  changes: Readonly<Record<string, string | null>>,
  heading: string,
): string {
  const open = new Map(Object.entries(changes));
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    if (name === undefined || !Object.hasOwn(changes, name)) kept.push(line);
    else if (open.has(name)) {
      const value = open.get(name) ?? null;
      open.delete(name);
      if (value !== null) kept.push(lineOf(name, value));
    }
  }
  while (kept.at(-1) === '') kept.pop();
  if (text === '') kept.push(...heading.split('\n').map((line) => `# ${line}`), '');
  for (const [name, value] of open) if (value !== null) kept.push(lineOf(name, value));
  return `${kept.join('\n')}\n`;
}

/** Values that systemd, compose and Node all read without quotes. */
const PLAIN = /^[\w.,:/@%+=?&~[\]*<>^-]+$/;

function lineOf(name: string, value: string): string {
  if (PLAIN.test(value)) return `${name}=${value}`;
  // Systemd, Compose and Node all take text between single quotes as it is.
  if (/['\n\r]/.test(value))
    throw new RangeError(`${name}: a value with a quotation mark or a line break cannot be written`);
  return `${name}='${value}'`;
}

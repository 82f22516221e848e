import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../platform/sha256.ts';
import { FILE_PLACES } from './build-state.ts';

/** In memory, plain and compressed. */
export interface WebFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>;
}

/** In order of preference. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const EXTENSIONS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const ETAG_CHARS = 32;

/** By path, such as `index.html`. Null: not built. */
export function readWebFiles(application: string): ReadonlyMap<string, WebFile> | null {
  const folder = FILE_PLACES.map((place) =>
    fileURLToPath(new URL(place + application, import.meta.url)),
  ).find((place) => existsSync(join(place, 'index.html')));
  if (folder === undefined) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const served = names.filter((name) => TYPES[extname(name)] !== undefined);
  return new Map(served.map((name) => [name.replaceAll('\\', '/'), readWebFile(folder, name)]));
}

function readWebFile(folder: string, name: string): WebFile {
  const path = join(folder, name);
  const plain = readFileSync(path);
  const encoded: Partial<Record<Encoding, Buffer>> = {};
  for (const encoding of ENCODINGS)
    if (existsSync(path + EXTENSIONS[encoding]))
      encoded[encoding] = readFileSync(path + EXTENSIONS[encoding]);
  const etag = `"${Buffer.from(sha256(plain)).toString('hex').slice(0, ETAG_CHARS)}"`;
  return { type: TYPES[extname(name)]!, etag, plain, encoded };
}

/** Null: plain. RFC 9110 §12.5.3 */
export function chooseEncoding(file: WebFile, accepted: string | undefined): Encoding | null {
  const given = new Set(
    (accepted ?? '').split(',').flatMap((item) => {
      const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name!];
    }),
  );
  return ENCODINGS.find((each) => given.has(each) && file.encoded[each] !== undefined) ?? null;
}

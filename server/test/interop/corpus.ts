import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CORPORA = process.env['ACUSE_CORPORA'] ?? join(ROOT, '../shared/corpora');

export interface CorpusFile {
  readonly name: string;
  readonly raw: Uint8Array;
}

/** Every file below a folder of the corpora but its licence, or null where it is not there. */
export function corpusFiles(folder: string): CorpusFile[] | null {
  const path = join(CORPORA, folder);
  return existsSync(path) ? filesBelow(path, folder) : null;
}

function filesBelow(path: string, name: string): CorpusFile[] {
  if (!statSync(path).isDirectory()) return [{ name, raw: readFileSync(path) }];
  return readdirSync(path)
    .filter((entry) => entry !== 'LICENSE')
    .sort()
    .flatMap((entry) => filesBelow(join(path, entry), `${name}/${entry}`));
}

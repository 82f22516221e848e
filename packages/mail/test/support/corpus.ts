import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where the corpora are; absent on most machines, and then the tests over them are skipped. */
const CORPORA = process.env['ACUSE_CORPORA'] ?? join(ROOT, '../shared/corpora');

export type CorpusFile = { name: string; raw: Uint8Array };

/** Every file below a folder of the corpora, or null where it is not there. */
export function corpusFiles(folder: string): CorpusFile[] | null {
  const path = join(CORPORA, folder);
  return existsSync(path) ? filesBelow(path, folder) : null;
}

function filesBelow(path: string, name: string): CorpusFile[] {
  if (!statSync(path).isDirectory()) return [{ name, raw: readFileSync(path) }];
  return readdirSync(path)
    .sort()
    .flatMap((entry) => filesBelow(join(path, entry), `${name}/${entry}`));
}

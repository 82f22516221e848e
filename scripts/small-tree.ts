import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '@acuse/testkit/temp-folder';

/** A tree of its own for the test of a check: path → text. Returns its root. */
export function smallTree(files: Record<string, string>): string {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

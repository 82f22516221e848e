import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LineFacts } from './line.ts';

/**
 * Gaps of the journal: entries after a commit that were dropped, because too many waited while its folder was
 * away. In files of their own, which earlier versions skip.
 */
export interface Gap {
  readonly of: 'notes' | 'keys';
  readonly lost: number;
  readonly from: Date;
  readonly until: Date;
}

export interface FoundGap extends Gap {
  readonly file: string;
}

const GAP_FILE = /\.gap$/;
const VERSION = 1;

export const writeGap = ({ of, lost, from, until }: Gap, { installation }: Pick<LineFacts, 'installation'>) =>
  `${JSON.stringify({ v: VERSION, installation, of, lost, from: from.toISOString(), until: until.toISOString() })}\n`;

/** Gaps of this installation (null: of all) that ended after `since`. */
export async function readGaps(
  folder: string,
  { installation, since }: { readonly installation: string | null; readonly since: Date },
): Promise<FoundGap[]> {
  const found: FoundGap[] = [];
  for (const file of (await readdir(folder)).filter((name) => GAP_FILE.test(name)).sort()) {
    for (const text of (await readFile(join(folder, file), 'utf8')).split('\n')) {
      const gap = parseGap(text, installation);
      if (gap !== null && gap.until >= since) found.push({ ...gap, file });
    }
  }
  return found;
}

function parseGap(text: string, installation: string | null): Gap | null {
  try {
    const line = JSON.parse(text) as Record<string, unknown>;
    const [from, until] = [new Date(String(line['from'])), new Date(String(line['until']))];
    const { of, lost } = line;
    if (line['v'] !== VERSION || (of !== 'notes' && of !== 'keys') || !Number.isSafeInteger(lost))
      return null;
    if (Number.isNaN(from.getTime()) || Number.isNaN(until.getTime())) return null;
    if (installation !== null && line['installation'] !== installation) return null;
    return { of, lost: lost as number, from, until };
  } catch {
    // The torn last line of a process that died.
    return null;
  }
}

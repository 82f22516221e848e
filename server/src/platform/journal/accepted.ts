import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LineFacts } from './line.ts';

/**
 * Hashes of the keys of accepted messages: a restored database refuses them instead of sending twice
 * (docs/decisions/0060). Millions a day: lines of their own form, read one by one.
 */
export interface AcceptedKey {
  readonly tenantId: string;
  /** SHA-256 over account and key. */
  readonly keySha256: Uint8Array;
}

const VERSION = 1;
export const HASH_BYTES = 32;
const ACCEPTED_FILE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z-.*\.accepted$/;
/** Longer than a file is written to. */
const FILE_LASTS_MS = 2 * 86_400_000;

/** A line for each account. */
export function writeAcceptedLines(
  keys: readonly AcceptedKey[],
  at: Date,
  { installation }: Pick<LineFacts, 'installation'>,
): string {
  const hashes = new Map<string, Uint8Array[]>();
  for (const { tenantId, keySha256 } of keys)
    hashes.set(tenantId, [...(hashes.get(tenantId) ?? []), keySha256]);
  return [...hashes]
    .map(([tenant_id, all]) => {
      const line = { v: VERSION, installation, at: at.toISOString(), tenant_id };
      return `${JSON.stringify({ ...line, keys: Buffer.concat(all).toString('base64') })}\n`;
    })
    .join('');
}

interface AcceptedLine {
  readonly at: Date;
  readonly tenantId: string;
  readonly keySha256s: readonly Uint8Array[];
}

interface AcceptedRead {
  readonly lines: number;
  /** Damaged lines, and lines of a newer version; a file's torn last line does not count. */
  readonly unreadable: number;
}

/** Calls `each` for every line of this installation since `since`. */
export async function readAccepted(
  folder: string,
  { installation, since }: { readonly installation: string | null; readonly since: Date },
  each: (line: AcceptedLine) => Promise<void>,
): Promise<AcceptedRead> {
  let [lines, unreadable] = [0, 0];
  for (const name of (await readdir(folder)).sort()) {
    const began = timeOf(name);
    if (began === null || began.getTime() + FILE_LASTS_MS < since.getTime()) continue;
    let damaged = 0;
    const input = createInterface({ input: createReadStream(join(folder, name)), crlfDelay: Infinity });
    for await (const text of input) {
      // Only the last can be torn: damage that something follows is damage.
      unreadable += damaged;
      damaged = 0;
      const line = readLine(text, installation);
      if (line === 'damaged') damaged = 1;
      else if (line !== 'foreign' && line.at >= since) {
        lines++;
        await each(line);
      }
    }
  }
  return { lines, unreadable };
}

function timeOf(name: string): Date | null {
  const [, year, month, day, hour, minute, second, ms] = ACCEPTED_FILE.exec(name) ?? [];
  return year === undefined ? null : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

function readLine(text: string, installation: string | null): AcceptedLine | 'damaged' | 'foreign' {
  try {
    const { v, installation: from, at, tenant_id: tenantId, keys } = JSON.parse(text);
    if (typeof from === 'string' && installation !== null && from !== installation) return 'foreign';
    const bytes = Buffer.from(String(keys), 'base64');
    const time = new Date(String(at));
    const isWhole = bytes.length > 0 && bytes.length % HASH_BYTES === 0;
    if (v !== VERSION || typeof tenantId !== 'string' || Number.isNaN(time.getTime()) || !isWhole)
      return 'damaged';
    const count = bytes.length / HASH_BYTES;
    const keySha256s = Array.from({ length: count }, (_, n) =>
      bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
    );
    return { at: time, tenantId, keySha256s };
  } catch {
    return 'damaged';
  }
}

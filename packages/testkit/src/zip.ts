import { type Zippable, zipSync } from 'fflate';

export type ZippedFile = readonly [name: string, content: string | Uint8Array];

/** A zip as receivers make it of their reports, most of them of one file; `method` 0 stores them. */
export function zipOf(files: readonly ZippedFile[], method: 0 | 8 = 8): Buffer {
  const level = method === 0 ? 0 : 6;
  const entries: Zippable = {};
  for (const [name, content] of files) entries[name] = [Buffer.from(content), { level }];
  return Buffer.from(zipSync(entries));
}

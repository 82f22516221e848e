import { rmSync } from 'node:fs';
import { toBase64 } from '@acuse/evidence/bytes';
import { readIfThere, replaceDurably } from '../../platform/durable-file.ts';
import { hashesIn } from '../monitor/state.ts';
import type { LogPosition } from './fsck-log.ts';
import type { FsckResult } from './fsck-report.ts';

export interface FsckState {
  readonly logs: ReadonlyMap<string, LogPosition>;
  readonly tenantId: string | null;
  readonly result: FsckResult;
}

const TYPE = 'acuse/fsck-state/v1';

interface StateFile {
  readonly type: typeof TYPE;
  readonly logs: readonly (Omit<LogPosition, 'edge'> & { log_id: string; edge: Record<string, string> })[];
  readonly tenant_id: string | null;
  readonly result: FsckResult;
}

/** Null: no file. Throws an Error that names a damaged file. */
export function loadFsckState(path: string): FsckState | null {
  const text = readIfThere(path);
  if (text === null) return null;
  try {
    return fromFile(JSON.parse(text) as StateFile);
  } catch (cause) {
    throw new Error(`${path} is not the state of a check: ${(cause as Error).message}`, { cause });
  }
}

export function saveFsckState(path: string, state: FsckState): void {
  const file: StateFile = {
    type: TYPE,
    logs: [...state.logs].map(([logId, { edge, ...position }]) => ({
      log_id: logId,
      ...position,
      edge: Object.fromEntries([...edge].map(([tile, hashes]) => [tile, toBase64(hashes)])),
    })),
    tenant_id: state.tenantId,
    result: state.result,
  };
  replaceDurably(path, `${JSON.stringify(file)}\n`);
}

export function removeFsckState(path: string): void {
  rmSync(path, { force: true });
}

function fromFile(file: StateFile): FsckState {
  if (file?.type !== TYPE) throw new Error('it is of another kind');
  const { result, tenant_id: tenantId } = file;
  if (tenantId !== null && typeof tenantId !== 'string') throw new Error('a field is damaged');
  if (!Array.isArray(file.logs) || !Array.isArray(result?.problems) || !Array.isArray(result.authorities))
    throw new Error('a list is missing');
  for (const count of [result.problemCount, ...Object.values(result.checked)]) assertCount(count);
  const logs = file.logs.map(({ log_id: logId, edge, ...position }) => {
    assertCount(position.size);
    assertCount(position.lastCheckpoint);
    const hashes = Object.entries(edge as Record<string, string>).map(
      ([tile, text]) => [tile, hashesIn(text)] as const,
    );
    return [logId, { ...position, edge: new Map(hashes) }] as const;
  });
  return { logs: new Map(logs), tenantId, result };
}

function assertCount(value: unknown): void {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error('a number is damaged');
}

/** The one folder whose files agents may name: by name alone, and only over stdio, on one's own machine. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,199}$/u;

/** Path of a file in ACUSE_MCP_FILES. `otherwise`: what to do without a folder. Throws Refusal. */
export function pathOf(session: Session, name: string, otherwise: string): string {
  const { files } = session.config;
  if (session.way !== 'stdio' || files === null)
    throw new Refusal(
      'no_files',
      session.way === 'stdio' ? 'ACUSE_MCP_FILES names no folder.' : 'Over HTTP there are no files.',
      otherwise,
    );
  if (!NAME.test(name))
    throw new Refusal('invalid_name', 'A file is named without a path.', 'Give the name alone.');
  return join(files, name);
}

/** Bytes of a regular file there; links are not followed. Throws Refusal. */
export async function openFile(session: Session, name: string, maxBytes: number): Promise<Uint8Array> {
  const path = pathOf(session, name, 'Pass the bytes in base64, or ask the person who set up this server.');
  // Without waiting: a named pipe would keep the call for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => null);
  try {
    const stat = await file?.stat();
    if (file === null || stat === undefined || !stat.isFile())
      throw new Refusal('no_such_file', 'The folder of this server has no such file.', 'Check the name.');
    if (stat.size > maxBytes)
      throw new Refusal('payload_too_large', `The file exceeds ${maxBytes} bytes.`, 'Choose a smaller one.');
    return new Uint8Array(await file.readFile());
  } finally {
    await file?.close();
  }
}

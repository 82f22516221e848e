import { networkInterfaces } from 'node:os';
import { isUnavailable } from './database/failures.ts';
import { SealedSecretError } from './secrets.ts';

/**
 * Faults of this machine, its database or its settings, which say nothing about the peer. errno(3),
 * connect(2)
 */

/** Out of descriptors, memory, buffers, ports or disk; no network device; a firewall of our own. */
const LOCAL_CODES: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'ENETDOWN',
  'EACCES',
  'EPERM',
]);
/**
 * Of a machine without any network at all; with one, it is the destination's family or network that has no
 * way there.
 */
const NO_NETWORK_CODES: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH']);

/** True when an operation on a socket or file failed for want of something here. */
export function isLocalCode(code: string, hasNetwork: () => boolean = isOnNetwork): boolean {
  return LOCAL_CODES.has(code) || (NO_NETWORK_CODES.has(code) && !hasNetwork());
}

/** True when what was thrown is a fault of this machine, its database or its master key. */
export function isLocalFault(error: unknown): boolean {
  if (isUnavailable(error) || error instanceof SealedSecretError) return true;
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && isLocalCode(code);
}

/** An address beyond the machine itself; link-local ones lead nowhere. */
function isOnNetwork(): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ internal, address }) => !internal && !/^(?:169\.254\.|fe80:)/i.test(address)),
  );
}

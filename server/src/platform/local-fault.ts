import { networkInterfaces } from 'node:os';
import { isUnavailable } from './database/failures.ts';
import { SealedSecretError } from './secrets.ts';

/** Faults of this machine, its database or settings, not of the peer. errno(3), connect(2) */

/** Out of descriptors, memory, buffers, ports or disk; no network device; a local firewall. */
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
/** Without any network; with one, only the destination is unreachable. */
const NO_NETWORK_CODES: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH']);

export function isLocalCode(code: string, hasNetwork: () => boolean = isOnNetwork): boolean {
  return LOCAL_CODES.has(code) || (NO_NETWORK_CODES.has(code) && !hasNetwork());
}

export function isLocalFault(error: unknown): boolean {
  return isUnavailable(error) || error instanceof SealedSecretError || isMachineFault(error);
}

/** By its code alone: a refused connection is a local fault only where the database refuses it. */
export function isMachineFault(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && isLocalCode(code);
}

/** A non-local address; link-local ones lead nowhere. */
function isOnNetwork(): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ internal, address }) => !internal && !/^(?:169\.254\.|fe80:)/i.test(address)),
  );
}

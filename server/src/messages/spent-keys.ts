import { sha256 } from '../platform/sha256.ts';

/** The only trace of a used key whose message was deleted (docs/decisions/0059). */
export function hashOfKey(tenantId: string, idempotencyKey: string): Uint8Array {
  const account = Buffer.from(tenantId.replaceAll('-', ''), 'hex');
  return sha256(Buffer.concat([account, Buffer.from(idempotencyKey)]));
}

import type { SecretBox } from '../platform/secrets.ts';

/** Sealed for this endpoint and tenant. */

export interface SealedSecrets {
  webhook_id: string;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Date | null;
}

export function sealSecret(box: SecretBox, tenantId: string, webhookId: string, secret: string): Buffer {
  return box.seal(Buffer.from(secret), endpointSecretContext(tenantId, webhookId));
}

/** The current secrets; the previous one until it expires. Throws if no master key opens them. */
export function openSecrets(
  box: SecretBox,
  tenantId: string,
  row: SealedSecrets,
  at: Date,
): { secret: string; previousSecret: string | null } {
  const context = endpointSecretContext(tenantId, row.webhook_id);
  const { previous_secret_sealed: previous, previous_secret_until: until } = row;
  const overlaps = previous !== null && until !== null && until > at;
  return {
    secret: box.open(row.secret_sealed, context).toString(),
    previousSecret: overlaps ? box.open(previous, context).toString() : null,
  };
}

export function endpointSecretContext(tenantId: string, webhookId: string): string {
  return `webhook:${tenantId}:${webhookId}`;
}

import { dkimPublicKey, generateDkimKey } from '@acuse/mail/dkim-keys';
import { apiError } from '../../errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import { createTurns } from '../../platform/turns.ts';
import type { DkimKeyFacts } from './records.ts';

export interface NewDkimKey extends DkimKeyFacts {
  privateKeySealed: Buffer;
  createdAt: Date;
}

export function dkimKeyContext(tenantId: string, dkimKeyId: string): string {
  return `dkim:${tenantId}:${dkimKeyId}`;
}

/** An RSA key takes 0.1 s of a core; accounts take turns, and the one with most waiting loses one beyond. */
const WAITING_MAX = 16;
const RETRY_AFTER_SECONDS = 5;

export interface DkimKeyMaker {
  /** RSA-2048 and Ed25519, pending until their records are found. Throws unavailable. */
  make(tenantId: string, at: Date): Promise<NewDkimKey[]>;
}

/** `generate`: by default new keys. */
export function createDkimKeyMaker(
  secrets: SecretBox,
  generate: typeof generateDkimKey = generateDkimKey,
): DkimKeyMaker {
  const inTurn = createTurns({
    ...{ atOnce: 1, waitingMax: WAITING_MAX },
    tooMany: () =>
      apiError('unavailable', 'Too many DKIM keys are being generated: retry shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  });

  async function makePair(tenantId: string, createdAt: Date): Promise<NewDkimKey[]> {
    const keys: NewDkimKey[] = [];
    for (const [algorithm, suffix] of [
      ['rsa-sha256', 'rsa'],
      ['ed25519-sha256', 'ed'],
    ] as const) {
      const privateKey = await generate(algorithm);
      const dkimKeyId = newId(createdAt.getTime());
      const sealed = secrets.seal(
        privateKey.export({ type: 'pkcs8', format: 'der' }),
        dkimKeyContext(tenantId, dkimKeyId),
      );
      keys.push({
        dkimKeyId,
        selector: `acuse-${dkimKeyId.slice(-8)}-${suffix}`,
        algorithm,
        publicKey: dkimPublicKey(privateKey),
        status: 'pending',
        privateKeySealed: sealed,
        createdAt,
      });
    }
    return keys;
  }

  return {
    make: (tenantId, at) => inTurn({ holders: [tenantId] }, () => makePair(tenantId, at)),
  };
}

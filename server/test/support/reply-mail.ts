import type { KeyObject } from 'node:crypto';
import { dkimPublicKey } from '@acuse/mail/dkim-keys';
import { connect } from '@acuse/mail/smtp/client';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';

/** Mail to the address of a message, as the server of some domain signs and sends it. */

export interface SignedBy {
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
  readonly at: Date;
  readonly canonicalization?: string;
  readonly algorithm?: string;
  readonly maxBodyLength?: number;
  readonly expires?: Date;
}

/** The TXT record of a key. */
export const keyRecord = (key: KeyObject, more = '') =>
  `v=DKIM1; k=${key.asymmetricKeyType}; p=${dkimPublicKey(key)}${more}`;

/** By an outside signer. */
export async function signMail(mail: string, by: SignedBy): Promise<string> {
  const { domain, selector, key, at, canonicalization = 'relaxed/relaxed' } = by;
  const { algorithm, maxBodyLength, expires } = by;
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { signatures, errors } = await dkimSign(mail, {
    ...{ canonicalization, signTime: at },
    ...(expires && { expires }),
    signatureData: [
      {
        ...{ signingDomain: domain, selector, privateKey },
        ...(algorithm !== undefined && { algorithm }),
        ...(maxBodyLength !== undefined && { maxBodyLength }),
      },
    ],
  } as never);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return signatures + mail;
}

interface Sent {
  readonly reversePath: string;
  readonly forwardPath: string;
  readonly ehloName: string;
}

/** The server's answer. */
export async function sendMail(port: number, mail: string, { reversePath, forwardPath, ehloName }: Sent) {
  const opened = await connect({
    ...{ host: 'mail.acuse.test', address: '127.0.0.1', port, ehloName },
    tls: { mode: 'opportunistic' },
    clock: { now: () => performance.now() },
  });
  if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
  const result = await opened.session.send({ reversePath, forwardPath, data: [Buffer.from(mail)] });
  await opened.session.quit();
  if (result.kind !== 'accepted' && result.kind !== 'refused') throw new Error(JSON.stringify(result));
  return [result.reply.code, result.reply.text] as const;
}

/** Mails by which a recipient acknowledges, signed as mail servers sign, and as forgers would like to. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { concat, utf8 } from '@acuse/evidence/bytes';
import type { DkimFact } from '@acuse/evidence/manifest';
import { relaxedBody, relaxedHeader } from '@acuse/evidence/relaxed';
import type { VectorKeys } from './authority.ts';

export interface ReplyMail {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface MailSigner extends DkimFact {
  readonly privateKey: KeyObject;
}

type Form = 'relaxed' | 'simple';

export interface Signing {
  readonly header?: Form;
  readonly body?: Form;
  /** `h=`; a name that the mail does not have signs its absence. */
  readonly names?: readonly string[];
  /** More tags, such as `l=10;`. */
  readonly more?: string;
}

/** Its secret key is the SHA-256 of its name, as those of the other vectors are. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function mailSigners(keys: VectorKeys): Record<'rsa' | 'weak' | 'ed25519', MailSigner> {
  const of = (selector: string, privateKey: KeyObject): MailSigner => ({
    algorithm: privateKey.asymmetricKeyType === 'rsa' ? 'rsa-sha256' : 'ed25519-sha256',
    domain: 'receiver.example',
    public_key: published(privateKey),
    selector,
    privateKey,
  });
  const seed = createHash('sha256').update('receiver.example e1').digest();
  const der = Buffer.concat([ED25519_PREFIX, seed]);
  return {
    rsa: of('s1', createPrivateKey(keys.mail)),
    weak: of('w1', createPrivateKey(keys['mail-weak'])),
    ed25519: of('e1', createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })),
  };
}

/** `p=` of the DNS record. */
function published(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return (privateKey.asymmetricKeyType === 'rsa' ? der : der.subarray(-32)).toString('base64');
}

/** In front of it. */
export function signed(mail: ReplyMail, signer: MailSigner, signing: Signing = {}): ReplyMail {
  const { header = 'relaxed', body = 'relaxed', more = '' } = signing;
  const { names = ['From', 'To', 'Subject', 'Date', 'From', 'To', 'Subject'] } = signing;
  const { algorithm, domain, selector, privateKey } = signer;
  const hash = createHash('sha256').update(formedBody(mail.body, body)).digest('base64');
  const start = ` v=1; a=${algorithm}; c=${header}/${body}; d=${domain}; s=${selector};\r\n`;
  const unsigned = `${start} t=1772611290;${more} h=${names.join(':')};\r\n bh=${hash};\r\n b=`;
  const left = [...mail.fields];
  const chosen = names.flatMap((name) => {
    const at = left.findLastIndex(([each]) => each.toLowerCase() === name.toLowerCase());
    return at < 0 ? [] : left.splice(at, 1);
  });
  const formed = ([name, value]: readonly [string, string]) =>
    header === 'relaxed' ? relaxedHeader(name, value) : `${name}:${value}`;
  const own = formed(['DKIM-Signature', unsigned]);
  const text = Buffer.from(chosen.map((field) => `${formed(field)}\r\n`).join('') + own, 'latin1');
  const made =
    algorithm === 'rsa-sha256'
      ? sign('sha256', text, privateKey)
      : sign(null, createHash('sha256').update(text).digest(), privateKey);
  const lines = made.toString('base64').match(/.{1,72}/g)!;
  return { ...mail, fields: [['DKIM-Signature', `${unsigned}${lines.join('\r\n ')}`], ...mail.fields] };
}

function formedBody(body: string, form: Form): Uint8Array {
  return form === 'relaxed' ? relaxedBody(utf8(body)) : utf8(`${body.replace(/(?:\r\n)+$/, '')}\r\n`);
}

export function mailBytes({ fields, body }: ReplyMail): Uint8Array {
  const header = fields.map(([name, value]) => `${name}:${value}\r\n`).join('');
  return concat(Buffer.from(`${header}\r\n`, 'latin1'), utf8(body));
}

import { Secret, TOTP } from 'otpauth';
import qrcode from 'qrcode-generator';
import { randomSecret } from '../../platform/random.ts';

/**
 * One-time codes of an authenticator app: HMAC-SHA-1, six digits, 30 s, which all such apps support (RFC 6238
 * §4). A code is valid once: the caller stores the step of a checked code, and accepts only later steps (RFC
 * 6238 §5.2).
 */
const SECRET_BYTES = 20;
const DIGITS = 6;
const PERIOD_S = 30;
/** Steps before and after now whose codes are accepted: clocks differ, and people type slowly. */
const WINDOW_STEPS = 1;
const CODE = /^\d{6}$/;

export function newTotpSecret(): Uint8Array {
  return randomSecret(SECRET_BYTES);
}

/** The step of a code that is right now; null when it is wrong. Spaces are for the eye. */
export function totpStep(secret: Uint8Array, typed: string, now: Date): number | null {
  const token = typed.replace(/\s/g, '');
  if (!CODE.test(token)) return null;
  const timestamp = now.getTime();
  const delta = TOTP.validate({
    token,
    secret: secretOf(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_S,
    timestamp,
    window: WINDOW_STEPS,
  });
  return delta === null ? null : TOTP.counter({ period: PERIOD_S, timestamp }) + delta;
}

export interface TotpEnrolment {
  /** In base 32, to be typed where there is no camera. */
  readonly secret: string;
  /** `otpauth://totp/…` */
  readonly uri: string;
  readonly qrSvg: string;
}

/** The secret and the URI that set up an authenticator app. `label`: the app's name for this account. */
export function totpEnrolment(secret: Uint8Array, issuer: string, label: string): TotpEnrolment {
  const totp = new TOTP({
    issuer,
    label,
    secret: secretOf(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_S,
  });
  const uri = totp.toString();
  const code = qrcode(0, 'M');
  code.addData(uri);
  code.make();
  return { secret: totp.secret.base32, uri, qrSvg: code.createSvgTag({ scalable: true, margin: 4 }) };
}

/** In memory of its own: the library reads the whole buffer under a view. */
function secretOf(secret: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}

import type { Locale } from './person.ts';

/** The mails that Acuse itself sends, in the reader's language. Plain text: nothing in them is fetched. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
}

interface Invitation {
  /** Null: it says what no name of an account needs to say. */
  readonly account: string | null;
  readonly inviter: string;
  readonly url: string;
  readonly refusalUrl: string;
}

export interface MailWords {
  passwordReset(url: string): Mail;
  invitation(facts: Invitation): Mail;
  passwordChanged(): Mail;
  secondFactorOn(): Mail;
  secondFactorOff(): Mail;
  recoveryCodesRenewed(): Mail;
  passkeyAdded(name: string): Mail;
  passkeyRemoved(name: string): Mail;
}

const en: MailWords = {
  passwordReset: (url) => ({
    subject: 'Set a new password',
    text: paragraphs(
      'Somebody asked for a new password for your Acuse user. To choose one, open this link within 30 minutes:',
      url,
      'The link works once. If you did not ask for it, ignore this message: your password stays as it is.',
    ),
  }),
  invitation: ({ account, inviter, url, refusalUrl }) => ({
    subject: 'Invitation to an account in Acuse',
    text: paragraphs(
      `The person with the address ${inviter} invites you to an account in Acuse, which sends certified email.`,
      ...(account === null ? [] : [`The account's name, which its owner chose: ${account}`]),
      'To accept, open this link within 7 days:',
      url,
      'The link works once. If this is not for you, or you want no more invitations from this account, open this page, which needs no sign-in:',
      refusalUrl,
    ),
  }),
  passwordChanged: () => ({
    subject: 'Your password was changed',
    text: paragraphs(
      'The password of your Acuse user was changed, and all other sessions were ended.',
      'If that was not you, ask for a new password on the sign-in page and tell an owner of your account.',
    ),
  }),
  secondFactorOn: () => ({
    subject: 'Two-step sign-in was turned on',
    text: paragraphs(
      'Your Acuse user now asks for a code from an authenticator app when you sign in.',
      'If that was not you, tell an owner of your account.',
    ),
  }),
  secondFactorOff: () => ({
    subject: 'Two-step sign-in was turned off',
    text: paragraphs(
      'Your Acuse user no longer asks for a code from an authenticator app when you sign in.',
      'If that was not you, change your password and tell an owner of your account.',
    ),
  }),
  recoveryCodesRenewed: () => ({
    subject: 'Your recovery codes were renewed',
    text: paragraphs(
      'New recovery codes were made for your Acuse user. The codes before no longer work.',
      'If that was not you, change your password and tell an owner of your account.',
    ),
  }),
  passkeyAdded: (name) => ({
    subject: 'A passkey was added',
    text: paragraphs(
      `The passkey “${name}” was added to your Acuse user: it signs in without a password.`,
      'If that was not you, remove it under “You”, change your password and tell an owner of your account.',
    ),
  }),
  passkeyRemoved: (name) => ({
    subject: 'A passkey was removed',
    text: paragraphs(
      `The passkey “${name}” was removed from your Acuse user and no longer signs in.`,
      'If that was not you, change your password and tell an owner of your account.',
    ),
  }),
};

const es: MailWords = {
  passwordReset: (url) => ({
    subject: 'Elija una contraseña nueva',
    text: paragraphs(
      'Alguien solicitó una contraseña nueva para su usuario de Acuse. Para elegirla, abra esta liga en los próximos 30 minutos:',
      url,
      'La liga funciona una sola vez. Si usted no la solicitó, ignore este mensaje: su contraseña sigue igual.',
    ),
  }),
  invitation: ({ account, inviter, url, refusalUrl }) => ({
    subject: 'Invitación a una cuenta en Acuse',
    text: paragraphs(
      `La persona con la dirección ${inviter} le invita a una cuenta en Acuse, que envía correo certificado.`,
      ...(account === null ? [] : [`Nombre de la cuenta, elegido por su propietario: ${account}`]),
      'Para aceptar, abra esta liga en los próximos 7 días:',
      url,
      'La liga funciona una sola vez. Si la invitación no es para usted, o no quiere más invitaciones de esta cuenta, abra esta página, que no pide iniciar sesión:',
      refusalUrl,
    ),
  }),
  passwordChanged: () => ({
    subject: 'Su contraseña cambió',
    text: paragraphs(
      'Se cambió la contraseña de su usuario de Acuse y se cerraron todas las demás sesiones.',
      'Si no fue usted, solicite una contraseña nueva en la página de inicio de sesión y avise a un propietario de su cuenta.',
    ),
  }),
  secondFactorOn: () => ({
    subject: 'Se activó la verificación en dos pasos',
    text: paragraphs(
      'Su usuario de Acuse ahora pide un código de una aplicación de autenticación al iniciar sesión.',
      'Si no fue usted, avise a un propietario de su cuenta.',
    ),
  }),
  secondFactorOff: () => ({
    subject: 'Se desactivó la verificación en dos pasos',
    text: paragraphs(
      'Su usuario de Acuse ya no pide un código de una aplicación de autenticación al iniciar sesión.',
      'Si no fue usted, cambie su contraseña y avise a un propietario de su cuenta.',
    ),
  }),
  recoveryCodesRenewed: () => ({
    subject: 'Se renovaron sus códigos de recuperación',
    text: paragraphs(
      'Se generaron códigos de recuperación nuevos para su usuario de Acuse. Los anteriores ya no sirven.',
      'Si no fue usted, cambie su contraseña y avise a un propietario de su cuenta.',
    ),
  }),
  passkeyAdded: (name) => ({
    subject: 'Se agregó una llave de acceso',
    text: paragraphs(
      `Se agregó la llave de acceso «${name}» a su usuario de Acuse: con ella se inicia sesión sin contraseña.`,
      'Si no fue usted, elimínela en «Usted», cambie su contraseña y avise a un propietario de su cuenta.',
    ),
  }),
  passkeyRemoved: (name) => ({
    subject: 'Se eliminó una llave de acceso',
    text: paragraphs(
      `Se eliminó la llave de acceso «${name}» de su usuario de Acuse y ya no inicia sesión.`,
      'Si no fue usted, cambie su contraseña y avise a un propietario de su cuenta.',
    ),
  }),
};

const WORDS: Readonly<Record<Locale, MailWords>> = { es, en };

/** The person's language, else that of the request, else Spanish. */
export function mailWords(chosen: Locale | null, asked: Locale | null): MailWords {
  return WORDS[chosen ?? asked ?? 'es'];
}

const ACCEPT_LANGUAGE_MAX_CHARS = 500;

/** The first of our languages that a browser names; null when it names none. RFC 9110 §12.5.4 */
export function localeOf(acceptLanguage: string | undefined): Locale | null {
  const ranges = (acceptLanguage ?? '').slice(0, ACCEPT_LANGUAGE_MAX_CHARS).toLowerCase().split(',');
  for (const range of ranges) {
    const language = range.trim().slice(0, 2);
    if (language === 'es' || language === 'en') return language;
  }
  return null;
}

function paragraphs(...each: string[]): string {
  return `${each.join('\n\n')}\n`;
}

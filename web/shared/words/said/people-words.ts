import type { Row } from './row.ts';

export const PEOPLE: readonly Row[] = [
  {
    said: 'There is nothing to confirm with yet: set a password first (PUT {step}).',
    es: 'Aún no hay con qué confirmar: establezca antes una contraseña.',
    en: 'There is nothing to confirm with yet: set a password first.',
  },
  { said: 'The address or the password is wrong.', es: 'La dirección o la contraseña son incorrectas.' },
  { said: 'The current password is wrong.', es: 'La contraseña actual es incorrecta.' },
  { said: 'The code is wrong or was used already.', es: 'El código es incorrecto o ya se usó.' },
  {
    said: 'The password or the code is wrong, or was used already.',
    es: 'La contraseña o el código son incorrectos, o el código ya se usó.',
  },
  {
    said: 'The code is wrong: check the clock of the device.',
    es: 'El código es incorrecto: revise la hora del dispositivo.',
  },
  {
    said: 'There is no session, or it has ended: sign in.',
    es: 'No hay sesión o ya terminó: inicie sesión.',
  },
  { said: 'This session is signed in already.', es: 'Esta sesión ya está iniciada.' },
  {
    said: 'This session is signed in already, or has ended.',
    es: 'Esta sesión ya está iniciada o ya terminó.',
  },
  {
    said: 'You are signed in as {open}, and this link signs in {linked}. Continue only if you are {linked2}: the open session ends.',
    es: 'Usted inició sesión como {open} y este enlace es de {linked}. Continúe solo si usted es {linked2}: la sesión abierta termina.',
  },
  {
    said: 'This link is wrong, has expired or was revoked: ask who sent it for another.',
    es: 'Este enlace es incorrecto, venció o fue revocado: pida otro a quien se lo envió.',
  },
  {
    said: 'The password has {count} characters: use at least {min}.',
    es: 'La contraseña tiene {count} caracteres: use al menos {min}.',
  },
  {
    said: 'The password has {count} characters: use at most {max}.',
    es: 'La contraseña tiene {count} caracteres: use a lo más {max}.',
  },
  {
    said: 'This password is easy to guess: it is a common one, your address, or one of them with digits added. Use several unrelated words.',
    es: 'Esta contraseña es fácil de adivinar: es común, es su dirección o es una de ellas con números. Use varias palabras sin relación entre sí.',
  },
  {
    said: 'This password repeats a few characters: use several unrelated words instead.',
    es: 'Esta contraseña repite pocos caracteres: use varias palabras sin relación entre sí.',
  },
  {
    said: 'Too many people are signing in at once: retry after the seconds in Retry-After.',
    es: 'Demasiadas personas inician sesión a la vez: intente de nuevo en unos segundos.',
    en: 'Too many people are signing in at once: try again in a few seconds.',
  },
  {
    said: 'Too many attempts: retry after the seconds in Retry-After, or from a network from which you signed in before.',
    es: 'Demasiados intentos: espere, o intente desde una red en la que ya haya iniciado sesión.',
    en: 'Too many attempts: wait, or try from a network from which you signed in before.',
  },
  { said: 'No authenticator app is set up.', es: 'No hay una aplicación de autenticación configurada.' },
  {
    said: 'An authenticator app is set up already: turn it off before you set up another.',
    es: 'Ya hay una aplicación de autenticación: desactívela antes de configurar otra.',
  },
  {
    said: 'Recovery codes belong to a second factor: set up an authenticator app or a passkey first.',
    es: 'Los códigos de recuperación acompañan a un segundo factor: configure primero una aplicación de autenticación o una llave de acceso.',
  },
  {
    said: 'Operators of this installation need a second factor: set up another before you remove this one.',
    es: 'Los operadores de esta instalación necesitan un segundo factor: configure otro antes de quitar este.',
  },
  { said: 'This passkey is registered already.', es: 'Esta llave de acceso ya está registrada.' },
  {
    said: 'You have no passkey: register one first.',
    es: 'No tiene una llave de acceso: registre una primero.',
  },
  { said: 'You have no passkey with this id.', es: 'No tiene una llave de acceso con este id.' },
  {
    said: 'The passkey was refused: ask for new options and register it again.',
    es: 'La llave de acceso fue rechazada: regístrela de nuevo.',
    en: 'The passkey was refused: register it again.',
  },
  {
    said: 'The passkey was refused: it is unknown here, was removed, or its answer is wrong. Try again, or sign in another way.',
    es: 'La llave de acceso fue rechazada: no se conoce aquí, se quitó o su respuesta es incorrecta. Intente de nuevo o inicie sesión de otra manera.',
  },
  {
    said: 'This passkey is your only way to sign in: set a password first.',
    es: 'Esta llave de acceso es su única manera de iniciar sesión: establezca antes una contraseña.',
  },
  {
    said: 'This attempt has expired, was answered already or belongs to another session: ask for new options.',
    es: 'Este intento venció, ya se respondió o es de otra sesión: comience de nuevo.',
    en: 'This attempt has expired, was answered already or belongs to another session: begin again.',
  },
  {
    said: 'Passkeys work over https only: put TLS in front of {host} and set its public URL to https://.',
    es: 'Las llaves de acceso solo funcionan con https: ponga TLS delante de {host} y use https:// en su URL pública.',
  },
  {
    said: 'Passkeys need a domain name, and the public URL of this console is {origin}: set it to one with a name.',
    es: 'Las llaves de acceso necesitan un nombre de dominio y la URL pública es {origin}: use una con nombre.',
  },
  {
    said: 'Passkeys belong to {host}: open {origin}.',
    es: 'Las llaves de acceso son de {host}: abra {origin}.',
  },
  {
    said: 'Passkeys need a name: open {origin}.',
    es: 'Las llaves de acceso necesitan un nombre: abra {origin}.',
  },
  {
    said: 'You belong to no account: ask an owner of it for an invitation.',
    es: 'No pertenece a ninguna cuenta: pida una invitación a una persona propietaria.',
  },
  { said: 'You belong to no account with this id.', es: 'No pertenece a una cuenta con este id.' },
];

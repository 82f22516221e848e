import type { Row } from './row.ts';

export const PEOPLE: readonly Row[] = [
  [
    'There is nothing to confirm with yet: set a password first (PUT {step}).',
    'Aún no hay con qué confirmar: establezca antes una contraseña.',
    'There is nothing to confirm with yet: set a password first.',
  ],
  ['The address or the password is wrong.', 'La dirección o la contraseña son incorrectas.'],
  ['The current password is wrong.', 'La contraseña actual es incorrecta.'],
  ['The code is wrong or was used already.', 'El código es incorrecto o ya se usó.'],
  [
    'The password or the code is wrong, or was used already.',
    'La contraseña o el código son incorrectos, o el código ya se usó.',
  ],
  [
    'The code is wrong: check the clock of the device.',
    'El código es incorrecto: revise la hora del dispositivo.',
  ],
  ['There is no session, or it has ended: sign in.', 'No hay sesión o ya terminó: inicie sesión.'],
  ['This session is signed in already.', 'Esta sesión ya está iniciada.'],
  ['This session is signed in already, or has ended.', 'Esta sesión ya está iniciada o ya terminó.'],
  [
    'You are signed in as {open}, and this link signs in {linked}. Continue only if you are {linked2}: the open session ends.',
    'Usted inició sesión como {open} y este enlace es de {linked}. Continúe solo si usted es {linked2}: la sesión abierta termina.',
  ],
  [
    'This link is wrong, has expired or was revoked: ask who sent it for another.',
    'Este enlace es incorrecto, venció o fue revocado: pida otro a quien se lo envió.',
  ],
  [
    'The password has {count} characters: use at least {min}.',
    'La contraseña tiene {count} caracteres: use al menos {min}.',
  ],
  [
    'The password has {count} characters: use at most {max}.',
    'La contraseña tiene {count} caracteres: use a lo más {max}.',
  ],
  [
    'This password is easy to guess: it is a common one, your address, or one of them with digits added. Use several unrelated words.',
    'Esta contraseña es fácil de adivinar: es común, es su dirección o es una de ellas con números. Use varias palabras sin relación entre sí.',
  ],
  [
    'This password repeats a few characters: use several unrelated words instead.',
    'Esta contraseña repite pocos caracteres: use varias palabras sin relación entre sí.',
  ],
  [
    'Too many people are signing in at once: retry after the seconds in Retry-After.',
    'Demasiadas personas inician sesión a la vez: intente de nuevo en unos segundos.',
    'Too many people are signing in at once: try again in a few seconds.',
  ],
  [
    'Too many attempts: retry after the seconds in Retry-After, or from a network from which you signed in before.',
    'Demasiados intentos: espere, o intente desde una red en la que ya haya iniciado sesión.',
    'Too many attempts: wait, or try from a network from which you signed in before.',
  ],
  ['No authenticator app is set up.', 'No hay una aplicación de autenticación configurada.'],
  [
    'An authenticator app is set up already: turn it off before you set up another.',
    'Ya hay una aplicación de autenticación: desactívela antes de configurar otra.',
  ],
  [
    'Recovery codes belong to a second factor: set up an authenticator app or a passkey first.',
    'Los códigos de recuperación acompañan a un segundo factor: configure primero una aplicación de autenticación o una llave de acceso.',
  ],
  [
    'Operators of this installation need a second factor: set up another before you remove this one.',
    'Los operadores de esta instalación necesitan un segundo factor: configure otro antes de quitar este.',
  ],
  ['This passkey is registered already.', 'Esta llave de acceso ya está registrada.'],
  ['You have no passkey: register one first.', 'No tiene una llave de acceso: registre una primero.'],
  ['You have no passkey with this id.', 'No tiene una llave de acceso con este id.'],
  [
    'The passkey was refused: ask for new options and register it again.',
    'La llave de acceso fue rechazada: regístrela de nuevo.',
    'The passkey was refused: register it again.',
  ],
  [
    'The passkey was refused: it is unknown here, was removed, or its answer is wrong. Try again, or sign in another way.',
    'La llave de acceso fue rechazada: no se conoce aquí, se quitó o su respuesta es incorrecta. Intente de nuevo o inicie sesión de otra manera.',
  ],
  [
    'This passkey is your only way to sign in: set a password first.',
    'Esta llave de acceso es su única manera de iniciar sesión: establezca antes una contraseña.',
  ],
  [
    'This attempt has expired, was answered already or belongs to another session: ask for new options.',
    'Este intento venció, ya se respondió o es de otra sesión: comience de nuevo.',
    'This attempt has expired, was answered already or belongs to another session: begin again.',
  ],
  [
    'Passkeys work over https only: put TLS in front of {host} and set its public URL to https://.',
    'Las llaves de acceso solo funcionan con https: ponga TLS delante de {host} y use https:// en su URL pública.',
  ],
  [
    'Passkeys need a domain name, and the public URL of this console is {origin}: set it to one with a name.',
    'Las llaves de acceso necesitan un nombre de dominio y la URL pública es {origin}: use una con nombre.',
  ],
  ['Passkeys belong to {host}: open {origin}.', 'Las llaves de acceso son de {host}: abra {origin}.'],
  ['Passkeys need a name: open {origin}.', 'Las llaves de acceso necesitan un nombre: abra {origin}.'],
  [
    'You belong to no account: ask an owner of it for an invitation.',
    'No pertenece a ninguna cuenta: pida una invitación a una persona propietaria.',
  ],
  ['You belong to no account with this id.', 'No pertenece a una cuenta con este id.'],
];

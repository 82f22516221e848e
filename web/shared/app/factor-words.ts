import type { Translated, Words } from '../words/words.ts';

/** Texts of setting up a second factor, which both applications share. */
const english = {
  setUp: 'Set up an authenticator app',
  enrol:
    'This console can be reached from other machines, so its operators need a second factor. Set it up now: the sign-in continues afterwards.',
  scanTitle: 'Scan this code with the app',
  scan: 'Any app that makes one-time codes will do: Google Authenticator, 1Password, Aegis, FreeOTP.',
  picture: 'QR code of the secret below',
  secret: 'Or type this secret',
  code: 'The six digits that the app shows',
  needsCode: 'Enter six digits.',
  wrongCode: 'This code is wrong. Check that the clock of the device is right, then enter the next one.',
  turnOn: 'Turn on',
  codesTitle: 'Keep these recovery codes',
  codesText:
    'Each signs you in once without app or passkey. They are shown only now: keep them where you would look for them without your phone.',
  codes: 'Recovery codes',
  save: 'Save as a file',
  fileHead: 'Recovery codes for Acuse. Each works once.',
  done: 'I have kept them',
  turnedOn: 'The second factor is on. Your other sessions have ended.',
};

const spanish: Translated<typeof english> = {
  setUp: 'Configurar una aplicación de códigos',
  enrol:
    'Esta consola se puede alcanzar desde otras máquinas, por lo que sus operadores requieren un segundo factor. Configúrelo ahora: después continúa el inicio de sesión.',
  scanTitle: 'Escanee este código con la aplicación',
  scan: 'Sirve cualquier aplicación de códigos de un solo uso: Google Authenticator, 1Password, Aegis, FreeOTP.',
  picture: 'Código QR del secreto de abajo',
  secret: 'O escriba este secreto',
  code: 'Los seis dígitos que muestra la aplicación',
  needsCode: 'Escriba seis dígitos.',
  wrongCode:
    'Este código es incorrecto. Revise que el reloj del dispositivo sea correcto y escriba el siguiente.',
  turnOn: 'Activar',
  codesTitle: 'Guarde estos códigos de recuperación',
  codesText:
    'Cada uno inicia su sesión una vez sin la aplicación ni la llave de acceso. Se muestran solo ahora: guárdelos donde los buscaría si no tuviera su teléfono.',
  codes: 'Códigos de recuperación',
  save: 'Guardar como archivo',
  fileHead: 'Códigos de recuperación de Acuse. Cada uno sirve una sola vez.',
  done: 'Ya los guardé',
  turnedOn: 'El segundo factor quedó activado. Sus otras sesiones terminaron.',
};

export const factorWords: Words<typeof english> = { en: english, es: spanish };

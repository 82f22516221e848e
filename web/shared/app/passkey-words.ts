import type { Translated, Words } from '../words/words.ts';

/** Texts of showing a passkey, which both applications share. */
const english = {
  or: 'or',
  use: 'Use a passkey',
  otherWay: 'Use a code instead',
  none: 'No passkey was used. Try again, or choose another way.',
  has: 'This device has a passkey for you already.',
  wrong: 'This passkey does not work here. It may have been removed.',
  lacks: {
    secure: 'passkeys need https.',
    name: 'passkeys need a name in the address, such as localhost, and not an IP address.',
    browser: 'this browser does not know passkeys.',
  },
  proofLead: 'Confirm with your fingerprint, your face or the PIN of your device.',
};

const spanish: Translated<typeof english> = {
  or: 'o',
  use: 'Usar una llave de acceso',
  otherWay: 'Usar un código',
  none: 'No se usó ninguna llave de acceso. Intente de nuevo o elija otra forma.',
  has: 'Este dispositivo ya tiene una llave de acceso suya.',
  wrong: 'Esta llave de acceso no sirve aquí. Quizá se eliminó.',
  lacks: {
    secure: 'las llaves de acceso requieren https.',
    name: 'las llaves de acceso requieren un nombre en la dirección, como localhost, y no una dirección IP.',
    browser: 'este navegador no conoce las llaves de acceso.',
  },
  proofLead: 'Confirme con su huella, su rostro o el PIN de su dispositivo.',
};

export const passkeyWords: Words<typeof english> = { en: english, es: spanish };

import type { Translated, Words } from '../words/words.ts';

/** Texts of a person's own passkeys, which both applications share. */
const english = {
  title: 'Passkeys',
  hint: 'Sign in with your fingerprint, your face or the PIN of a device, without a password. Only this site gets an answer.',
  add: 'Add a passkey',
  addTitle: 'Add a passkey',
  addText:
    'Your browser asks where to keep it: on this device, on a phone nearby or on a security key. Afterwards a password alone no longer signs you in.',
  addAction: 'Continue',
  name: 'Name',
  nameHint: 'To tell it from others: the device or the program that keeps it.',
  needsName: 'Enter a name.',
  defaultName: 'My device',
  added: 'The passkey is added.',
  emptyTitle: 'No passkey yet',
  empty: 'A passkey replaces password and code. A page that imitates this one cannot obtain it.',
  kept: 'Kept',
  synced: 'Synced',
  device: 'On one device',
  created: 'Added',
  lastUsed: 'Last used',
  never: 'Never',
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  renameTitle: 'Rename the passkey',
  save: 'Save name',
  renamed: 'The passkey is renamed.',
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    'It no longer signs you in. Delete it on the device too, or the browser will go on offering it.',
  removeAction: 'Remove passkey',
  removed: 'The passkey is removed.',
};

const spanish: Translated<typeof english> = {
  title: 'Llaves de acceso',
  hint: 'Inicie sesión con su huella, su rostro o el PIN de un dispositivo, sin contraseña. Solo este sitio recibe una respuesta.',
  add: 'Agregar una llave de acceso',
  addTitle: 'Agregar una llave de acceso',
  addText:
    'Su navegador pregunta dónde guardarla: en este dispositivo, en un teléfono cercano o en una llave de seguridad. Después, la contraseña sola ya no inicia su sesión.',
  addAction: 'Continuar',
  name: 'Nombre',
  nameHint: 'Para distinguirla de otras: el dispositivo o el programa que la guarda.',
  needsName: 'Escriba un nombre.',
  defaultName: 'Mi dispositivo',
  added: 'La llave de acceso quedó agregada.',
  emptyTitle: 'Aún no hay llaves de acceso',
  empty:
    'Una llave de acceso reemplaza contraseña y código. Ninguna página que imite a esta puede obtenerla.',
  kept: 'Guardada',
  synced: 'Sincronizada',
  device: 'En un dispositivo',
  created: 'Agregada',
  lastUsed: 'Último uso',
  never: 'Nunca',
  rename: 'Renombrar',
  renameOf: (name: string) => `Cambiar el nombre de ${name}`,
  renameTitle: 'Cambiar el nombre de la llave',
  save: 'Guardar nombre',
  renamed: 'El nombre de la llave cambió.',
  remove: 'Eliminar',
  removeOf: (name: string) => `Eliminar ${name}`,
  removeTitle: (name: string) => `¿Eliminar ${name}?`,
  removeText:
    'Ya no iniciará su sesión. Bórrela también en el dispositivo; si no, el navegador la seguirá ofreciendo.',
  removeAction: 'Eliminar llave de acceso',
  removed: 'La llave de acceso quedó eliminada.',
};

export const ownPasskeyWords: Words<typeof english> = { en: english, es: spanish };

import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  lead: 'For the operators of this installation.',
  forgot: 'Forgot your password?',
  help: 'Ask another operator for a sign-in link, or make one on the server:',
  command: 'acuse operators link <email>',
};

const spanish: Translated<typeof english> = {
  lead: 'Para los operadores de esta instalación.',
  forgot: '¿Olvidó su contraseña?',
  help: 'Pida un enlace de acceso a otro operador o genérelo en el servidor:',
  command: 'acuse operators link <correo>',
};

export const signInWords: Words<typeof english> = { en: english, es: spanish };

import type { Translated, Words } from '../../../shared/words/words.ts';

const english = {
  hint: 'The commands that do what this page just did. Run them where the service is configured; $EMAIL is the address of the operator. Add --json for programs.',
  none: 'No command does what this page does.',
};

const spanish: Translated<typeof english> = {
  hint: 'Los comandos que hacen lo que esta página acaba de hacer. Ejecútelos donde está configurado el servicio; $EMAIL es la dirección del operador. Agregue --json para programas.',
  none: 'Ningún comando hace lo que hace esta página.',
};

export const codeWords: Words<typeof english> = { en: english, es: spanish };

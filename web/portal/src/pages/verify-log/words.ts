import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Access log',
  lead: 'Every verification by id and every opening of a shared link, whatever its result.',
  filters: 'Filters',
  message: 'Message',
  messageId: 'Message id',
  time: 'When',
  who: 'Who',
  result: 'Result',
  anyResult: 'Any result',
  address: 'From',
  kinds: { key: 'API key', user: 'Person', share: 'Shared link' },
  results: {
    valid: 'Valid',
    invalid: 'Not valid',
    opened: 'Opened',
    not_found: 'No such message',
    missing_proof_data: 'Not sealed',
    other: 'Not answered',
  },
  emptyTitle: 'Nobody has asked yet',
  empty: 'Verifications by id and openings of shared links appear here.',
  toVerify: 'Verify a message',
  all: 'These are all.',
};

const spanish: Translated<typeof english> = {
  title: 'Bitácora de accesos',
  lead: 'Cada verificación por id y cada apertura de un enlace compartido, sea cual sea su resultado.',
  filters: 'Filtros',
  message: 'Mensaje',
  messageId: 'Id del mensaje',
  time: 'Cuándo',
  who: 'Quién',
  result: 'Resultado',
  anyResult: 'Cualquier resultado',
  address: 'Desde',
  kinds: { key: 'Clave de API', user: 'Persona', share: 'Enlace compartido' },
  results: {
    valid: 'Válido',
    invalid: 'No válido',
    opened: 'Abierto',
    not_found: 'No existe',
    missing_proof_data: 'Sin sellar',
    other: 'Sin respuesta',
  },
  emptyTitle: 'Nadie ha consultado aún',
  empty: 'Aquí aparecen las verificaciones por id y las aperturas de enlaces compartidos.',
  toVerify: 'Verificar un mensaje',
  all: 'Son todos.',
};

export const verifyLogWords: Words<typeof english> = { en: english, es: spanish };

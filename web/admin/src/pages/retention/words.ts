import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Retention',
  lead: 'How long messages are kept, and what is past its time.',
  never: 'Never',
  none: 'None',
  orMore: (count: string) => `${count} or more`,
  plain: 'Plain messages',
  days: (count: number, text: string) => (count === 1 ? '1 day' : `${text} days`),
  plainText: 'Then their content is deleted automatically. Their records stay longer.',
  plainDue: 'Due, not deleted yet',
  deleted: 'Deleted so far',
  lastDeleted: 'Last deletion',
  records: 'Records of plain messages',
  recordsText:
    'Then they are deleted completely: addresses, subject, outcomes, events. Counts, suppressions and the audit log stay. An account may have a period of its own.',
  recordsDue: 'Due, not deleted yet',
  recordsBegin: 'Deleted from',
  certified: 'Certified messages',
  years: (count: number, text: string) => (count === 1 ? '1 year' : `${text} years`),
  certifiedText:
    'Their evidence is kept at least so long. Nothing erases it automatically, only an operator.',
  certifiedPast: 'Past their period',
  erased: 'Erased so far',
  lastErased: 'Last erasure',
  run: 'Erases those past their period',
  eraseTitle: 'Erase one message',
  eraseHint:
    'Only when somebody may demand it: a data subject, a court. You see the message first, then enter its id again.',
  id: 'Id of the message',
  needsId: 'Enter the whole id: 36 characters with hyphens.',
  find: 'Find message',
  record: 'Erasures in the audit log',
};

const spanish: Translated<typeof english> = {
  title: 'Conservación',
  lead: 'Cuánto tiempo se conservan los mensajes y qué ha rebasado su plazo.',
  never: 'Nunca',
  none: 'Ninguno',
  orMore: (count: string) => `${count} o más`,
  plain: 'Mensajes simples',
  days: (count: number, text: string) => (count === 1 ? '1 día' : `${text} días`),
  plainText: 'Después su contenido se elimina automáticamente. Sus registros permanecen más tiempo.',
  plainDue: 'Vencidos, aún sin eliminar',
  deleted: 'Eliminados hasta ahora',
  lastDeleted: 'Última eliminación',
  records: 'Registros de mensajes simples',
  recordsText:
    'Después se eliminan por completo: direcciones, asunto, resultados, eventos. Los conteos, las supresiones y la bitácora permanecen. Una cuenta puede tener otros días.',
  recordsDue: 'Vencidos, aún sin eliminar',
  recordsBegin: 'Se eliminan desde',
  certified: 'Mensajes certificados',
  years: (count: number, text: string) => (count === 1 ? '1 año' : `${text} años`),
  certifiedText:
    'Su evidencia se conserva al menos ese tiempo. Nunca se borra automáticamente, solo la borra un operador.',
  certifiedPast: 'Rebasaron su plazo',
  erased: 'Borrados hasta ahora',
  lastErased: 'Último borrado',
  run: 'Borra los que rebasaron su plazo',
  eraseTitle: 'Borrar un mensaje',
  eraseHint:
    'Solo si alguien puede exigirlo: el titular de los datos, un juzgado. Antes de borrar, se muestra el mensaje y se pide de nuevo su id.',
  id: 'Id del mensaje',
  needsId: 'Escriba el id completo: 36 caracteres con guiones.',
  find: 'Buscar mensaje',
  record: 'Borrados en la bitácora',
};

export const retentionWords: Words<typeof english> = { en: english, es: spanish };

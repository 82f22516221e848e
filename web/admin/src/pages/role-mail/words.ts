import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Role mailbox',
  lead: 'Mail to postmaster, abuse and fbl on the mail hosts that is for you to read. A complaint that names a message is counted there and not listed here. Mail is kept for 90 days, the newest 2,000 at most.',
  filters: 'Filters',
  role: 'Role',
  anyRole: 'Any role',
  kind: 'Kind',
  anyKind: 'Any kind',
  roles: { postmaster: 'postmaster', abuse: 'abuse', fbl: 'fbl' },
  kinds: {
    complaint: 'Complaint',
    report: 'Delivery report',
    automatic: 'Automatic answer',
    letter: 'Letter',
  },
  problems: {
    no_message:
      'It names no message of this installation of the last 30 days. Read it, and suppress the address if it names one.',
    not_authentic:
      'Others may know what it names, and nothing shows that the recipient or a provider sent it. If you know the sender, suppress the address.',
    not_an_objection: 'It is not a complaint: it says that a message is not spam, or what a check found.',
    sender_not_proven:
      'It came as a DMARC or TLS report and is not counted: neither DKIM nor SPF proves that it came from the domain in its From.',
    not_a_report: 'It came to the address for DMARC and TLS reports, and has none that can be read.',
    not_our_domain: 'It is a DMARC or TLS report about a domain that no account has.',
  },
  received: 'Received',
  from: 'From',
  says: 'What it says',
  actions: 'Actions',
  toMessage: 'Message',
  download: (subject: string) => `Download “${subject}”`,
  delete: (subject: string) => `Delete “${subject}”`,
  noSubject: 'no subject',
  deleteTitle: 'Delete this mail?',
  deleteText: 'Nobody can read it afterwards.',
  deleteAction: 'Delete mail',
  deleted: 'The mail was deleted.',
  emptyTitle: 'No mail',
  empty: 'Mail to postmaster, abuse or fbl of the mail hosts is listed here.',
};

const spanish: Translated<typeof english> = {
  title: 'Buzón del operador',
  lead: 'Correo dirigido a postmaster, abuse y fbl de los servidores de correo que le toca leer a usted. Un reporte de correo no deseado que nombra un mensaje se cuenta en ese mensaje y no aparece aquí. El correo se conserva 90 días, a lo más los 2,000 más recientes.',
  filters: 'Filtros',
  role: 'Dirección',
  anyRole: 'Cualquier dirección',
  kind: 'Tipo',
  anyKind: 'Cualquier tipo',
  roles: { postmaster: 'postmaster', abuse: 'abuse', fbl: 'fbl' },
  kinds: {
    complaint: 'Reporte de correo no deseado',
    report: 'Aviso de entrega',
    automatic: 'Respuesta automática',
    letter: 'Carta',
  },
  problems: {
    no_message:
      'No nombra ningún mensaje de esta instalación de los últimos 30 días. Léalo y suprima la dirección si nombra alguna.',
    not_authentic:
      'Otros pueden conocer lo que nombra y nada demuestra que lo envió el destinatario o un proveedor. Si conoce al remitente, suprima la dirección.',
    not_an_objection:
      'No reporta correo no deseado: dice que un mensaje no es spam o qué encontró una revisión.',
    sender_not_proven:
      'Llegó como reporte de DMARC o TLS y no se cuenta: ni DKIM ni SPF demuestran que es del dominio en su From.',
    not_a_report: 'Llegó a la dirección de los reportes de DMARC y TLS, y no trae ninguno que se pueda leer.',
    not_our_domain: 'Es un reporte de DMARC o TLS sobre un dominio que ninguna cuenta tiene.',
  },
  received: 'Recibido',
  from: 'De',
  says: 'Qué dice',
  actions: 'Acciones',
  toMessage: 'Mensaje',
  download: (subject: string) => `Descargar «${subject}»`,
  delete: (subject: string) => `Eliminar «${subject}»`,
  noSubject: 'sin asunto',
  deleteTitle: '¿Eliminar este correo?',
  deleteText: 'Después nadie podrá leerlo.',
  deleteAction: 'Eliminar correo',
  deleted: 'El correo se eliminó.',
  emptyTitle: 'Sin correo',
  empty: 'Aquí aparece el correo dirigido a postmaster, abuse o fbl de los servidores de correo.',
};

export const roleMailWords: Words<typeof english> = { en: english, es: spanish };

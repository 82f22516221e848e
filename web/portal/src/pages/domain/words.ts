import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Domain',
  rotate: 'Rotate DKIM keys',
  remove: 'Delete domain',
  senders: 'Senders of this domain',
  checkNow: 'Check now',
  recordsFound: (found: string, all: string) => `${found} of ${all} records found`,
  vouched: 'The operator vouched for this domain: it may send without a look-up of its records.',
  again: (seconds: string) => `looking again in ${seconds} s`,
  looking: 'looking…',
  lastCheck: 'last check',
  pending:
    'Publish these records where the DNS of the domain is managed. Mail can be sent as soon as the required one is found; the others help it arrive.',
  grace: (until: string) =>
    `A required record is no longer found. Unless it is back by ${until}, mail from this domain is refused.`,
  failing:
    'A required record has been missing for more than a day, so mail from this domain is refused. It is accepted again as soon as the record is found.',
  verified: 'This domain may send, and all its records are in place. They are checked daily.',
  verifiedSome:
    'This domain may send. The records that are still missing make its mail arrive more reliably.',
  records: 'DNS records',
  copyZone: 'Copy all as zone file',
  sendOn: 'Send to a colleague',
  zoneCopied: 'Zone file copied',
  mailSubject: (domain: string) => `DNS records for ${domain}`,
  mailText: (domain: string) =>
    `Please publish these DNS records for ${domain}. As a zone file, with names in full:`,
  names: 'Names of the records',
  namesHint: 'Most providers add the domain themselves; some want the whole name.',
  naming: (zone: string) => `Without ${zone}`,
  namingFull: 'In full',
  purposes: { ownership: 'Ownership', dkim: 'DKIM', return_path: 'Return path', dmarc: 'DMARC' },
  purposeTexts: {
    ownership: 'Proves that the domain is yours.',
    dkim: 'Receivers check the signature of your mail with this key.',
    return_path: 'Bounces come back here, and SPF passes for your own domain.',
    dmarc: 'Tells receivers what to do with mail that is not signed by you. Any policy will do.',
  },
  keys: {
    pending: 'New key: signs once its record is found',
    active: 'Signs at present',
    retired: 'Old key: keep its record for a week',
  },
  required: 'Required',
  advised: 'Advised',
  statuses: {
    unchecked: 'Not looked up yet',
    found: 'Found',
    missing: 'Not found',
    mismatch: 'Differs',
    error: 'No answer',
  },
  type: 'Type',
  name: 'Name',
  value: 'Value',
  nameOf: (purpose: string) => `name of ${purpose}`,
  valueOf: (purpose: string) => `value of ${purpose}`,
  compare: 'Expected and found',
  expected: 'Expected',
  found: 'Found',
  nothingFound: 'nothing',
  diagnoses: {
    missing: (doubled: string) =>
      `There is nothing under this name yet. New records take a few minutes to show; if it was published a while ago, check that the provider did not end its name in ${doubled}.`,
    unanswered: (detail: string) =>
      `The name servers did not answer (${detail}), so the record is unknown. It will be looked up again.`,
    quoted: 'Quotation marks were published as part of the value: remove them.',
    spaces: 'The value holds spaces or line breaks where there should be none: remove them.',
    cut: (chars: string) =>
      `Only its first ${chars} characters are there. Publish the rest as a second string of the same record.`,
    appended: 'The provider put the domain behind the target: end the value with a dot.',
    other_key: 'Another key is published under this name. Replace it by this value.',
    not_dmarc: 'The record there is not DMARC: it must begin with v=DMARC1.',
    differs: 'Another value is published under this name.',
  },
  rotateTitle: (name: string) => `Rotate the DKIM keys of ${name}?`,
  rotateText:
    'New keys are made, and their records appear on this page. The present keys sign until the new records are found; no mail goes out unsigned.',
  rotateKeep: 'Keep the old records for a week after that: mail on its way is still checked with them.',
  rotated: 'New keys were made: publish their records.',
  rotating: 'new keys are waiting for their records already.',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: 'Mail from this domain is refused from the next send on, and its DKIM keys are destroyed.',
  removeSenders: (count: string) => `Its senders are deleted too: ${count}.`,
  removeMany: (count: string) => `${count} or more`,
  removeType: (name: string) => `To confirm, type ${name}`,
  removeDiffers: 'This is not the name of the domain.',
  removed: (name: string) => `${name} was deleted.`,
};

const spanish: Translated<typeof english> = {
  title: 'Dominio',
  rotate: 'Renovar claves DKIM',
  remove: 'Eliminar dominio',
  senders: 'Remitentes de este dominio',
  checkNow: 'Revisar ahora',
  recordsFound: (found: string, all: string) => `${found} de ${all} registros encontrados`,
  vouched: 'El operador respondió por este dominio: puede enviar sin que se consulten sus registros.',
  again: (seconds: string) => `nueva revisión en ${seconds} s`,
  looking: 'revisando…',
  lastCheck: 'última revisión',
  pending:
    'Publique estos registros donde se administra el DNS del dominio. Se puede enviar en cuanto se encuentre el obligatorio; los demás ayudan a que el correo llegue.',
  grace: (until: string) =>
    `Ya no se encuentra un registro obligatorio. Si no vuelve antes del ${until}, se rechazará el correo de este dominio.`,
  failing:
    'Falta un registro obligatorio desde hace más de un día, por lo que se rechaza el correo de este dominio. Se aceptará de nuevo en cuanto se encuentre.',
  verified: 'Este dominio puede enviar y todos sus registros están en orden. Se revisan a diario.',
  verifiedSome:
    'Este dominio puede enviar. Los registros que aún faltan hacen que su correo llegue con mayor seguridad.',
  records: 'Registros DNS',
  copyZone: 'Copiar todo como archivo de zona',
  sendOn: 'Enviar a un colega',
  zoneCopied: 'Archivo de zona copiado',
  mailSubject: (domain: string) => `Registros DNS de ${domain}`,
  mailText: (domain: string) =>
    `Por favor publique estos registros DNS de ${domain}. Como archivo de zona, con nombres completos:`,
  names: 'Nombres de los registros',
  namesHint: 'La mayoría de los proveedores agrega el dominio; algunos piden el nombre completo.',
  naming: (zone: string) => `Sin ${zone}`,
  namingFull: 'Completos',
  purposes: { ownership: 'Propiedad', dkim: 'DKIM', return_path: 'Ruta de retorno', dmarc: 'DMARC' },
  purposeTexts: {
    ownership: 'Demuestra que el dominio es suyo.',
    dkim: 'Los receptores revisan con esta clave la firma de su correo.',
    return_path: 'Aquí regresan los rebotes, y SPF es válido para su propio dominio.',
    dmarc: 'Dice a los receptores qué hacer con correo que usted no firmó. Sirve cualquier política.',
  },
  keys: {
    pending: 'Clave nueva: firma en cuanto se encuentre su registro',
    active: 'Firma actualmente',
    retired: 'Clave anterior: conserve su registro una semana',
  },
  required: 'Obligatorio',
  advised: 'Recomendado',
  statuses: {
    unchecked: 'Aún sin revisar',
    found: 'Encontrado',
    missing: 'No encontrado',
    mismatch: 'Diferente',
    error: 'Sin respuesta',
  },
  type: 'Tipo',
  name: 'Nombre',
  value: 'Valor',
  nameOf: (purpose: string) => `nombre de ${purpose}`,
  valueOf: (purpose: string) => `valor de ${purpose}`,
  compare: 'Esperado y encontrado',
  expected: 'Esperado',
  found: 'Encontrado',
  nothingFound: 'nada',
  diagnoses: {
    missing: (doubled: string) =>
      `Aún no hay nada con este nombre. Un registro nuevo tarda unos minutos en verse; si se publicó hace tiempo, revise que el proveedor no haya terminado el nombre en ${doubled}.`,
    unanswered: (detail: string) =>
      `Los servidores de nombres no respondieron (${detail}), por lo que no se sabe si el registro existe. Se consultará de nuevo.`,
    quoted: 'Se publicaron comillas como parte del valor: quítelas.',
    spaces: 'El valor tiene espacios o saltos de línea que no van ahí: quítelos.',
    cut: (chars: string) =>
      `Solo están sus primeros ${chars} caracteres. Publique el resto como segunda cadena del mismo registro.`,
    appended: 'El proveedor agregó el dominio al destino: termine el valor con un punto.',
    other_key: 'Con este nombre está publicada otra clave. Sustitúyala por este valor.',
    not_dmarc: 'El registro que hay no es DMARC: debe comenzar con v=DMARC1.',
    differs: 'Con este nombre está publicado otro valor.',
  },
  rotateTitle: (name: string) => `¿Renovar las claves DKIM de ${name}?`,
  rotateText:
    'Se crean claves nuevas y sus registros aparecen en esta página. Las actuales firman hasta que se encuentren los registros nuevos; ningún correo sale sin firma.',
  rotateKeep:
    'Conserve los registros anteriores una semana más: con ellos se revisa aún el correo que va en camino.',
  rotated: 'Se crearon claves nuevas: publique sus registros.',
  rotating: 'ya hay claves nuevas que esperan sus registros.',
  removeTitle: (name: string) => `¿Eliminar ${name}?`,
  removeText:
    'El correo de este dominio se rechazará desde el próximo envío y sus claves DKIM se destruirán.',
  removeSenders: (count: string) => `También se eliminan sus remitentes: ${count}.`,
  removeMany: (count: string) => `${count} o más`,
  removeType: (name: string) => `Para confirmar, escriba ${name}`,
  removeDiffers: 'Este no es el nombre del dominio.',
  removed: (name: string) => `Se eliminó ${name}.`,
};

export const domainPageWords: Words<typeof english> = { en: english, es: spanish };

import type { Translated, Words } from '../../../../shared/words/words.ts';

const english = {
  title: 'Reports of receivers',
  hint: 'Who sends as this domain, as receivers reported it in the last 30 days (DMARC), and how TLS to its mail hosts went.',
  none: 'No report has come yet. Receivers send one a day once the DMARC record above names where to.',
  summary: (messages: string, aligned: string, reporters: string) =>
    `${messages} messages, ${aligned} of them pass DMARC, as ${reporters} saw them.`,
  safe: (policy: string): string =>
    policy === 'reject'
      ? 'Safe to move to p=reject: at most receivers, hardly any mail fails DMARC.'
      : 'Safe to move to p=quarantine: at most receivers, little mail fails DMARC.',
  advice: {
    too_little_mail:
      'Too little was reported to advise a stricter policy: wait until two receivers have reported 50 messages each, over 7 days.',
    unaligned_mail:
      'Stay at p=none: much mail fails DMARC. Look below for sources whose mail does not always pass, and sign the mail of those that are yours.',
    aligned: 'The mail of this domain passes DMARC.',
  },
  source: 'Source',
  signedHere: 'Signed here',
  messages: 'Messages',
  aligned: 'Pass',
  from: 'From',
  yes: 'yes',
  no: 'no',
  sources: 'Who sends as this domain',
  tls: (failed: string, all: string) => `${failed} of ${all} TLS sessions with its mail hosts failed.`,
  tlsRecord: (name: string) =>
    `For reports on TLS with the mail hosts of this domain, publish TXT at ${name}:`,
  host: 'Mail host',
  result: 'Result',
  sessions: 'Sessions',
  unnamed: 'not named',
  failures: 'Failures of TLS',
};

const spanish: Translated<typeof english> = {
  title: 'Reportes de los receptores',
  hint: 'Quién envía a nombre de este dominio, según lo reportaron los receptores en los últimos 30 días (DMARC), y cómo resultó TLS con sus servidores de correo.',
  none: 'Aún no llega ningún reporte. Los receptores envían uno al día en cuanto el registro DMARC de arriba indica a dónde.',
  summary: (messages: string, aligned: string, reporters: string) =>
    `${messages} mensajes, de los que ${aligned} pasa DMARC, según ${reporters}.`,
  safe: (policy: string): string =>
    policy === 'reject'
      ? 'Puede cambiar a p=reject sin riesgo: con la mayoría de los receptores, casi ningún correo falla DMARC.'
      : 'Puede cambiar a p=quarantine sin riesgo: con la mayoría de los receptores, poco correo falla DMARC.',
  advice: {
    too_little_mail:
      'Aún se ha reportado muy poco para recomendar una política más estricta: espere a que dos receptores reporten 50 mensajes cada uno, a lo largo de 7 días.',
    unaligned_mail:
      'Permanezca en p=none: mucho correo falla DMARC. Revise abajo los orígenes cuyo correo no siempre pasa y firme el de los que sean suyos.',
    aligned: 'El correo de este dominio pasa DMARC.',
  },
  source: 'Origen',
  signedHere: 'Firmado aquí',
  messages: 'Mensajes',
  aligned: 'Pasan',
  from: 'Remitente',
  yes: 'sí',
  no: 'no',
  sources: 'Quién envía a nombre de este dominio',
  tls: (failed: string, all: string) =>
    `Fallaron ${failed} de ${all} sesiones TLS con sus servidores de correo.`,
  tlsRecord: (name: string) =>
    `Para saber cómo resulta TLS con los servidores de correo de este dominio, publique TXT en ${name}:`,
  host: 'Servidor',
  result: 'Resultado',
  sessions: 'Sesiones',
  unnamed: 'sin nombre',
  failures: 'Fallas de TLS',
};

export const domainReportWords: Words<typeof english> = { en: english, es: spanish };

import { CHART_ID, chartImage, contractFile, invoiceFiles } from './attachments.ts';

/** Two weeks of a fictitious Mexican company's mail. Pure and deterministic. */

/** A vouched domain, an unpublished one, and one that lost its records. */
export const DOMAIN = 'grupoalameda.example';
export const OLD_DOMAIN = 'muebleriaalameda.example';
export const PENDING_DOMAIN = 'boletines.grupoalameda.example';

export const PEOPLE = [
  { name: 'Elena Márquez', email: `elena.marquez@${DOMAIN}`, role: 'owner' },
  { name: 'Hugo Serrano', email: `hugo.serrano@${DOMAIN}`, role: 'developer' },
  { name: 'Patricia Lira', email: `patricia.lira@${DOMAIN}`, role: 'viewer' },
] as const;

export const TEMPLATES = [
  {
    name: 'factura',
    subject: 'Factura {{ folio }} de Grupo Alameda',
    text: 'Hola {{ nombre }}:\n\nAdjuntamos su factura {{ folio }} por {{ total }} MXN.\nVence el {{ vence }}.\n\nGrupo Alameda\n',
    html: '<p>Hola {{ nombre }}:</p><p>Adjuntamos su factura <b>{{ folio }}</b> por <b>{{ total }} MXN</b>.</p><p>Vence el {{ vence }}.</p><p>Grupo Alameda</p>',
    variants: {
      en: {
        subject: 'Invoice {{ folio }} from Grupo Alameda',
        text: 'Hello {{ nombre }},\n\nplease find attached invoice {{ folio }} for MXN {{ total }}, due {{ vence }}.\n\nGrupo Alameda\n',
      },
    },
  },
  {
    name: 'aviso-de-pago',
    subject: 'Recordatorio: su factura {{ folio }} vence pronto',
    text: 'Hola {{ nombre }}:\n\nLe recordamos que la factura {{ folio }} por {{ total }} MXN vence el {{ vence }}.\n\nCobranza, Grupo Alameda\n',
  },
] as const;

/** Name, address, language. sandbox.test addresses behave by local part. */
const CUSTOMERS: readonly (readonly [name: string, address: string, locale?: string])[] = [
  ['Ana López', 'ana.lopez@abarroteslaluna.example'],
  ['Luis Ortega', 'luis.ortega@ferreteriaelclavo.example'],
  ['María Fernanda Ruiz', 'mfruiz@clinicasanrafael.example'],
  ['Jorge Castañeda', 'jorge@transportescastaneda.example'],
  ['Sofía Hernández', 'compras@hotelmirador.example'],
  ['Daniel Ibarra', 'greylisted+d.ibarra@sandbox.test'],
  ['Karen Whitfield', 'kwhitfield@northwind-imports.example', 'en'],
  ['Raúl Méndez', 'raul.mendez@imprentamendez.example'],
  ['Patricia Núñez', 'deferred+patricia@sandbox.test'],
  ['Óscar Villarreal', 'ovillarreal@aceros-regio.example'],
  ['Gabriela Soto', 'gsoto@despachosoto.example'],
  ['Tomás Aguilar', 'bounced+tomas.aguilar@sandbox.test'],
];
const LEAD = ['Mónica Trejo', 'async-bounced+monica.trejo@sandbox.test'] as const;
const ANGRY = ['Iván Prado', 'complained+ivan.prado@sandbox.test'] as const;
const BLOCKED = ['Redacción El Faro', 'blocked+redaccion@sandbox.test'] as const;

/**
 * How the recipients of contracts answer, the newest first; null: with nothing, until the time is over. The
 * newest waits over a weekend, and the time of the fifth is over on every day of the week.
 */
const ANSWERS = [null, 'acknowledges', 'replies', 'refuses', null, 'acknowledges'] as const;
const ANSWER_WITHIN_DAYS = 4;

interface StorySend {
  readonly key: string;
  readonly body: object;
  readonly cancel?: true;
}

interface Moment {
  readonly atMs: number;
  readonly sends: readonly StorySend[];
}

export interface StoryShare {
  readonly note: string;
  readonly days: number;
  readonly disclose: {
    readonly message: boolean;
    readonly parts: readonly number[];
    readonly delivery: boolean;
  };
  readonly opened: number;
  readonly revoked?: true;
}

const ALL = { message: true, parts: [], delivery: true };
const ONLY_MESSAGE = { ...ALL, delivery: false };
/** The contract is part 1; part 0 is the text. */
const ONLY_CONTRACT = { message: false, parts: [1], delivery: false };

const SHARES: readonly (StoryShare | undefined)[] = [
  undefined,
  { note: 'Notaría 12, licenciada Ávila', days: 3, disclose: ALL, opened: 2 },
  { note: 'Despacho Soto, revisión', days: 60, disclose: ONLY_CONTRACT, opened: 1 },
  undefined,
  { note: 'Enviado por error a otro proveedor', days: 30, disclose: ONLY_MESSAGE, opened: 1, revoked: true },
  { note: 'Juzgado Tercero de lo Mercantil', days: 180, disclose: ALL, opened: 4 },
];
/** Not opened yet. */
export const LAST_SHARE: StoryShare = {
  note: 'Contraparte: Hotel Mirador',
  days: 30,
  disclose: ONLY_MESSAGE,
  opened: 0,
};

export const shareAfter = (contracts: number): StoryShare | undefined => SHARES[contracts];

export const isContract = ({ key }: StorySend): boolean => key.startsWith(CONTRACT_KEY);
const CONTRACT_KEY = 'contrato-';

export const STORY_DAYS = 14;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** 9:05, 9:12, 12:40 and 17:20 in Mexico City. */
const WORKDAY_MINUTES = [15 * 60 + 5, 15 * 60 + 12, 18 * 60 + 40, 23 * 60 + 20] as const;
/** Index of the time with contracts and reminders. */
const CONTRACTS_AT = 2;
const WEEKEND_MINUTES = [17 * 60 + 30] as const;
/** Leaves time for retries. */
const LAST_BEFORE_MS = 10 * MINUTE_MS;

export function storyUntil(nowMs: number): Moment[] {
  const today = Math.floor(nowMs / DAY_MS);
  const times: { atMs: number; day: number; at: number }[] = [];
  for (let day = today - STORY_DAYS; day <= today; day++) {
    const weekday = new Date(day * DAY_MS).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    const minutes = isWeekend ? WEEKEND_MINUTES : WORKDAY_MINUTES;
    for (const [at, minute] of minutes.entries()) {
      const atMs = day * DAY_MS + minute * MINUTE_MS;
      if (atMs > nowMs - STORY_DAYS * DAY_MS && atMs < nowMs - LAST_BEFORE_MS)
        times.push({ atMs, day: day - today + STORY_DAYS, at: isWeekend ? 3 : at });
    }
  }
  const later = (atMs: number) => times.filter((each) => each.at === CONTRACTS_AT && each.atMs > atMs).length;
  return times.map(({ atMs, day, at }) => ({
    atMs,
    sends: sendsOf({ day, at, atMs, answer: ANSWERS[later(atMs) % ANSWERS.length]! }),
  }));
}

interface At {
  readonly day: number;
  readonly at: number;
  readonly atMs: number;
  readonly answer: (typeof ANSWERS)[number];
}

function sendsOf({ day, at, atMs, answer }: At): StorySend[] {
  const pick = (n: number) => CUSTOMERS[(day * 5 + n) % CUSTOMERS.length]!;
  switch (at) {
    case 0:
      return [0, 1, 2, 3, 4].map((n) => invoice(`A-${1_000 + day * 5 + n}`, pick(n), atMs));
    case CONTRACTS_AT:
      return [
        contract({ day, atMs, answer }, pick(1)),
        reminder(`A-${995 + day * 5}`, pick(0), atMs),
        ...oddOnes(day, atMs),
      ];
    case 3:
      return [notice(day), ...(day % 4 === 2 ? [called(day, pick(3), atMs)] : [])];
    default:
      return [];
  }
}

function invoice(
  folio: string,
  [nombre, address, locale]: (typeof CUSTOMERS)[number],
  atMs: number,
): StorySend {
  const total = `${((Number(folio.slice(2)) * 37) % 90) + 4},${String(((Number(folio.slice(2)) * 89) % 900) + 100)}.00`;
  return {
    key: `factura-${folio}`,
    body: {
      from: `Facturación Grupo Alameda <facturas@${DOMAIN}>`,
      to: `${nombre} <${address}>`,
      template: 'factura',
      variables: { nombre, folio, total, vence: dateOf(atMs + 15 * DAY_MS) },
      ...(locale !== undefined && { locale }),
      attachments: invoiceFiles({
        folio,
        customer: nombre,
        total: total.replace(',', ''),
        issuedMs: atMs,
      }),
      certified: true,
      tags: ['factura'],
      metadata: { folio },
    },
  };
}

function reminder(folio: string, [nombre, address]: (typeof CUSTOMERS)[number], atMs: number): StorySend {
  return {
    key: `aviso-${folio}`,
    body: {
      from: `Cobranza Grupo Alameda <cobranza@${DOMAIN}>`,
      to: `${nombre} <${address}>`,
      template: 'aviso-de-pago',
      variables: { nombre, folio, total: '12,480.00', vence: dateOf(atMs + 3 * DAY_MS) },
      certified: false,
      tags: ['cobranza'],
      metadata: { folio },
    },
  };
}

function contract(
  { day, atMs, answer }: Omit<At, 'at'>,
  [nombre, address]: (typeof CUSTOMERS)[number],
): StorySend {
  const number = `GA-${String(140 + day)}/2026`;
  const to = answer === null ? address : `${answer}+${address.replace('@', '.')}@sandbox.test`;
  return {
    key: CONTRACT_KEY + number,
    body: {
      from: `Jurídico Grupo Alameda <contratos@${DOMAIN}>`,
      to: `${nombre} <${to}>`,
      subject: `Contrato de servicios ${number} para firma`,
      text: `Estimada, estimado ${nombre}:\n\nLe compartimos el contrato ${number}. Con este correo certificado queda constancia de su envío.\n\nPor favor, confirme que lo recibió: {{acknowledgement_url}}\n\nDepartamento Jurídico\n`,
      attachments: [contractFile(number, nombre)],
      certified: true,
      acknowledgement: 'request',
      acknowledge_by: new Date(atMs + ANSWER_WITHIN_DAYS * DAY_MS).toISOString(),
      locale: 'es',
      tags: ['contrato'],
      metadata: { contrato: number },
    },
  };
}

/** A late bounce, a complaint and a block list, by weekday. */
function oddOnes(day: number, atMs: number): StorySend[] {
  const weekday = new Date(atMs).getUTCDay();
  const each = [
    { when: 2, who: LEAD, subject: 'Propuesta comercial Grupo Alameda' },
    { when: 3, who: ANGRY, subject: 'Promociones de la temporada' },
    { when: 4, who: BLOCKED, subject: 'Comunicado de prensa: nueva planta en Querétaro' },
  ];
  return each
    .filter(({ when }) => weekday === when)
    .map(({ who: [name, address], subject }) => ({
      key: `boletin-${day}-${address}`,
      body: {
        from: `Grupo Alameda <comunicacion@${DOMAIN}>`,
        to: `${name} <${address}>`,
        subject,
        html: `<h1>${subject}</h1><p>Grupo Alameda, Ciudad de México.</p>`,
        certified: false,
        tags: ['boletin'],
      },
    }));
}

function notice(day: number): StorySend {
  return {
    key: `corte-${day}`,
    body: {
      from: `Sistemas Grupo Alameda <avisos@${DOMAIN}>`,
      to: ['operaciones@abarroteslaluna.example', 'ti@hotelmirador.example'],
      subject: 'Corte de caja del día disponible',
      text: 'El corte de caja del día ya está disponible en el portal.\n',
      html: `<p>El corte de caja del día ya está disponible en el portal.</p><p><img src="cid:${CHART_ID}" alt="Ventas de la semana"></p>`,
      attachments: [chartImage(salesUntil(day))],
      certified: false,
      tags: ['aviso'],
    },
  };
}

const WEEK_DAYS = 7;
const salesUntil = (day: number): number[] =>
  Array.from({ length: WEEK_DAYS }, (_, n) => (((day + n) * 37) % 60) / 100 + 0.35);

/** Scheduled and cancelled. */
function called(day: number, [nombre, address]: (typeof CUSTOMERS)[number], atMs: number): StorySend {
  return {
    key: `visita-${day}`,
    cancel: true,
    body: {
      from: `Sistemas Grupo Alameda <avisos@${DOMAIN}>`,
      to: `${nombre} <${address}>`,
      subject: 'Visita técnica programada',
      text: 'Confirmamos la visita técnica de mañana a las 10:00.\n',
      send_at: new Date(atMs + 16 * 60 * MINUTE_MS).toISOString(),
      certified: true,
      tags: ['aviso'],
    },
  };
}

/** Pending at the end: a retry and a scheduled message. */
export function toCome(nowMs: number): StorySend[] {
  const scheduled = {
    from: `Sistemas Grupo Alameda <avisos@${DOMAIN}>`,
    to: 'Sofía Hernández <compras@hotelmirador.example>',
    subject: 'Mantenimiento programado del portal',
    text: 'El portal estará en mantenimiento mañana de 6:00 a 7:00.\n',
    send_at: new Date(nowMs + DAY_MS).toISOString(),
    certified: true,
    tags: ['aviso'],
  };
  return [
    reminder('A-1071', ['Patricia Núñez', 'deferred+patricia.nunez@sandbox.test'], nowMs),
    { key: 'mantenimiento-1', body: scheduled },
  ];
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

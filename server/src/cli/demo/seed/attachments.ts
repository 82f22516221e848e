import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { invoicePdf } from '../invoice.ts';

interface StoryAttachment {
  readonly filename: string;
  readonly content_type: string;
  readonly content: string;
  readonly content_id?: string;
}

interface StoryInvoice {
  readonly folio: string;
  readonly customer: string;
  readonly total: string;
  readonly issuedMs: number;
}

export function invoiceFiles(invoice: StoryInvoice): StoryAttachment[] {
  const { folio, customer, total } = invoice;
  return [
    {
      filename: `Factura ${folio} ${customer}.pdf`,
      content_type: 'application/pdf',
      content: invoicePdf(`Factura ${folio}, MXN ${total}, Grupo Alameda`).toString('base64'),
    },
    {
      filename: `${folio} ${customer}.xml`,
      content_type: 'application/xml',
      content: Buffer.from(cfdi(invoice)).toString('base64'),
    },
  ];
}

export function contractFile(number: string, customer: string): StoryAttachment {
  return {
    filename: `Contrato ${number.replace('/', '-')} – ${customer}.pdf`,
    content_type: 'application/pdf',
    content: invoicePdf(`Contrato de servicios ${number}, Grupo Alameda`).toString('base64'),
  };
}

/** The Content-ID in the HTML. */
export const CHART_ID = 'grafica';

export function chartImage(values: readonly number[]): StoryAttachment {
  return {
    filename: 'gráfica-de-ventas.png',
    content_type: 'image/png',
    content: barsPng(values).toString('base64'),
    content_id: CHART_ID,
  };
}

const IVA = 0.16;

/** CFDI 4.0 without the tax authority's seal: the company is fictitious. */
function cfdi({ folio, customer, total, issuedMs }: StoryInvoice): string {
  const net = (Number(total) / (1 + IVA)).toFixed(2);
  const tax = (Number(total) - Number(net)).toFixed(2);
  const issued = new Date(issuedMs).toISOString().slice(0, 19);
  const hex = createHash('sha256').update(folio).digest('hex');
  const [, a, b, c, d, e] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hex)!;
  return `<?xml version="1.0" encoding="UTF-8"?>
<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Serie="A" Folio="${folio.slice(2)}"
  Fecha="${issued}" Moneda="MXN" SubTotal="${net}" Total="${total}" TipoDeComprobante="I" Exportacion="01"
  LugarExpedicion="06600">
  <cfdi:Emisor Rfc="XAXX010101000" Nombre="GRUPO ALAMEDA" RegimenFiscal="601"/>
  <cfdi:Receptor Rfc="XAXX010101000" Nombre="${escapeXml(customer)}" DomicilioFiscalReceptor="06600"
    RegimenFiscalReceptor="616" UsoCFDI="S01"/>
  <cfdi:Conceptos>
    <cfdi:Concepto ClaveProdServ="56101500" Cantidad="1" ClaveUnidad="H87" Descripcion="Mobiliario de oficina"
      ValorUnitario="${net}" Importe="${net}" ObjetoImp="02"/>
  </cfdi:Conceptos>
  <cfdi:Impuestos TotalImpuestosTrasladados="${tax}"/>
  <cfdi:Complemento>
    <!-- ${[a, b, c, d, e].join('-')}: sin timbre, porque la empresa es ficticia -->
  </cfdi:Complemento>
</cfdi:Comprobante>
`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}

const [WIDTH, HEIGHT] = [420, 180];
const [PAPER, LINE, BAR] = [
  [255, 255, 255],
  [214, 219, 222],
  [15, 98, 104],
];
const MARGIN = 16;

function barsPng(values: readonly number[]): Buffer {
  const base = HEIGHT - MARGIN;
  const slot = WIDTH / values.length;
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      const top = base - values[Math.floor(x / slot)]! * (base - MARGIN);
      const within = x % slot > slot * 0.2 && x % slot < slot * 0.8;
      const colour = y === base ? LINE! : within && y >= top && y < base ? BAR! : PAPER!;
      rows.set(colour, y * (1 + WIDTH * 3) + 1 + x * 3);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(8 + named.length);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), 4 + named.length);
  return framed;
}

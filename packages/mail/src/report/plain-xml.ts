/**
 * As much XML as reports need, of senders that nobody knows: elements and text. A document type is refused,
 * so that no entity is ever defined; CDATA is text; attributes, comments and instructions are passed over.
 */

export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Elements of one document; ten thousand rows of a DMARC report have a quarter of a million. */
const MAX_ELEMENTS = 400_000;
const MAX_NESTING = 16;
/** Characters of one text. */
const MAX_TEXT_CHARS = 1_000;
const CDATA = '<![CDATA[';
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}/;

interface Open {
  readonly name: string;
  text: string;
  readonly children: XmlElement[];
}

/** Null: not well formed, or over a limit. */
export function parsePlainXml(xml: string): XmlElement | null {
  const root: Open = { name: '', text: '', children: [] };
  const open: Open[] = [root];
  let elements = 0;
  let at = 0;
  while (at < xml.length) {
    const mark = xml.indexOf('<', at);
    const here = open.at(-1)!;
    const text = xml.slice(at, mark === -1 ? xml.length : mark);
    if (here.text.length < MAX_TEXT_CHARS) here.text += text.slice(0, MAX_TEXT_CHARS);
    if (mark === -1) break;
    if (xml.startsWith(CDATA, mark)) {
      const end = xml.indexOf(']]>', mark);
      if (end === -1) return null;
      const verbatim = xml.slice(mark + CDATA.length, Math.min(end, mark + CDATA.length + MAX_TEXT_CHARS));
      if (here.text.length < MAX_TEXT_CHARS) here.text += verbatim.replaceAll('&', '&amp;');
      at = end + 3;
      continue;
    }
    const passed = passedOver(xml, mark);
    if (passed !== null) {
      if (passed === -1) return null;
      at = passed;
      continue;
    }
    const end = xml.indexOf('>', mark);
    if (end === -1) return null;
    at = end + 1;
    const closing = xml[mark + 1] === '/';
    const name = NAME.exec(xml.slice(mark + (closing ? 2 : 1), mark + 110))?.[0];
    if (name === undefined) return null;
    if (closing) {
      if (open.length === 1 || here.name !== name) return null;
      open.pop();
      open.at(-1)!.children.push(closed(here));
      continue;
    }
    elements += 1;
    const opened: Open = { name, text: '', children: [] };
    if (xml[end - 1] === '/') here.children.push(closed(opened));
    else open.push(opened);
    if (elements > MAX_ELEMENTS || open.length > MAX_NESTING) return null;
  }
  return open.length === 1 && root.children.length === 1 ? root.children[0]! : null;
}

/** End of markup that is not an element; -1: forbidden here; null: it is an element. */
function passedOver(xml: string, mark: number): number | null {
  const after = (end: string) => {
    const found = xml.indexOf(end, mark);
    return found === -1 ? -1 : found + end.length;
  };
  if (xml.startsWith('<?', mark)) return after('?>');
  if (xml.startsWith('<!--', mark)) return after('-->');
  return xml.startsWith('<!', mark) ? -1 : null;
}

function closed({ name, text, children }: Open): XmlElement {
  return { name: name.slice(name.lastIndexOf(':') + 1), text: decoded(text.trim()), children };
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the five entities of XML itself; any other stays as written. */
function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => PREDEFINED[name]!);
}

export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

export function textOf(element: XmlElement | undefined, ...path: readonly string[]): string {
  const found = path.reduce<XmlElement | undefined>((one, name) => childOf(one, name), element);
  return found?.text ?? '';
}

/** The window's title: the thing that is shown, the kind of page, and the product. */
let thing = '';
let kind = '';

const THING_MAX_CHARS = 80;

/** The title of every page of this kind. */
export function titlePage(name: string): void {
  kind = name;
  write();
}

/** The subject of this page; empty while nothing is known. Line breaks and lengths of others are cut. */
export function titleThing(name: string): void {
  const text = name.replace(/\s+/g, ' ').trim();
  thing = text.length > THING_MAX_CHARS ? `${text.slice(0, THING_MAX_CHARS).trimEnd()}…` : text;
  write();
}

function write(): void {
  const parts = [thing === kind ? '' : thing, kind, 'Acuse'].filter((part) => part !== '');
  document.title = parts.join(' · ');
}

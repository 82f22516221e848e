/** JSON parsers disagree about repeated keys, so that evidence has none. */

/**
 * The first key, as its text reads, that stands twice in one object. `text`: JSON, already parsed once.
 * Linear.
 */
export function repeatedKey(text: string): string | undefined {
  /** The keys of each open object, undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '{' || sign === '[') {
      open.push(sign === '{' ? new Set() : undefined);
      expectsKey = sign === '{';
    } else if (sign === '}' || sign === ']') {
      open.pop();
      expectsKey = false;
    } else if (sign === ',') expectsKey = open.at(-1) !== undefined;
    else if (sign === '"') {
      const end = closingQuote(text, at);
      const keys = open.at(-1);
      if (expectsKey && keys !== undefined) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (keys.has(key)) return JSON.stringify(key.slice(0, 80));
        keys.add(key);
        expectsKey = false;
      }
      at = end;
    }
  }
  return undefined;
}

function closingQuote(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

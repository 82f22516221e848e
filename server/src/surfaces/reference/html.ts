declare const htmlBrand: unique symbol;

/** Made only by `html` and `raw`; everything else is escaped. */
export interface Html {
  readonly [htmlBrand]: true;
  readonly text: string;
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return raw(strings.reduce((text, string, at) => text + written(parts[at - 1]) + string));
}

export function raw(text: string): Html {
  return { text } as Html;
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(written).join('');
  return typeof part === 'object' ? (part as Html).text : escapeHtml(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

/** Paragraphs, **strong**, `code`. */
export function prose(text: string): Html {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => raw(`<p>${inline(paragraph).text}</p>`));
  return raw(paragraphs.map((each) => each.text).join('\n'));
}

export function inline(text: string): Html {
  return raw(
    escapeHtml(text)
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>'),
  );
}

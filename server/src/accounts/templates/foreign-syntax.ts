export interface Foreign {
  readonly hint: string;
  readonly line: number;
  readonly column: number;
}

const SHOWN_CHARS = 40;
const VERBATIM = ['raw', 'comment'];

export function findForeign(source: string): Foreign | null {
  for (let at = source.indexOf('{'); at !== -1; at = source.indexOf('{', at + 1)) {
    if (source[at + 1] === '%') {
      at = endOfVerbatim(source, at);
      continue;
    }
    if (source[at + 1] !== '{') continue;
    const close = source.indexOf('}}', at + 2);
    if (close === -1) return null;
    const instead = inLiquid(source.slice(at + 2, close).trim());
    if (instead !== null) return foreignAt(source, at, close + 2, instead);
    at = close + 1;
  }
  return null;
}

function endOfVerbatim(source: string, at: number): number {
  const close = source.indexOf('%}', at + 2);
  if (close === -1) return source.length;
  const name = source
    .slice(at + 2, close)
    .replaceAll('-', ' ')
    .trim();
  if (!VERBATIM.includes(name)) return close;
  const end = source.indexOf(`end${name}`, close);
  return end === -1 ? source.length : end;
}

function foreignAt(source: string, from: number, end: number, instead: string): Foreign {
  const written = source.slice(from, source[end] === '}' ? end + 1 : end);
  const shown = written.length > SHOWN_CHARS ? `${written.slice(0, SHOWN_CHARS)}…` : written;
  const before = source.slice(0, from).split('\n');
  return {
    hint: `${shown} is Mustache or Handlebars, and templates are Liquid: ${instead}`,
    line: before.length,
    column: before.at(-1)!.length + 1,
  };
}

/** Liquid's form of each block; `x`: its argument. */
const BLOCKS: Readonly<Record<string, { begin(x: string): string; end: string }>> = {
  if: { begin: (x) => `{% if ${x} %} … {% endif %}`, end: '{% endif %}' },
  unless: { begin: (x) => `{% unless ${x} %} … {% endunless %}`, end: '{% endunless %}' },
  each: {
    begin: (x) => `{% for item in ${x} %} … {{ item.name }} … {% endfor %}`,
    end: '{% endfor %}',
  },
  with: { begin: (x) => `leave it out and write the whole path: {{ ${x}.name }}`, end: 'nothing' },
};

function inLiquid(inside: string): string | null {
  const sign = inside[0] ?? '';
  const rest = inside.slice(1).trim();
  const [word = '', ...others] = rest.split(/\s+/);
  const about = others.join(' ') || 'x';
  switch (sign) {
    case '#': {
      const block = BLOCKS[word];
      if (block !== undefined) return `write ${block.begin(about)}`;
      return `write {% if ${rest} %} … {% endif %}, or {% for item in ${rest} %} … {% endfor %} for a list`;
    }
    case '^':
      return rest === '' ? 'write {% else %}' : `write {% unless ${rest} %} … {% endunless %}`;
    case '/':
      return `write ${BLOCKS[word]?.end ?? '{% endif %}, {% endunless %} or {% endfor %}'}`;
    case '>':
      return 'partials are not supported: put the text here';
    case '{':
    case '&':
      return `write {{ ${rest} | raw }} for a value that is not escaped`;
    case '!':
      return 'write {% comment %} … {% endcomment %}';
    case '@':
      return `write ${LOOP[inside] ?? '{{ forloop.index0 }}, {{ forloop.first }} or {{ forloop.last }}'}`;
    default:
      return elseOf(inside);
  }
}

const LOOP: Readonly<Record<string, string>> = {
  '@index': '{{ forloop.index0 }}',
  '@first': '{{ forloop.first }}',
  '@last': '{{ forloop.last }}',
};

function elseOf(inside: string): string | null {
  if (inside === 'else') return 'write {% else %}';
  if (inside.startsWith('else if ')) return `write {% elsif ${inside.slice('else if '.length)} %}`;
  return null;
}

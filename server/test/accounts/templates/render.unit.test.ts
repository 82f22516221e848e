import { leastCost } from '@acuse/testkit/processor-cost';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../../src/accounts/templates/liquid.ts';
import {
  compileTemplate,
  countVariables,
  isOrdinarySource,
  TEMPLATE_RENDERED_MAX_BYTES,
  TEMPLATE_TAGS_MAX,
  TemplateError,
} from '../../../src/accounts/templates/render.ts';

function render(part: 'subject' | 'text' | 'html', source: string, variables: Record<string, unknown> = {}) {
  const template = { subject: 's', text: null, html: null, [part]: source };
  return compileTemplate(template).render(variables)[part];
}

function problem(part: 'subject' | 'text' | 'html', source: string, variables: Record<string, unknown> = {}) {
  try {
    render(part, source, variables);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    expect((error as TemplateError).part).toBe(part);
    return (error as TemplateError).message;
  }
  throw new Error('it rendered');
}

describe('variables', () => {
  test('are put in, through objects, arrays, conditions, loops and the standard filters', () => {
    const variables = {
      name: 'Ana',
      items: [
        { n: 'a', p: 2 },
        { n: 'b', p: 1 },
      ],
      total: 3.5,
      none: null,
    };
    expect(render('text', 'Hello {{ name }}: {{ total }}', variables)).toBe('Hello Ana: 3.5');
    expect(render('text', '{% for i in items %}{{ forloop.index }}{{ i.n }} {% endfor %}', variables)).toBe(
      '1a 2b ',
    );
    expect(render('text', '{% if total > 3 %}much{% else %}little{% endif %}', variables)).toBe('much');
    expect(render('text', '{{ items | map: "n" | join: ", " }}', variables)).toBe('a, b');
    expect(render('text', '{{ items | sort: "p" | first | map: "n" }}', variables)).toBe('b');
    expect(render('text', '{{ name | upcase | append: "!" }}{{ none }}', variables)).toBe('ANA!');
    expect(render('text', '{{ none | default: "nobody" }}', variables)).toBe('nobody');
    expect(render('text', '{{ "2026-01-02" | date: "%d/%m/%Y" }}')).toBe('02/01/2026');
    expect(render('text', '{{ items }}', { items: ['a', 'b'] })).toBe('ab');
    expect(render('text', '{% assign x = name | split: "" | reverse | join %}{{ x }}', variables)).toBe(
      'a n A',
    );
    expect(render('text', '{% raw %}{{ name }}{% endraw %}', variables)).toBe('{{ name }}');
  });

  test('that are not given are an error that names them and their place', () => {
    expect(problem('text', 'a\nb {{ missing }}')).toBe('text: undefined variable: missing, line:2, col:6');
    expect(problem('html', '{{ user.name }}', { user: {} })).toBe(
      'html: undefined variable: user.name, line:1, col:4',
    );
    expect(problem('subject', '{% if a.b %}{% endif %}', { a: {} })).toMatch(/undefined variable: a\.b/);
    expect(problem('text', '{% for i in list %}{% endfor %}')).toMatch(/undefined variable: list/);
  });

  test('that are misspelt are answered with what was meant, or with what there is', () => {
    const variables = { number: 7, total: '3', customer: { name: 'Ana', tax_id: 'X' } };
    const said = (path: string) => problem('text', `{{ ${path} }}`, variables);
    expect(said('numbr')).toBe('text: undefined variable: numbr, line:1, col:4: did you mean number?');
    expect(said('date')).toBe(
      'text: undefined variable: date, line:1, col:4; variables has number, total, customer',
    );
    expect(said('customer.nme')).toMatch(/: did you mean customer\.name\?$/);
    expect(said('customer.address.street')).toMatch(/; variables\.customer has name, tax_id$/);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`v${'x'.repeat(at)}`, 1]));
    expect(problem('text', '{{ other }}', many)).toMatch(/; variables has v, vx, .* and 42 more$/);
    expect(problem('text', '{{ other }}', { 'a\nb': 1 })).toMatch(/; variables has a b$/);
  });

  test('that are objects are not text', () => {
    expect(problem('text', 'x {{ user }}', { user: { name: 'a' } })).toMatch(/object.*line:1, col:3/);
    expect(problem('html', '{{ list }}', { list: [{ a: 1 }] })).toMatch(/object/);
  });

  test.each([
    'constructor',
    '__proto__',
    'prototype',
    'toString',
    'hasOwnProperty',
    'a.constructor',
    'a.__proto__.x',
    'a["constructor"]["constructor"]',
    'list.map',
    'name.constructor',
  ])('%s is nothing that a template can reach', (path) => {
    const variables = { a: {}, list: [1], name: 'Ana' };
    expect(problem('text', `{{ ${path} }}`, variables)).toMatch(/undefined variable/);
  });

  test('are counted through all levels', () => {
    expect(countVariables({ a: 1, b: { c: [1, 2, 3] } }, 200)).toBe(6);
    expect(countVariables({ a: Array(1_000_000).fill(0) }, 200)).toBeGreaterThan(200);
    expect(countVariables(null, 200)).toBe(0);
  });
});

describe('what is not Liquid', () => {
  test.each([
    ['{{ name', /not closed|does not end/],
    ['{% if a %}', /not closed/],
    ['{% endif %}', /endif/],
    ['{% nonsense %}', /nonsense/],
    ['{{ a | nonsense }}', /undefined filter: nonsense, line:1/],
    ['{% include "a" %}', /include/],
    ['{% render "a" %}', /render/],
    ['{% layout "a" %}', /layout/],
    ['{% block a %}{% endblock %}', /block/],
    ['{{ a | where_exp: "i", "i" }}', /undefined filter: where_exp/],
    ['{{ a | push: a }}', /undefined filter: push/],
    ['{{ a | group_by: "a" }}', /undefined filter: group_by/],
  ])('%s is refused when it is parsed', (source, message) => {
    expect(() => compileTemplate({ subject: '', text: source, html: null })).toThrow(message);
  });
});

describe('html', () => {
  test('escapes what variables bring, never what the template says', () => {
    const name = `<script>alert("x")</script> & 'y'`;
    expect(render('html', '<b>{{ name }}</b>', { name })).toBe(
      '<b>&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;y&#39;</b>',
    );
    expect(render('html', '<a title="{{ x }}">', { x: '" onclick="y' })).toBe(
      '<a title="&#34; onclick=&#34;y">',
    );
    expect(render('html', '{% echo name %}', { name: '<' })).toBe('&lt;');
    expect(render('html', '{% cycle name %}', { name: '<' })).toBe('&lt;');
    expect(render('html', '{{ list }}', { list: ['<', ['>']] })).toBe('&lt;&gt;');
    expect(render('html', '{{ name | json }}', { name: '</script>' })).not.toContain('<');
  });

  test('leaves it to the template to vouch for a value, and text as it is', () => {
    expect(render('html', '{{ x | raw }}', { x: '<b>' })).toBe('<b>');
    expect(render('text', '{{ x }}', { x: '<b> & "c"' })).toBe('<b> & "c"');
    expect(render('subject', '{{ x }}', { x: '<b> & "c"' })).toBe('<b> & "c"');
  });
});

describe('a subject', () => {
  test.each([
    ['a\r\nBcc: victim@example.com', 'a Bcc: victim@example.com'],
    ['a\nb', 'a b'],
    ['a\rb', 'a b'],
    ['a\u2028b\u2029c', 'a b c'],
    ['a\0b\u0085c\u001b[0m', 'a b c [0m'],
    ['\r\n\r\n', ''],
  ])('never carries a line break or control of a value (%j)', (value, expected) => {
    expect(render('subject', '{{ x }}', { x: value })).toBe(expected);
  });

  test('nor one of the template itself', () => {
    expect(render('subject', 'a\r\n{% if true %}\r\nb{% endif %}\r\n')).toBe('a b');
  });
});

/** Templates that cost more than they look: each must end in a TemplateError, and soon. */
const text = (chars: number) => 'a'.repeat(chars);
const BOMBS: [string, string, Record<string, unknown>?][] = [
  ['a long range', '{% for i in (1..100000000) %}x{% endfor %}'],
  [
    'loops in loops',
    '{% for i in (1..1000) %}{% for j in (1..1000) %}{% for k in (1..1000) %}x{% endfor %}{% endfor %}{% endfor %}',
  ],
  ['empty loops', '{% for i in (1..30000) %}{% for j in (1..30000) %}{% endfor %}{% endfor %}'],
  ['loops of plain text', `{% for i in (1..100000) %}${text(1_000)}{% endfor %}`],
  ['a table', '{% tablerow i in (1..4000000) cols:1 %}x{% endtablerow %}'],
  ['doubling a text', `{% assign a = "aaaaaaaaaa" %}${'{% assign a = a | append: a %}'.repeat(40)}`],
  [
    'doubling by capture',
    `{% capture a %}aaaaaaaaaa{% endcapture %}${'{% capture a %}{{a}}{{a}}{% endcapture %}'.repeat(40)}`,
  ],
  ['doubling a list', `{% assign a = "a,b" | split: "," %}${'{% assign a = a | concat: a %}'.repeat(40)}`],
  ['a text in a text', '{{ x | replace: "a", x }}', { x: text(100_000) }],
  [
    'growing by loop',
    '{% assign a = "" %}{% for i in (1..1000000) %}{% assign a = a | append: "aaaaaaaaaa" %}{% endfor %}{{ a }}',
  ],
  ['outputs of a large value', '{% for i in (1..100000) %}{{ x }}{% endfor %}', { x: text(100_000) }],
  [
    'comparing large values',
    '{% for i in (1..100000) %}{% if x == y %}{% endif %}{% endfor %}',
    { x: `${text(1_000_000)}b`, y: `${text(1_000_000)}c` },
  ],
  [
    'searching for what is nearly there',
    '{% if x contains y %}{% endif %}',
    { x: text(120_000), y: `${text(60_000)}b${text(60_000)}` },
  ],
  [
    'cutting at what is nearly there',
    '{{ x | split: y | size }}',
    { x: text(120_000), y: `${text(500)}b${text(500)}` },
  ],
  [
    'removing the last',
    '{% for i in (1..1000000) %}{{ x | remove_last: y }}{% endfor %}',
    { x: text(120_000), y: `${text(120)}b` },
  ],
  [
    'sorting',
    '{% for i in (1..1000000) %}{{ x | split: "," | sort | size }}{% endfor %}',
    { x: Array.from({ length: 4_900 }, (_, at) => (at * 7919) % 4_900).join(',') },
  ],
  ['a chain of filters', `{{ x${' | upcase | downcase'.repeat(200)} }}`, { x: text(120_000) }],
  [
    'chains of filters',
    `{{ x${' | escape_once | truncatewords: 99999'.repeat(90)} }}`.repeat(20),
    { x: 'a &amp; '.repeat(15_000) },
  ],
  ['a wide date', '{{ "now" | date: "%999999999d" }}'],
  ['a long date', '{{ "now" | date: f }}', { f: '%Y'.repeat(100_000) }],
  ['escaping a large value', '{{ x }}{{ x }}{{ x }}{{ x }}{{ x }}', { x: '<'.repeat(520_000) }],
  ['a result over the limit', '{{ x }}{{ x }}{{ x }}{{ x }}{{ x }}', { x: text(500_000) }],
  ['too many tags', '{{ a }}'.repeat(TEMPLATE_TAGS_MAX + 1), { a: 'x' }],
  ['deep tags', '{% if true %}'.repeat(40_000)],
  ['a long tag', `{% if a${' or a'.repeat(100_000)} %}x{% endif %}`, { a: false }],
  ['braces without end', '{{'.repeat(250_000)],
  ['tags without end', '{%'.repeat(250_000)],
  ['comments in comments', '{% comment %}'.repeat(40_000)],
];

/**
 * A text of 10 × 2^n characters that nothing has read yet: to double it costs nothing until something does.
 */
const doubled = (times: number) =>
  `{% capture a %}aaaaaaaaaa{% endcapture %}${'{% capture a %}{{a}}{{a}}{% endcapture %}'.repeat(times)}`;
const loop = (body: string) => `{% for i in (1..100000) %}${body}{% endfor %}`;
const manyTexts = Array<string>(150).fill(text(200_000));
/** Templates that make more than they seem to, or give back what they cost: each must be refused. */
const GROWTHS: [string, string, Record<string, unknown>?][] = [
  ['a doubled text in a case', `${doubled(24)}{% case a %}{% when "b" %}{% endcase %}`],
  ['a doubled text compared', `${doubled(24)}{% if a == "b" %}{% endif %}`],
  ['a doubled text in a cycle', `${doubled(24)}{% cycle a: "x", "y" %}`],
  ['a doubled text written', `${doubled(24)}{{ a }}`],
  ['a doubled text as a key', `${doubled(24)}{{ o[a] }}`, { o: {} }],
  ['a doubled text that nothing reads', doubled(24)],
  [
    'doubling by assign and append',
    `{% assign a = x %}${'{% assign a = a | append: a %}'.repeat(30)}`,
    { x: 'a' },
  ],
  ['doubling by prepend', `{% assign a = x %}${'{% assign a = a | prepend: a %}'.repeat(30)}`, { x: 'a' }],
  ['doubling in a table', `${doubled(16)}{% tablerow i in (1..1000) %}{{ a }}{% endtablerow %}`],
  ['doubling by echo', `${doubled(16)}${loop('{% echo a %}')}`],
  ['doubling in a liquid tag', `${doubled(16)}${loop('{% liquid echo a %}')}`],
  ['plain text in a loop', loop(text(1_000))],
  ['a capture of a loop', `{% capture a %}${loop(text(1_000))}{% endcapture %}`],
  ['counting up', loop('{% increment n %}{% increment n %}{% increment n %}{% increment n %}')],
  ['counting down', loop('{% decrement n %}{% decrement n %}{% decrement n %}{% decrement n %}')],
  [
    'large values in a case',
    loop('{% case x %}{% when y %}{% endcase %}'),
    { x: text(8_000_000), y: text(8_000_000) },
  ],
  ['large values in a cycle', loop('{% cycle x: "a" %}'), { x: text(8_000_000) }],
  ['a list of texts written raw', '{{ l | raw }}', { l: manyTexts }],
  ['a list of texts appended', '{% assign a = l | append: "" %}', { l: manyTexts }],
  ['a list of texts prepended', '{% assign a = l | prepend: "" %}', { l: manyTexts }],
  [
    'a range downwards',
    `${'{% for i in (5..-500000) %}{% endfor %}{% assign a = x | split: "" %}'.repeat(30)}`,
    { x: text(100_000) },
  ],
  ['cutting at a list', '{{ x | split: l | size }}', { x: text(1_000), l: [text(500), 'b'] }],
  ['searching for a list', '{% if x contains l %}{% endif %}', { x: text(1_000), l: [text(500)] }],
  ['a wide field of a date', '{{ "now" | date: "%1000000d" }}'],
  ['wide fractions of a second', '{{ "now" | date: "%400000N%400000N" }}'],
  ['dates in words', loop(`{{ "now" | date: "${'%c'.repeat(64)}" }}`)],
  ['dates in a time zone', loop('{{ "now" | date: "%Z", "America/Mexico_City" }}')],
  ['a wide separator', '{{ x | split: "" | join: s }}', { x: text(4_000), s: text(100_000) }],
  ['between all characters', '{{ x | replace: "", x }}', { x: text(100_000) }],
  ['many lines of one liquid tag', `{% liquid\n${'echo a\n'.repeat(580)}%}`.repeat(4), { a: '' }],
];

describe('what a rendering makes', () => {
  test.each(GROWTHS)('is bounded in all: %s', (_name, source, variables = {}) => {
    const template = { subject: 's', text: source, html: null };
    expect(() => compileTemplate(template).render(variables)).toThrow(TemplateError);
  });

  test.each(GROWTHS)('is bounded far lower here than in a thread: %s', (_name, source, variables = {}) => {
    const template = { subject: 's', text: source, html: null };
    try {
      expect(compileTemplate(template).renderOrdinary(variables)).toBeNull();
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
    }
  });

  const { filters, tags } = createEngine((given) => given);
  const list = Array.from({ length: 4_900 }, (_, at) => ({ a: `${(at * 7919) % 4_900}` }));

  test.each(Object.keys(filters))('the filter %s is counted', (name) => {
    const args = name === 'date' ? '"%c"' : /^(ap|pre)pend$/.test(name) ? '"a"' : '"a", "b"';
    for (const value of ['x', 'y', 'z', 'n']) {
      const source = loop(`{% assign a = ${value} | ${name}: ${args} %}`);
      const variables = { x: 'a b&amp;<'.repeat(13_000), y: list, z: 'YWFh'.repeat(30_000), n: 7 };
      const { render: inThread, renderOrdinary } = compileTemplate({ subject: '', text: source, html: null });
      expect(() => inThread(variables)).toThrow(TemplateError);
      const own = { [value]: variables[value as 'x'] };
      try {
        expect(renderOrdinary(own)).toBeNull();
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    }
  });

  const USES: Record<string, string> = {
    assign: '{% assign a = x %}',
    for: '{% for j in (1..9) %}{{ j }}{% endfor %}',
    capture: '{% capture a %}{{ x }}{% endcapture %}',
    case: '{% case x %}{% when x %}{% endcase %}',
    comment: '{% comment %}x{% endcomment %}',
    decrement: '{% decrement d %}',
    increment: '{% increment d %}',
    cycle: '{% cycle x: "a", x %}',
    if: '{% if x == x %}{% endif %}',
    raw: '{% raw %}{{ x }}{% endraw %}',
    tablerow: '{% tablerow j in (1..9) %}{{ j }}{% endtablerow %}',
    unless: '{% unless x == x %}{% endunless %}',
    break: '{% for j in (1..9) %}{% break %}{% endfor %}',
    continue: '{% for j in (1..9) %}{% continue %}{% endfor %}',
    echo: '{% echo x %}',
    liquid: '{% liquid echo x %}',
    '#': '{% # x %}',
  };
  test.each(Object.keys(tags))('the tag %s is counted', (name) => {
    const source = `{% for h in (1..30000) %}${loop(USES[name]!)}{% endfor %}`;
    const { render: inThread, renderOrdinary } = compileTemplate({ subject: '', text: source, html: null });
    expect(() => inThread({ x: text(1_000) })).toThrow(/rendering takes too|rendering produces too/);
    expect(renderOrdinary({ x: text(1_000) })).toBeNull();
  });
});

describe('what is parsed and rendered here', () => {
  const ordinary = (source: string) => isOrdinarySource({ subject: '', text: null, html: source });

  test('is what most templates are', () => {
    const row = '<tr><td>{{ row.name | upcase }}</td><td>{{ row.price }}</td></tr>\n';
    const source = `${'<p style="margin: 0">'.repeat(1_000)}{% for row in rows %}${row.repeat(10)}{% endfor %}`;
    expect(ordinary(source)).toBe(true);
    const compiled = compileTemplate({ subject: 'Hello {{ name }}', text: 'x', html: source });
    const rows = Array.from({ length: 12 }, (_, at) => ({ name: `Item ${at}`, price: at }));
    expect(compiled.renderOrdinary({ rows, name: 'Ana' })).toEqual(compiled.render({ rows, name: 'Ana' }));
  });

  test.each([
    ['a large source', text(200_000)],
    ['many tags', '{{ a }}'.repeat(300)],
    ['many lines of one tag', `{% liquid\n${'echo\n'.repeat(40)}%}`.repeat(10)],
    ['a long tag', `{{ a${' | upcase'.repeat(50)} }}`],
    ['a tag that does not end', `{{ a ${text(300)}`],
  ])('is not %s', (_name, source) => {
    expect(ordinary(source)).toBe(false);
  });

  test('leaves no trace in the variables, so that a thread can begin again', () => {
    const variables = { n: 5 };
    const source = `{% increment n %}${loop('{{ n }}')}`;
    expect(compileTemplate({ subject: '', text: source, html: null }).renderOrdinary(variables)).toBeNull();
    expect(variables).toEqual({ n: 5 });
  });
});

/** The most that a bomb may cost before it ends, in plain readings of 25 MiB (of some 50 ms). */
const BOMB_COST_MAX = 2;

describe('bombs', () => {
  test.each(BOMBS)('%s: an error, soon', (_name, source, variables = {}) => {
    for (const part of ['text', 'html'] as const) {
      const cost = leastCost(BOMB_COST_MAX, () => {
        try {
          const rendered = render(part, source, variables) ?? '';
          expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(TEMPLATE_RENDERED_MAX_BYTES);
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
        }
      });
      expect(cost).toBeLessThan(BOMB_COST_MAX);
    }
  });

  test.each(BOMBS.filter(([name]) => !/nearly there|escaping|removing|sorting/.test(name)))(
    '%s: no result',
    (_name, source, variables = {}) => {
      problem('text', source, variables);
    },
  );

  test('three parts together have the time of one', () => {
    const loop = '{% for i in (1..30000) %}{% for j in (1..30000) %}{% endfor %}{% endfor %}';
    const compiled = compileTemplate({ subject: 'x', text: 'y', html: loop });
    const cost = leastCost(BOMB_COST_MAX, () => expect(() => compiled.render({})).toThrow(/takes too long/));
    expect(cost).toBeLessThan(BOMB_COST_MAX);
  });

  test('an ordinary template is never short of time, whatever else the machine does', () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ name: `Item ${at}`, price: at }));
    const source =
      '<table>{% for row in rows %}<tr><td>{{ row.name }}</td><td>{{ row.price }}</td></tr>{% endfor %}</table>';
    const compiled = compileTemplate({ subject: 'x', text: null, html: source });
    const now = performance.now;
    // Each look at the clock finds it a second later.
    let ms = 0;
    performance.now = () => (ms += 1_000);
    try {
      expect(compiled.render({ rows }).html).toContain('Item 59');
    } finally {
      performance.now = now;
    }
  });
});

/**
 * Reads Prometheus' text format (version 0.0.4) strictly, as promtool does: throws for what a scraper would
 * refuse or misread.
 */
export interface Exposition {
  /** One value; throws when there is none, or more than one, with these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** Sum of all values whose labels include these; 0 when there is none. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  readonly samples: readonly Sample[];
  readonly types: ReadonlyMap<string, string>;
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A value is whatever Go's ParseFloat takes, which does not look at the case of NaN. */
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const SUFFIXES: Record<string, readonly string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const helps = new Set<string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  let family = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const head = HEAD.exec(line);
    if (head !== null) {
      const [, kind, name, rest] = head as unknown as [string, string, string, string];
      family = name;
      const known = kind === 'HELP' ? helps.has(name) : types.has(name);
      if (known) throw new Error(`a second ${kind} of ${name}`);
      if (kind === 'HELP') helps.add(name);
      else types.set(name, rest);
      continue;
    }
    const sample = readSample(line);
    const type = types.get(family);
    if (type === undefined || !helps.has(family)) throw new Error(`no HELP or TYPE before ${line}`);
    if (!SUFFIXES[type]?.some((suffix) => sample.name === family + suffix))
      throw new Error(`${sample.name} stands among ${family}`);
    if (type === 'counter' && !family.endsWith('_total'))
      throw new Error(`the counter ${family} is no _total`);
    const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, samples);
  return {
    samples,
    types,
    value(name, labels = {}) {
      const found = samples.filter((sample) => sample.name === name && has(sample, labels));
      if (found.length !== 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
      return found[0]!.value;
    },
    sum: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name && has(sample, labels))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

function readSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  const text = match[2] ?? '';
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const label = LABEL.exec(text);
    if (label === null) throw new Error(`labels are malformed: ${line}`);
    if (label[1]! in labels) throw new Error(`a label stands twice: ${line}`);
    labels[label[1]!] = label[2]!;
  }
  return {
    name: match[1]!,
    labels,
    value: Number(match[3]!.replace('Inf', 'Infinity').replace('Nan', 'NaN')),
  };
}

function has({ labels }: Sample, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** Buckets grow, and the last one holds all that was counted. */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples.filter((each) => each.name === `${name}_bucket`)) {
    const { le: _, ...rest } = sample.labels;
    const key = JSON.stringify(rest);
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, buckets] of groups) {
    const ordered = buckets.toSorted((a, b) => bound(a) - bound(b));
    for (const [at, bucket] of ordered.entries())
      if (bucket.value < (ordered[at - 1]?.value ?? 0)) throw new Error(`${name} ${key}: buckets shrink`);
    const count = samples.find(
      (each) => each.name === `${name}_count` && JSON.stringify(each.labels) === key,
    );
    if (bound(ordered.at(-1)!) !== Number.POSITIVE_INFINITY || ordered.at(-1)!.value !== count?.value)
      throw new Error(`${name} ${key}: the last bucket is not the count`);
  }
}

function bound({ labels }: Sample): number {
  return Number(labels['le']!.replace('Inf', 'Infinity'));
}

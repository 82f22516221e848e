import { type Html, html } from '../html.ts';
import clientSamples from './client-samples.json' with { type: 'json' };
import { sample } from './samples.ts';

/** A call in one language. */
export interface Code {
  /** As sdks/names.json has it; `curl`. */
  readonly lang: string;
  readonly source: string;
}

/** What sdks/generate/snippets.mjs writes: every example in each client library. */
interface ClientSamples {
  readonly names: Readonly<Record<string, string>>;
  readonly install: Readonly<Record<string, string>>;
  readonly setup: Readonly<Record<string, string>>;
  readonly first: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const samples: ClientSamples = clientSamples;

/** The call with each client library, in the order in which they are offered. */
export function clientCodeOf(operationId: string): readonly Code[] {
  return Object.entries(samples.calls[operationId] ?? {}).map(([lang, source]) => ({ lang, source }));
}

/** Name, and how it is installed from an installation, of each language that has a client library. */
export function clientLibraries(installation: {
  readonly url: string;
  readonly version: string;
}): readonly (Code & { readonly name: string; readonly install: string })[] {
  return firstRequests().map((code) => ({
    ...code,
    name: samples.names[code.lang] ?? code.lang,
    install: (samples.install[code.lang] ?? '')
      .replaceAll('{url}', installation.url)
      .replaceAll('{version}', installation.version),
  }));
}

/** The first request, with what a program begins with. */
export function firstRequests(): readonly Code[] {
  return Object.entries(samples.first).map(([lang, source]) => ({
    lang,
    source: `${samples.setup[lang] ?? ''}\n\n${source}`,
  }));
}

/**
 * The first is shown and the others are folded away; the page's program makes a list of tabs of them
 * (web/docs/src/languages.ts).
 */
export function codeTabs([first, ...others]: readonly Code[]): Html {
  if (first === undefined) return html``;
  return html`<div class="code" data-code>
<div data-lang="${first.lang}">${sample(nameOf(first), first.source)}</div>
${others.map(
  (code) =>
    html`<details class="client" data-lang="${code.lang}"><summary>${nameOf(code)}</summary>${sample(nameOf(code), code.source)}</details>
`,
)}</div>
`;
}

function nameOf({ lang }: Code): string {
  return samples.names[lang] ?? lang;
}

import { type Html, html } from '../html.ts';
import clientSamples from './client-samples.json' with { type: 'json' };
import { sample } from './samples.ts';

export interface Code {
  /** As in sdks/names.json; or `curl`. */
  readonly lang: string;
  readonly source: string;
  /** The page's script offers to run it in the reader's sandbox (web/docs/src/run.ts). */
  readonly runs?: boolean;
}

/** Written by sdks/generate/snippets.mjs. */
interface ClientSamples {
  readonly names: Readonly<Record<string, string>>;
  readonly install: Readonly<Record<string, string>>;
  readonly setup: Readonly<Record<string, string>>;
  readonly first: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const samples: ClientSamples = clientSamples;
/** The part of an install command that a tool needs only if the installation's address is plain http. */
const ONLY_OVER_HTTP = /\{http:([^{}]*)\}/g;

export function clientCodeOf(operationId: string): readonly Code[] {
  return Object.entries(samples.calls[operationId] ?? {}).map(([lang, source]) => ({ lang, source }));
}

/** Name of each language with a client library, and how to install it from an installation. */
export function clientLibraries(installation: {
  readonly url: string;
  readonly version: string;
}): readonly (Code & { readonly name: string; readonly install: string })[] {
  return firstRequests().map((code) => ({
    ...code,
    name: samples.names[code.lang] ?? code.lang,
    install: (samples.install[code.lang] ?? '')
      .replace(ONLY_OVER_HTTP, installation.url.startsWith('http:') ? '$1' : '')
      .replaceAll('{url}', installation.url)
      .replaceAll('{version}', installation.version),
  }));
}

/** With the preamble of a program. */
export function firstRequests(): readonly Code[] {
  return Object.entries(samples.first).map(([lang, source]) => ({
    lang,
    source: `${samples.setup[lang] ?? ''}\n\n${source}`,
  }));
}

/** The first is open; the page's script makes tabs (web/docs/src/languages.ts). */
export function codeTabs([first, ...others]: readonly Code[]): Html {
  if (first === undefined) return html``;
  return html`<div class="code" data-code>
<div data-lang="${first.lang}">${sample(nameOf(first), first.source, first.runs)}</div>
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

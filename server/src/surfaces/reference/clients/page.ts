import { type Html, html } from '../html.ts';
import { clientLibraries } from '../site/code-tabs.ts';
import { sample } from '../site/samples.ts';
import type { Registry } from './files.ts';

interface ClientsPage {
  readonly language: 'en' | 'es';
  readonly url: string;
  readonly version: string;
  readonly registries: ReadonlyMap<string, Registry>;
}

/** `/clients/`: per language the command that installs it from here, and the file's checksum. */
export function clientsPage({ language, url, version, registries }: ClientsPage): string {
  const words = CLIENTS_WORDS[language];
  const other = language === 'en' ? 'es' : 'en';
  const byLanguage = new Map([...registries].map(([name, each]) => [each.language, { name, ...each }]));
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title} · Acuse</title>
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<header class="top">
<a class="brand" href="/docs"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1l7 7-7 7-7-7z"/></svg>Acuse</a>
<nav class="elsewhere"><a href="?lang=${other}" lang="${other}" hreflang="${other}">${words.other}</a></nav>
</header>
<main class="alone">
<h1>${words.title}</h1>
<div class="lead"><p>${words.lead(version)}</p>
<p>${words.why} <a href="/docs/clients">${words.docs}</a></p></div>
${clientLibraries({ url, version }).map(({ lang, name, install }) => section(name, install, byLanguage.get(lang), words))}
${mcpServer(words, { url, version }, byLanguage.get('typescript'))}
</main>
</body>
</html>
`.text;
}

/** It needs the library for TypeScript, which is in its registry: no name is asked for. */
function mcpServer(words: ClientsWords, at: { url: string; version: string }, found: Found): Html | string {
  const library = `acuse-mcp-${at.version}.tgz`;
  if (found?.files[library] === undefined) return '';
  const install = `npm install -g ${[found.library, library].map((name) => `${at.url}/clients/npm/${name}`).join(' ')}`;
  return html`${section(words.mcp, install, { ...found, library }, words)}<p><a href="/docs/agents">${words.mcpDocs}</a></p>`;
}

/** The program that runs or reads the command. */
const TOOLS: Readonly<Record<string, string>> = {
  npm: 'npm',
  python: 'pip',
  go: 'go',
  cargo: 'cargo',
  maven: 'Maven, pom.xml',
  composer: 'Composer',
  gems: 'gem',
};

type Found = (Registry & { readonly name: string }) | undefined;

function section(title: string, install: string, found: Found, words: ClientsWords): Html {
  if (found === undefined) return html`<h2>${title}</h2><p class="note">${words.missing}</p>\n`;
  const { bytes, sha256 } = found.files[found.library]!;
  const name = found.library.split('/').at(-1)!;
  const path = `${found.name}/${found.library}`;
  return html`<h2>${title}</h2>
${sample(TOOLS[found.name] ?? '', install)}<dl class="file"><dt>${words.file}</dt><dd><a href="/clients/${path}">${name}</a>, ${Math.ceil(bytes / 1024)} KiB</dd>
<dt>SHA-256</dt><dd><code>${sha256}</code></dd></dl>
`;
}

/** Texts of the page of the client libraries. */
interface ClientsWords {
  readonly title: string;
  readonly lead: (version: string) => string;
  readonly why: string;
  readonly docs: string;
  readonly mcp: string;
  readonly mcpDocs: string;
  readonly file: string;
  readonly missing: string;
  readonly other: string;
}

const CLIENTS_WORDS: Readonly<Record<'en' | 'es', ClientsWords>> = {
  en: {
    title: 'Client libraries',
    lead: (version) =>
      `This installation runs Acuse ${version} and hands out the client libraries of that version itself. Run the command in your project.`,
    why: 'Install from here, not by the name alone: nobody vouches for these names on public registries. An upgrade of the installation replaces the files, so keep a copy where a build must be repeatable.',
    docs: 'How the libraries work',
    mcp: 'MCP server, for AI agents',
    mcpDocs: 'Rights of agents, and how their programs start it',
    file: 'File',
    missing: 'This installation was built without it.',
    other: 'Español',
  },
  es: {
    title: 'Bibliotecas de cliente',
    lead: (version) =>
      `Esta instalación usa Acuse ${version} y entrega ella misma las bibliotecas de cliente de esa versión. Ejecute el comando en su proyecto.`,
    why: 'Instálelas desde aquí y no solo por su nombre: nadie responde por esos nombres en los registros públicos. Al actualizar la instalación se reemplazan los archivos; guarde una copia si una compilación debe poder repetirse.',
    docs: 'Cómo funcionan las bibliotecas',
    mcp: 'Servidor MCP, para agentes de IA',
    mcpDocs: 'Qué pueden hacer los agentes y cómo lo inician sus programas',
    file: 'Archivo',
    missing: 'Esta instalación se compiló sin ella.',
    other: 'English',
  },
};

import { readBuilt } from '../../platform/built-file.ts';
import { llmsFullText, llmsText } from './llms.ts';
import type { OpenApiDocument } from './openapi.ts';
import { createSite } from './site/site.ts';

/** Where the site is published. */
export interface Publication {
  /** The installation that examples name, and whose /verify is linked. */
  readonly publicUrl: string;
  /** What comes before /docs, such as `/0.1.0`; empty at the root of a host. */
  readonly base: string;
}

/**
 * `/docs` as files that any web server can hand out: the same pages, of the same source. Paths are relative
 * to the folder that is published at `base`; a page is an index.html, so that its address needs no ending.
 */
export function staticSite(document: OpenApiDocument, { publicUrl, base }: Publication): Map<string, string> {
  const site = createSite(document, publicUrl);
  const files = new Map<string, string>();
  for (const path of site.paths)
    files.set(`${path.slice(1)}/index.html`, moved(site.page(path)!, publicUrl, base));
  files.set('404.html', moved(site.missing, publicUrl, base));
  const entries = site.entries.map((entry) => ({ ...entry, href: base + entry.href }));
  files.set('docs/search.json', JSON.stringify(entries));
  files.set('docs/page.js', readBuilt('docs-page.js'));
  files.set('docs/page.css', readBuilt('docs-page.css'));
  files.set('openapi.json', `${JSON.stringify(document, null, 2)}\n`);
  files.set('llms.txt', llmsText(document, publicUrl));
  files.set('llms-full.txt', llmsFullText(document, publicUrl));
  return files;
}

/** What only a running service has is linked there, the rest below the base. */
function moved(page: string, publicUrl: string, base: string): string {
  return page
    .replaceAll('href="/verify"', `href="${publicUrl}/verify"`)
    .replace(/(href|src)="(\/(?:docs[/#"]|openapi\.json|llms))/g, `$1="${base}$2`);
}

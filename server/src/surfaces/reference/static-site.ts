import { readBuilt } from '../../platform/built-file.ts';
import { llmsFullText, llmsText } from './llms.ts';
import type { OpenApiDocument } from './openapi.ts';
import { RUNS } from './site/samples.ts';
import { createSite } from './site/site.ts';

/** Where the site is published. */
export interface Publication {
  /** For examples and links to /verify. */
  readonly publicUrl: string;
  /** Such as `/0.1.0`; empty at a root. */
  readonly base: string;
}

/** `/docs` as static files, relative to `base`; pages are index.html. */
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

/** Service-only links are absolute. */
function moved(page: string, publicUrl: string, base: string): string {
  return page
    .replaceAll(RUNS, '')
    .replaceAll('href="/verify"', `href="${publicUrl}/verify"`)
    .replace(/(href|src)="(\/(?:docs[/#"]|openapi\.json|llms))/g, `$1="${base}$2`);
}

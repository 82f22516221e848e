import { WORDS } from './browser/words.ts';

/** The page that verifies bundles in its visitor's browser. English until its program has looked at the browser's language. */
export function verifyPage(): string {
  const words = WORDS.en;
  const slot = (id: 'bundle' | 'eml' | 'trust', accept: string) => `
    <label class="slot" for="${id}">
      <b data-word="${id}">${words[id]}</b>
      <span data-word="${id}Hint">${words[`${id}Hint`]}</span>
      <input type="file" id="${id}" accept="${accept}">
      <output id="${id}-name"></output>
    </label>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.title}</title>
<link rel="stylesheet" href="/verify/page.css">
<script type="module" src="/verify/page.js"></script>
</head>
<body>
<header>
  <h1 data-word="title">${words.title}</h1>
  <nav><button type="button" data-language="es">Español</button> <button type="button" data-language="en">English</button></nav>
</header>
<main>
  <p data-word="lead">${words.lead}</p>
  <section class="slots">${slot('bundle', '.zip,.json')}${slot('eml', '.eml,message/rfc822')}${slot('trust', '.json')}
  </section>
  <section id="result" aria-live="polite"></section>
</main>
<footer><p data-word="privacy">${words.privacy}</p></footer>
<noscript><p>This page verifies in your browser and needs JavaScript for it. Without: npx acuse verify bundle.zip</p></noscript>
</body>
</html>
`;
}

export const PAGE_CSS = `:root { color-scheme: light dark; --ok: #1a7f37; --bad: #c62828; --line: #8884; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.1rem; margin-top: 1.6rem; }
button { font: inherit; padding: .2rem .6rem; border: 1px solid var(--line); border-radius: 4px; background: none; cursor: pointer; }
button[aria-pressed=true] { border-color: currentColor; font-weight: 600; }
.slots { display: grid; gap: .8rem; }
.slot { display: grid; gap: .2rem; border: 1px dashed var(--line); border-radius: 6px; padding: .8rem; }
.slot:first-child { border-width: 2px; padding: 1.4rem .8rem; }
.slot span, footer { color: GrayText; font-size: .9rem; }
.verdict { font-size: 1.8rem; font-weight: 700; margin: 1.2rem 0 0; }
.ok { color: var(--ok); } .bad { color: var(--bad); }
.warning { border-left: 4px solid #e6a100; padding-left: .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: GrayText; } dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .9rem; }
ul { padding-left: 1.2rem; } .checks { list-style: none; padding: 0; font-size: .9rem; }
.checks li { overflow-wrap: anywhere; } .checks li.ok::before { content: '✓ '; } .checks li.bad::before { content: '✗ '; }
.checks li.ok b { font-weight: 500; } .checks li.ok { color: inherit; } .checks li.ok::before { color: var(--ok); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
`;

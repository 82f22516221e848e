import { WORDS } from './browser/words.ts';

/**
 * The page that verifies bundles in its visitor's browser. English until its program has looked at the
 * browser's language.
 */
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

export const PAGE_CSS = `:root {
  color-scheme: light dark;
  --ok: #1a7f37; --bad: #c62828; --warn: #b26a00; --line: #8884; --soft: #8881; --quiet: #57606a;
}
@media (prefers-color-scheme: dark) { :root { --ok: #4cc26b; --bad: #ff7b72; --warn: #e3a336; --quiet: #9aa4ae; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem 1rem; flex-wrap: wrap; }
h1 { font-size: 1.6rem; margin: .4rem 0; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; } h3 { font-size: 1rem; margin: 1rem 0 .2rem; }
button { font: inherit; padding: .2rem .6rem; border: 1px solid var(--line); border-radius: 4px; background: none; color: inherit; cursor: pointer; }
button[aria-pressed=true] { border-color: currentColor; font-weight: 600; }
.slots { display: grid; grid-template-columns: minmax(0, 1fr); gap: .8rem; }
.slot { display: grid; align-content: start; grid-template-columns: minmax(0, 1fr); gap: .2rem; border: 1px dashed var(--line); border-radius: 6px; padding: .8rem; min-width: 0; cursor: pointer; }
.slot:first-child { border-width: 2px; padding: 1.2rem .8rem; }
.slot input { width: 100%; min-width: 0; font: inherit; font-size: .9rem; }
.slot:focus-within { outline: 2px solid currentColor; outline-offset: 2px; }
.slot span, footer, .slot output { color: var(--quiet); font-size: .9rem; }
@media (min-width: 50rem) { .slots { grid-template-columns: repeat(2, minmax(0, 1fr)); } .slot:first-child { grid-column: 1 / -1; } }
.verdict { font-size: 1.8rem; line-height: 1.25; font-weight: 700; margin: 1.4rem 0 .2rem; }
.said { line-height: 1.25; font-weight: 700; font-size: 1.25rem; margin: .2rem 0; }
.verdict.ok, .copy.ok .said { color: var(--ok); } .verdict.bad, .copy.bad .said, .bad { color: var(--bad); }
.copy { border: 1px solid var(--line); border-left: 4px solid var(--warn); border-radius: 4px; padding: .4rem 1rem; margin: 1rem 0; }
.copy.ok { border-left-color: var(--ok); color: inherit; } .copy.bad { border-left-color: var(--bad); color: inherit; }
.copy h2 { margin-top: .4rem; font-size: .9rem; font-weight: 500; color: var(--quiet); }
.warning { border-left: 4px solid var(--warn); background: var(--soft); padding: .5rem .8rem; margin: .6rem 0; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: .2rem 1rem; margin: .4rem 0; }
dt { color: var(--quiet); } dd { margin: 0; min-width: 0; font-family: ui-monospace, monospace; font-size: .9rem; }
.people dd { font: inherit; }
ul { padding-left: 1.2rem; margin: .4rem 0; } .checks { list-style: none; padding: 0; font-size: .9rem; }
.checks li.ok::before { content: '✓ '; color: var(--ok); } .checks li.bad::before { content: '✗ '; }
.checks li.ok b { font-weight: 500; } .checks li.ok { color: inherit; }
details { border-top: 1px solid var(--line); margin-top: 1.2rem; padding-top: .6rem; }
summary { cursor: pointer; font-weight: 600; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } .verdict { font-size: 1.5rem; } }
`;

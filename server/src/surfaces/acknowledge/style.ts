import { hash } from 'node:crypto';

/** The page's only style: with the tokens of web/shared/ui/tokens.css, and without a request of its own. */
export const STYLE = `
:root { color-scheme:light dark;--paper:light-dark(#fff,#121617);--soft:light-dark(#f5f7f7,#191f20);
--raised:light-dark(#fff,#1d2325);--ink:light-dark(#182022,#e7eced);--quiet:light-dark(#566166,#9fabaf);
--line:light-dark(#dbe1e2,#2d3639);--edge:light-dark(#8a969a,#6d7a7f);--accent:light-dark(#0f6e67,#5ccfc3);
--strong:light-dark(#0b544f,#86e0d6);--on:light-dark(#fff,#06201e);--bad:light-dark(#b3261e,#ff8f86);
--bad-soft:light-dark(#fdecea,#351a18);--good:light-dark(#18743f,#63cd93);--good-soft:light-dark(#e6f4ec,#14291d)}
*{box-sizing:border-box}
body{margin:0;background:var(--soft);color:var(--ink);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
header,main,footer{max-width:36rem;margin:0 auto;padding:0 16px}
header{display:flex;justify-content:end;align-items:center;min-height:48px;padding-block:4px}
header a{padding:12px 0}
main{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;overflow-wrap:anywhere}
section>dl:first-child{margin-top:0}
section{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:16px}
@media (min-width:40rem){section{padding:24px}main{gap:24px}button{justify-self:start}}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px}
h2{font-size:1.125rem;margin:0 0 8px}
p{margin:0 0 12px}
p:last-child{margin-bottom:0}
a{color:var(--accent)}
dl{margin:16px 0 0;display:grid;gap:12px}
dt{color:var(--quiet);font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
ul{margin:0;padding-left:20px}
code{font:.8125rem/1.4 ui-monospace,"SF Mono","Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace;
overflow-wrap:anywhere;display:inline-block;max-width:32ch}
.quiet{color:var(--quiet);font-size:.875rem}
dd .quiet{display:block}
form{display:grid;gap:16px}
form p{margin:0}
h1+form{margin-top:16px}
label{display:block;font-weight:600}
input[type=text],textarea{display:block;width:100%;margin-top:4px;padding:10px 12px;font:inherit;font-weight:400;color:inherit;
background:var(--paper);border:1px solid var(--edge);border-radius:4px}
input.code{font-size:1.5rem;letter-spacing:.25em;max-width:13rem;
font-family:ui-monospace,"SF Mono","Roboto Mono","DejaVu Sans Mono",monospace}
.hint{display:block;color:var(--quiet);font-size:.875rem;font-weight:400}
.tick{display:grid;grid-template-columns:24px 1fr;gap:12px;margin:-8px 0;padding:12px 0;font-weight:400}
.tick input{width:24px;height:24px;margin:0;accent-color:var(--accent)}
button{font:inherit;font-weight:600;min-height:48px;padding:8px 20px;border-radius:8px;cursor:pointer;
border:1px solid var(--accent);background:var(--accent);color:var(--on)}
button:hover{background:var(--strong);border-color:var(--strong)}
button.second{background:transparent;color:var(--accent)}
button.second:hover{color:var(--strong);background:transparent}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
input[aria-invalid]{border-color:var(--bad);outline-color:var(--bad)}
summary{cursor:pointer;display:flex;gap:12px;padding:12px 0;color:var(--accent);font-weight:600;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";flex:none;width:8px;height:8px;margin:7px 0 0 -2px;border:solid;border-width:0 2px 2px 0;
transform:rotate(-45deg)}
[open]>summary::before{transform:translate(2px,-3px) rotate(45deg)}
details>div{display:grid;gap:12px;padding:4px 0 12px}
details>div>p{margin:0}
dl+details{margin-top:4px}
details dl{margin:0}
.fault{background:var(--bad-soft);border-color:var(--bad)}
.fault h2{color:var(--bad)}
.good{background:var(--good-soft);border-color:var(--good)}
footer{padding-top:16px;padding-bottom:32px;color:var(--quiet);font-size:.875rem}
`.replaceAll('\n', '');

const STYLE_HASH = hash('sha256', STYLE, 'base64');

/** No script, and nothing from anywhere: what the sender wrote is text on this page. */
export const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

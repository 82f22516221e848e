/** The page's one style sheet: system fonts, light and dark, readable without a script and on a telephone. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--line:#dfe3e8;--ground:#fff;--panel:#f5f7f9;--link:#0b5cad;--good:#1a7f4b;--bad:#b3261e;--get:#0b5cad;--post:#1a7f4b;--patch:#8a5a00;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--line:#2d3540;--ground:#12161c;--panel:#1a2029;--link:#7db8ff;--good:#5ed39a;--bad:#ff8a80;--get:#7db8ff;--post:#5ed39a;--patch:#f2c063;--delete:#ff8a80}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;color:var(--ink);background:var(--ground);font:16px/1.55 system-ui,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;margin:.5rem 0}
pre code{overflow-wrap:normal;white-space:pre}
p{margin:.5rem 0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--ground);padding:.5rem}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:78rem;margin:0 auto}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem 3rem;border-right:1px solid var(--line);font-size:.9rem}
nav h2{font-size:.75rem;letter-spacing:.04em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .25rem}
nav ul{list-style:none;margin:0;padding:0}nav li{margin:0}
nav li a{display:flex;gap:.25rem;line-height:1.35;padding:.2rem .25rem;color:var(--ink);border-radius:4px}nav li a:hover{background:var(--panel);text-decoration:none}
main{padding:1.5rem 2rem 6rem;min-width:0}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.4rem;margin:3rem 0 .25rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1.15rem;margin:2.25rem 0 .25rem}h3 .anchor{color:inherit}
h4{font-size:.8rem;letter-spacing:.03em;text-transform:uppercase;color:var(--soft);margin:1.25rem 0 .25rem}
article{padding-bottom:1.25rem;border-bottom:1px solid var(--line)}
.route{font-size:1rem}
.method{flex:none;display:inline-block;min-width:3.6rem;font:600 .75rem/1.6 ui-monospace,monospace}
.method.get{color:var(--get)}.method.post{color:var(--post)}.method.patch{color:var(--patch)}.method.delete{color:var(--delete)}
.fields{list-style:none;margin:.25rem 0;padding:0}
.fields li{padding:.35rem 0;border-top:1px solid var(--line)}.fields li:first-child{border-top:0}
.fields .fields{margin-left:.25rem;padding-left:1rem;border-left:2px solid var(--line)}
.name{font-weight:600}.type,.limits,.note,.media{color:var(--soft);font-size:.9rem}.required{color:var(--bad);font-size:.8rem}
.answer{margin:.35rem 0}.answer>summary{cursor:pointer}.status{display:inline-block;min-width:2.5rem;font:600 .875rem ui-monospace,monospace}
.good{color:var(--good)}.failed{color:var(--bad)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-top:1px solid var(--line)}th{color:var(--soft);font-weight:600}
@media (max-width:52rem){.page{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:1rem}nav section{display:inline-block;vertical-align:top;margin-right:1.25rem}main{padding:1rem}}
@media print{nav{display:none}.page{display:block}}
`;

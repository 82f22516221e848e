// Where the main thread's time went: a profile of V8 (--cpu-prof), its samples given to the source files that
// the built program names above each module.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Above each module in what esbuild writes. */
const MODULE = /^\/\/ ((?:\.\.\/)*(?:server|packages|node_modules|bench)\/\S+)$/;

/**
 * The samples between two moments, each as its stack of places, the innermost first; a place is the source
 * file and function, or V8's name for what is no JavaScript. `between`: of process.hrtime (µs), whose clock
 * is the profile's.
 */
export function* samplesOf(file, between) {
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  const placeOf = createPlaces();
  const nodes = new Map(
    profile.nodes.map((node) => [node.id, { place: placeOf(node.callFrame), parent: null }]),
  );
  for (const { id, children = [] } of profile.nodes)
    for (const child of children) nodes.get(child).parent = nodes.get(id);
  const stacks = new Map();
  const stackOf = (id) => {
    const stack = [];
    for (let node = nodes.get(id); node !== null; node = node.parent) stack.push(node.place);
    return stack;
  };
  let at = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    at += profile.timeDeltas[index];
    if (!between.some(([from, to]) => at >= from && at < to)) continue;
    if (!stacks.has(id)) stacks.set(id, stackOf(id));
    yield stacks.get(id);
  }
}

function createPlaces() {
  const modules = new Map();
  return ({ url, lineNumber, functionName }) => {
    if (!url.startsWith('file:')) return { file: url, name: functionName };
    if (!modules.has(url)) modules.set(url, moduleLines(fileURLToPath(url)));
    const file = modules.get(url).findLast(({ line }) => line <= lineNumber)?.file ?? url;
    return { file, name: functionName };
  };
}

function moduleLines(path) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, line) => {
      const match = MODULE.exec(text);
      return match === null ? [] : [{ line, file: match[1].replace(/^(?:\.\.\/)+/, '') }];
    });
}

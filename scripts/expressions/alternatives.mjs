/** The sources of an expression's alternatives: `a|(?:b|c)d` has two. */
export function alternativesOf(source) {
  const parts = [];
  let depth = 0;
  let inClass = false;
  let start = 0;
  for (let i = 0; i < source.length; i += 1) {
    const char = source[i];
    if (char === '\\') i += 1;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) {
      parts.push(source.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, source.slice(start)];
}

/** The sides of `(?:a).{0,40}?(?:b)` and the gap between them, or null. */
export function near(source) {
  const gap = /\)(\.\{0,\d+\}\??)\(\?:/g;
  if (!source.startsWith('(?:') || alternativesOf(source).length > 1) return null;
  for (const found of source.matchAll(gap)) {
    const first = source.slice(3, found.index);
    const second = source.slice(found.index + found[0].length, -1);
    if (isBalanced(first) && isBalanced(second) && source.endsWith(')')) return [first, found[1], second];
  }
  return null;
}

function isBalanced(source) {
  let depth = 0;
  let inClass = false;
  for (let i = 0; i < source.length; i += 1) {
    const char = source[i];
    if (char === '\\') i += 1;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

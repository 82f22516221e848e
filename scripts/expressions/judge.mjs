// True if a regular expression takes time in proportion to its input, whatever the input: judged with
// recheck, whose automaton checker is exact for expressions without look-around and without large counted
// repetitions. Those are put in simpler form first, always towards more ways to match and more ways to fail,
// so that the judgement errs on the strict side.
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { verdictOf } from './verdicts.mjs';

/**
 * A repetition up to this many times counts as bounded; ours. Beyond it, it is judged as one without an end.
 */
export const BOUNDED_REPEAT_MAX = 100;
/**
 * Ways through the bounded parts of one expression, from one place in the text, that need no closer look;
 * ours.
 */
const WAYS_MAX = 10_000;
/** Counts from here on are taken as endless in that closer look. */
const SMALL_REPEAT_MAX = 40;
/**
 * Characters of an expression that is judged whole; a longer one is judged by its alternatives, one at a
 * time.
 */
const WHOLE_MAX_CHARS = 60;
/** What matches nothing: an expression that must fail ends in it. */
const NOWHERE = '[^\\s\\S]';

const parser = new RegExpParser();

/**
 * Null for an expression that is linear, else what is wrong. `repeated`: it is used to find every match (`g`,
 * `y`, split), where a costly way in that fails can stand before each cheap match. `short`: its texts are, so
 * that bounded repetitions may multiply.
 */
export function judge(source, flags, { repeated = /[gy]/.test(flags), short = false } = {}) {
  const ast = parse(source, flags);
  if (hasBackreference(ast)) return 'has a backreference, which cannot be judged: parse instead';
  for (const variant of variantsOf(source, flags, repeated)) {
    const found = firstOf(piecesOf(variant, flags), (piece) => judgeSimple(piece, flags));
    if (found !== null) return found;
  }
  return !short && waysThrough(ast) > WAYS_MAX ? judgeBounded(source, flags) : null;
}

function firstOf(items, find) {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Bounded repetitions side by side multiply: taken as endless, they may be at most quadratic, so that one
 * bound is the factor.
 */
function judgeBounded(source, flags) {
  const plain = withoutLookaround(reduceCounts(source, flags, SMALL_REPEAT_MAX), flags);
  return firstOf(piecesOf(plain, flags), (piece) => judgeSimple(piece, flags, true));
}

/**
 * What looks for `a|b` takes no longer than what looks for `a` and for `b`, and so for `x(?:a|b)y`: each
 * piece is one choice of alternatives, small enough to be judged.
 */
function piecesOf(source, flags) {
  if (source.length <= WHOLE_MAX_CHARS || !canLoop(source, flags)) return [source];
  const { alternatives } = parse(source, flags);
  if (alternatives.length > 1) return alternatives.flatMap(({ raw }) => piecesOf(raw, flags));
  const groups = alternatives[0].elements.filter(
    (it) => /Group$/.test(it.type) && it.alternatives.length > 1,
  );
  const widest = groups.sort((a, b) => b.raw.length - a.raw.length)[0];
  if (widest === undefined) return [source];
  return widest.alternatives.flatMap(({ raw }) =>
    piecesOf(spliced(source, [[widest.start, widest.end, raw]]), flags),
  );
}

function parse(source, flags) {
  return parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
}

function hasBackreference(ast) {
  let found = false;
  visitRegExpAST(ast, { onBackreferenceEnter: () => (found = true) });
  return found;
}

/**
 * Ways through alternatives and bounded repetitions of varying length; a repetition without an end counts
 * once.
 */
function waysThrough(node) {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      // Alternatives are told apart by their characters: the widest counts.
      return Math.max(...node.alternatives.map(waysThrough));
    case 'Alternative':
      return node.elements.map(waysThrough).reduce((a, b) => a * b, 1);
    case 'Quantifier': {
      const inner = waysThrough(node.element);
      // What may be left out is there or not: its characters tell.
      if (node.max > BOUNDED_REPEAT_MAX || node.max === 1) return inner;
      return (node.max - node.min + 1) * inner ** node.max;
    }
    default:
      return 1;
  }
}

/** Forms without look-around and with small counts only, each of which must be linear. */
function variantsOf(source, flags, repeated) {
  const variants = new Set([withoutLookaround(reduceCounts(source, flags), flags)]);
  for (const variant of lookaroundsThatFail(source, flags)) variants.add(variant);
  if (repeated) {
    const plain = withoutLookaround(reduceCounts(source, flags), flags);
    for (const variant of waysInThatFail(plain, flags)) variants.add(variant);
  }
  return variants;
}

/**
 * `{m,n}` beyond the bound becomes `+` or `*`, other counts shrink to at most three: what can loop stays the
 * same.
 */
function reduceCounts(source, flags, boundedMax = BOUNDED_REPEAT_MAX) {
  const edits = [];
  visitRegExpAST(parse(source, flags), {
    onQuantifierEnter({ min, max, greedy, element, end }) {
      const lazy = greedy ? '' : '?';
      if (max > boundedMax) {
        if (max !== Infinity || min > 1) edits.push([element.end, end, `${min === 0 ? '*' : '+'}${lazy}`]);
      } else if (max > 2) {
        const count = min === max ? '{2}' : `{${Math.min(min, 2)},3}`;
        edits.push([element.end, end, `${count}${lazy}`]);
      }
    },
  });
  return spliced(source, edits);
}

/** Without an assertion more texts match, in more ways. */
function withoutLookaround(source, flags) {
  return spliced(
    source,
    assertionsOf(source, flags).map(({ start, end }) => [start, end, '(?:)']),
  );
}

/**
 * What stands in an assertion is read to its end and may fail there: once for each place that the assertion
 * is reached from.
 */
function lookaroundsThatFail(source, flags) {
  return assertionsOf(source, flags)
    .filter(({ raw }) => canLoop(reduceCounts(raw, flags), flags))
    .map((assertion) => {
      const inner = assertion.raw.replace(/^\(\?<?[=!]/, '(?:');
      const edited = spliced(source, [[assertion.start, assertion.end, `${inner}${NOWHERE}`]]);
      return withoutLookaround(reduceCounts(edited, flags), flags);
    });
}

function assertionsOf(source, flags) {
  const found = [];
  visitRegExpAST(parse(source, flags), {
    onAssertionEnter(node) {
      if (node.kind === 'lookahead' || node.kind === 'lookbehind') found.push(node);
    },
  });
  return found;
}

/** An optional part that loops, taken as needed; one alternative that loops, taken as the only one. */
function waysInThatFail(source, flags) {
  const variants = [];
  visitRegExpAST(parse(source, flags), {
    onQuantifierEnter({ min, max, element, end, greedy }) {
      if (min > 0 || !canLoop(element.raw, flags)) return;
      const count = max === 1 ? '' : `+${greedy ? '' : '?'}`;
      variants.push(spliced(source, [[element.end, end, count]]));
    },
    onGroupEnter: splitAlternatives,
    onCapturingGroupEnter: splitAlternatives,
    onPatternEnter: splitAlternatives,
  });
  return variants;

  function splitAlternatives({ alternatives }) {
    if (alternatives.length < 2) return;
    const [first, last] = [alternatives[0], alternatives.at(-1)];
    for (const { raw } of alternatives)
      if (canLoop(raw, flags)) variants.push(spliced(source, [[first.start, last.end, raw]]));
  }
}

function canLoop(source, flags) {
  let found = false;
  visitRegExpAST(parse(source, flags), {
    onQuantifierEnter({ max }) {
      if (max === Infinity) found = true;
    },
  });
  return found;
}

/** The source with `[start, end, text]` put in; an edit inside another one is dropped. */
function spliced(source, edits) {
  const outer = edits.filter(
    (edit) => !edits.some((other) => other !== edit && other[0] <= edit[0] && edit[1] <= other[1]),
  );
  return outer
    .sort((a, b) => b[0] - a[0])
    .reduce((text, [start, end, put]) => text.slice(0, start) + put + text.slice(end), source);
}

function judgeSimple(source, flags, mayBeQuadratic = false) {
  return canLoop(source, flags) ? verdictOf(source, flags, mayBeQuadratic) : null;
}

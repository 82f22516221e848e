// The regular expressions of a source file: literals, RegExp constructors, calls of functions that only
// construct one, and the `pattern`s of schemas, with what they are made of put together as far as it is
// constant.
import ts from 'typescript';
import { parse } from '../source-files.mjs';

/** Methods that look for every match, whatever the flags. */
const REPEATING = new Set(['split', 'matchAll', 'replaceAll']);

/**
 * `{line, source, flags, repeated}` for each; `source` null where it depends on what is only known at run
 * time, `text` then says what stands there. `readModule(path)`: the text of a file that is imported by a
 * relative path, or null.
 */
export function findExpressions(path, text, readModule = () => null) {
  const { moduleOf, evaluate } = createEvaluator(readModule);
  const file = moduleOf(path, text);
  const found = [];
  visit(file.tree);
  return found;

  function visit(node) {
    const expression = expressionAt(node);
    if (expression !== null) {
      const { line } = file.tree.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: node.getText().replace(/\s+/g, ' '), ...expression });
    }
    ts.forEachChild(node, visit);
  }

  function expressionAt(node) {
    if (ts.isRegularExpressionLiteral(node)) {
      const { source, flags } = literalOf(node);
      return { source, flags, repeated: /[gy]/.test(flags) || isRepeated(node) };
    }
    if (isConstructor(node) && !isInsideFactory(node)) return constructed(node.arguments ?? [], node, file);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const factory = factoryOf(node.expression.text, file);
      if (factory !== null) return called(factory, node);
    }
    if (isSchemaPattern(node)) {
      const source = evaluate(node.initializer, file, new Map());
      return { source: typeof source === 'string' ? source : null, flags: 'u', repeated: false };
    }
    return null;
  }

  function constructed(args, node, home, bound = new Map()) {
    const source = evaluate(args[0], home, bound);
    const flags = args[1] === undefined ? '' : evaluate(args[1], home, bound);
    const isKnown = typeof source === 'string' && typeof flags === 'string';
    return {
      source: isKnown ? source : null,
      flags: isKnown ? flags : '',
      repeated: (isKnown && /[gy]/.test(flags)) || isRepeated(node),
    };
  }

  /** A function whose whole body is `return new RegExp(…)`, here or where it is imported from. */
  function factoryOf(name, home) {
    const declared = declaredFunction(home.tree, name);
    if (declared !== null) return { declared, home };
    const from = home.imports.get(name);
    const content = from === undefined ? null : readModule(home.path, from);
    if (content === null) return null;
    const imported = moduleOf(content.path, content.text);
    const there = declaredFunction(imported.tree, name);
    return there === null ? null : { declared: there, home: imported };
  }

  function called({ declared, home }, node) {
    const given = node.arguments.map((argument) => evaluate(argument, file, new Map()));
    const bound = new Map();
    declared.parameters.forEach((parameter, at) => {
      const value = parameter.dotDotDotToken ? given.slice(at) : given[at];
      bound.set(
        parameter.name.getText(),
        value ?? (parameter.initializer && evaluate(parameter.initializer, home, new Map())),
      );
    });
    return constructed(constructorIn(declared).arguments, node, home, bound);
  }
}

/** Constant values, followed through the files that they are imported from. */
function createEvaluator(readModule) {
  const modules = new Map();
  return { moduleOf, evaluate };

  function moduleOf(at, content) {
    const known = modules.get(at);
    if (known !== undefined) return known;
    const tree = parse(at, content);
    const made = { path: at, tree, constants: constantsOf(tree), imports: importsOf(tree) };
    modules.set(at, made);
    return made;
  }

  /** Strings, numbers and arrays of them; undefined for what is not constant. */
  function evaluate(node, home, bound) {
    if (node === undefined) return undefined;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text.replaceAll('_', ''));
    if (ts.isRegularExpressionLiteral(node)) return literalOf(node).source;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
      return evaluate(node.expression, home, bound);
    if (ts.isTemplateExpression(node)) return template(node, false, home, bound);
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') {
      if (ts.isNoSubstitutionTemplateLiteral(node.template)) return node.template.rawText;
      return template(node.template, true, home, bound);
    }
    if (ts.isBinaryExpression(node)) return arithmetic(node, home, bound);
    if (ts.isPropertyAccessExpression(node) && ['source', 'length'].includes(node.name.text)) {
      const value = evaluate(node.expression, home, bound);
      return node.name.text === 'source' ? value : value?.length;
    }
    if (ts.isCallExpression(node) && /\.join$/.test(node.expression.getText())) {
      const list = evaluate(node.expression.expression, home, bound);
      const glue = evaluate(node.arguments[0], home, bound);
      return Array.isArray(list) && list.every((it) => it !== undefined) ? list.join(glue) : undefined;
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'Math.ceil') {
      const value = evaluate(node.arguments[0], home, bound);
      return value === undefined ? undefined : Math.ceil(value);
    }
    if (ts.isArrayLiteralExpression(node)) return node.elements.map((it) => evaluate(it, home, bound));
    return ts.isIdentifier(node) ? constant(node.text, home, bound) : undefined;
  }

  function constant(name, home, bound) {
    if (bound.has(name)) return bound.get(name);
    const here = home.constants.get(name);
    if (here !== undefined) return evaluate(here, home, new Map());
    const from = home.imports.get(name);
    const content = from === undefined ? null : readModule(home.path, from);
    if (content === null) return undefined;
    const imported = moduleOf(content.path, content.text);
    return evaluate(imported.constants.get(name), imported, new Map());
  }

  function template(node, raw, home, bound) {
    const textOf = (part) => (raw ? part.rawText : part.text);
    let out = textOf(node.head);
    for (const { expression, literal } of node.templateSpans) {
      const value = evaluate(expression, home, bound);
      if (value === undefined) return undefined;
      out += `${value}${textOf(literal)}`;
    }
    return out;
  }

  function arithmetic({ left, right, operatorToken }, home, bound) {
    const [a, b] = [evaluate(left, home, bound), evaluate(right, home, bound)];
    if (a === undefined || b === undefined) return undefined;
    if (operatorToken.kind === ts.SyntaxKind.PlusToken) return a + b;
    if (operatorToken.kind === ts.SyntaxKind.MinusToken) return a - b;
    if (operatorToken.kind === ts.SyntaxKind.SlashToken) return a / b;
    return operatorToken.kind === ts.SyntaxKind.AsteriskToken ? a * b : undefined;
  }
}

function literalOf({ text }) {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

function isRepeated({ parent }) {
  if (parent === undefined || !ts.isCallExpression(parent)) return false;
  const { expression } = parent;
  return ts.isPropertyAccessExpression(expression) && REPEATING.has(expression.name.text);
}

function isConstructor(node) {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

function isInsideFactory(node) {
  for (let at = node.parent; at !== undefined; at = at.parent)
    if (ts.isFunctionDeclaration(at)) return constructorIn(at) === node;
  return false;
}

function constructorIn({ body }) {
  const [statement, ...more] = body?.statements ?? [];
  if (statement === undefined || more.length > 0 || !ts.isReturnStatement(statement)) return null;
  return statement.expression !== undefined && isConstructor(statement.expression)
    ? statement.expression
    : null;
}

function declaredFunction(tree, name) {
  return (
    tree.statements.find(
      (it) => ts.isFunctionDeclaration(it) && it.name?.text === name && constructorIn(it) !== null,
    ) ?? null
  );
}

/** `pattern: …` beside other words of JSON Schema; a literal expression there is not one. */
function isSchemaPattern(node) {
  return (
    ts.isPropertyAssignment(node) &&
    node.name.getText() === 'pattern' &&
    !ts.isRegularExpressionLiteral(node.initializer)
  );
}

function constantsOf(tree) {
  const constants = new Map();
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer !== undefined) constants.set(name.text, initializer);
  }
  return constants;
}

function importsOf(tree) {
  const imports = new Map();
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const named = statement.importClause?.namedBindings;
    if (named === undefined || !ts.isNamedImports(named)) continue;
    for (const { name } of named.elements) imports.set(name.text, statement.moduleSpecifier.text);
  }
  return imports;
}

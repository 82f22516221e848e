// The error codes of the PHP library, and its classes of refusals.
import { ERROR_CLASSES, toldBy } from './error-classes.mjs';
import { comment, file, indent, quote } from './php-text.mjs';

export function errors(model) {
  return file(
    'Acuse',
    [],
    [
      ...comment('The codes of errors known when this library was made; others may come.'),
      'final class ErrorCode',
      '{',
      ...indent(
        model.errors.flatMap(({ code, doc }) => [
          ...comment(doc),
          `public const ${code.toUpperCase()} = ${quote(code)};`,
        ]),
      ),
      '',
      '    /** @internal code => HTTP status, what to do about it */',
      '    public const FIXES = [',
      ...model.errors.map(({ code, status, fix }) => `        ${quote(code)} => [${status}, ${quote(fix)}],`),
      '    ];',
      '}',
    ],
  );
}

export function errorClass(each) {
  const { name, doc, parent = 'Api' } = each;
  const isParent = ERROR_CLASSES.some((other) => other.parent === name);
  return file(
    'Acuse\\Errors',
    [],
    [
      ...comment(`${doc}: ${toldBy(each)}.`),
      `${isParent ? '' : 'final '}class ${name}Error extends ${parent}Error`,
      '{',
      '}',
    ],
  );
}

export function errorClasses() {
  const arms = ERROR_CLASSES.map(({ name, statuses, code }) => {
    const is = statuses.length === 0 ? '$status >= 500' : `in_array($status, [${statuses.join(', ')}], true)`;
    return `${is}${code === undefined ? '' : ` && $code === ${quote(code)}`} => ${name}Error::class,`;
  });
  return file(
    'Acuse\\Internal',
    ['Acuse\\Errors\\ApiError', ...ERROR_CLASSES.map(({ name }) => `Acuse\\Errors\\${name}Error`)].sort(),
    [
      '/** @internal the classes of refusals */',
      'final class ErrorClasses',
      '{',
      ...indent([
        '/** @return class-string<ApiError> for a status, and of 429 for a code */',
        'public static function of(int $status, string $code): string',
        '{',
        ...indent(['return match (true) {', ...indent([...arms, 'default => ApiError::class,']), '};']),
        '}',
      ]),
      '}',
    ],
  );
}

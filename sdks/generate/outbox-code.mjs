// The outbox as code of Go and of PHP.
import { ACCEPTED, outboxStatements, REFUSED } from './outbox.mjs';
import { file, quote } from './php-text.mjs';

export function goOutbox() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements();
  return `// OutboxTable is what a migration of yours creates, once; libraries in all languages share it.
const OutboxTable = \`${TABLE}\`

const (
	outboxAdd = \`${ADD}\`

	outboxClaim = \`${CLAIM}\`

	outboxRecord = \`${RECORD}\`

	// outboxAccepted is the code of a message that was accepted before.
	outboxAccepted = ${JSON.stringify(ACCEPTED)}
)

// outboxRefused has the statuses that end a message, with a code of the API.
var outboxRefused = []int{${REFUSED.join(', ')}}
`;
}

export function phpOutbox() {
  const { TABLE, ADD, CLAIM, RECORD } = outboxStatements(() => '?');
  const statement = (name, sql) => [
    `    public const ${name} = <<<'SQL'`,
    ...sql
      .trimEnd()
      .split('\n')
      .map((line) => `        ${line}`),
    '        SQL;',
  ];
  return file(
    'Acuse\\Internal',
    [],
    [
      '/** The statements of the outbox, which libraries in all languages share. @internal */',
      'final class OutboxSql',
      '{',
      ...[...statement('TABLE', TABLE), ...statement('ADD', ADD), ...statement('CLAIM', CLAIM)],
      ...statement('RECORD', RECORD),
      '    /** Statuses that end a message, with a code of the API. */',
      `    public const REFUSED = [${REFUSED.join(', ')}];`,
      '    /** The code of a message that was accepted before. */',
      `    public const ACCEPTED = ${quote(ACCEPTED)};`,
      '}',
    ],
  );
}

import { CodeBlock, Stack } from '../../../../shared/ui/layout.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import classes from './exchange.module.css';
import { detailWords } from './words.ts';

type Headers = Readonly<Record<string, string>>;

interface AnswerProps {
  readonly headers: Headers | null;
  readonly excerpt: string | null;
  /** Why there is none, as it was reported. */
  readonly error: string | null;
}

export function AnswerText({ headers, excerpt, error }: AnswerProps) {
  const words = useWords(detailWords);
  if (headers === null && excerpt === null)
    return (
      <Stack>
        <p className={classes['none']}>{words.noResponse}</p>
        {error !== null && <CodeBlock label={words.reported} text={error} wrap />}
      </Stack>
    );
  return (
    <Stack>
      {headers !== null && <CodeBlock label={words.responseHeaders} text={headerText(headers)} wrap />}
      {excerpt === null || excerpt === '' ? (
        <p className={classes['none']}>{words.noBody}</p>
      ) : (
        <CodeBlock label={words.responseBody} text={excerpt} wrap />
      )}
    </Stack>
  );
}

export function headerText(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

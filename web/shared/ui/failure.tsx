import { CloudOff, SearchX } from 'lucide-react';
import { asProblem, NO_ANSWER_YET } from '../api/error.ts';
import { visible } from '../format/foreign-text.ts';
import { useWords } from '../words/use-words.ts';
import { Button, ButtonLink } from './button.tsx';
import { PageHeading } from './heading.tsx';
import { problemWords } from './problem-words.ts';
import { useWorded } from './said.tsx';
import classes from './states.module.css';
import { ICON_PX } from './states.tsx';
import { uiWords } from './words.ts';

const NOT_FOUND = 404;

export interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** It is all that the page shows: what happened is the page's heading. */
  readonly whole?: boolean;
  /** Where what exists is listed. */
  readonly list?: string | undefined;
}

/** An error: what happened in the reader's language, the server's own words, and the request to ask about. */
export function Failure({ error, onRetry, whole = false, list }: FailureProps) {
  const words = useWords(problemWords);
  const common = useWords(uiWords);
  const problem = asProblem(error);
  // Something that does not exist will not exist at the next try.
  const isGone = problem.status === NOT_FOUND;
  const Icon = isGone ? SearchX : CloudOff;
  const known = useWorded()(problem.message);
  const [title, ...advice] = sentences(problemText(words.errors, problem.code));
  const panel = (
    <div className={classes['panel']} role="alert">
      <Icon
        size={ICON_PX}
        className={classes[isGone || error === NO_ANSWER_YET ? 'icon' : 'failed']}
        aria-hidden="true"
      />
      {!whole && <h2>{title}</h2>}
      {advice.length > 0 && <p>{advice.join(' ')}</p>}
      {known === null && problem.message !== '' && (
        <p>
          {words.serverSaid}: <q lang="en">{visible(problem.message)}</q>
        </p>
      )}
      {known !== null && known !== '' && <p>{known}</p>}
      {problem.requestId !== null && (
        <div className={classes['facts']}>
          {words.requestId} <code>{problem.requestId}</code> · <code>{problem.code}</code>
        </div>
      )}
      {isGone && list !== undefined && <ButtonLink to={list}>{common.toList}</ButtonLink>}
      {!isGone && onRetry !== undefined && <Button onClick={onRetry}>{common.retry}</Button>}
    </div>
  );
  if (!whole) return panel;
  return (
    <>
      <PageHeading title={title} />
      {panel}
    </>
  );
}

/** The first is a heading: one that is longer than a line or two is cut. */
const sentences = (text: string): string[] => text.split(/(?<=\.) /);

function problemText(errors: Readonly<Record<string, string>>, code: string): string {
  return errors[code] ?? errors['other'] ?? code;
}

/** A refusal's message in the reader's language, for a form that shows it next to its button. */
export function useProblemText(): (error: unknown) => string {
  const words = useWords(problemWords);
  return (error) => problemText(words.errors, asProblem(error).code);
}

import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId, useRef } from 'react';
import classes from './code-editor.module.css';

/** Where a source is wrong, and why. */
export interface SourceProblem {
  /** From 1; null: no place in it. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: ReactNode;
}

export interface CodeEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem?: SourceProblem | null;
  readonly hint?: ReactNode;
  readonly readOnly?: boolean;
  /** Lines that are there when it holds fewer. */
  readonly lines?: number;
  /** Says where the problem is: "Line 3, column 9". It leads there. */
  readonly placeText: (line: number, column: number | null) => string;
}

/** Lines that are numbered; beyond them nobody edits by hand. */
const NUMBERED_MAX = 5_000;

/**
 * Source text with its lines numbered and the one that is wrong marked. A textarea: keys, undo and screen
 * readers work as everywhere, and Tab leaves it.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { label, value, onChange, problem = null, hint, readOnly = false, lines: least = 8 } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const lines = Math.max(least, lineCount(value));
  const described = [hint === undefined ? '' : `${id}-hint`, problem === null ? '' : `${id}-problem`];
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>{label}</label>
      <div className={classes['frame']} data-invalid={problem !== null}>
        <div className={classes['sheet']}>
          <Gutter lines={lines} wrong={problem?.line ?? null} />
          <textarea
            ref={field}
            id={id}
            className={classes['text']}
            value={value}
            rows={lines}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            readOnly={readOnly}
            aria-invalid={problem !== null || undefined}
            aria-describedby={described.filter(Boolean).join(' ') || undefined}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      </div>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={classes['hint']}>
          {hint}
        </span>
      )}
      {problem !== null && (
        <div id={`${id}-problem`} className={classes['problem']} role="alert">
          <CircleAlert size={16} aria-hidden="true" />
          <div>
            {problem.line !== null && (
              <button type="button" onClick={() => goTo(field.current, problem)}>
                {props.placeText(problem.line, problem.column)}
              </button>
            )}{' '}
            {problem.message}
          </div>
        </div>
      )}
    </div>
  );
}

function Gutter({ lines, wrong }: { lines: number; wrong: number | null }) {
  const numbered = Math.min(lines, NUMBERED_MAX);
  return (
    <div className={classes['gutter']} aria-hidden="true">
      {Array.from({ length: numbered }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
        <div key={index} className={index + 1 === wrong ? classes['wrong'] : undefined}>
          {index + 1}
        </div>
      ))}
    </div>
  );
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Selects the rest of the line from the place on. */
function goTo(field: HTMLTextAreaElement | null, { line, column }: SourceProblem): void {
  if (field === null || line === null) return;
  let start = 0;
  for (let at = 1; at < line; at++) start = field.value.indexOf('\n', start) + 1;
  const found = field.value.indexOf('\n', start);
  const end = found === -1 ? field.value.length : found;
  field.focus();
  field.setSelectionRange(Math.min(start + (column ?? 1) - 1, end), end);
}

import { useFormat } from '../../../../shared/format/format.ts';
import type { PageProps } from '../../../../shared/routing/page.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { CodeEditor, type SourceProblem } from '../../../../shared/ui/code-editor.tsx';
import { TextField } from '../../../../shared/ui/field.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Said } from '../../../../shared/ui/said.tsx';
import { Segments } from '../../../../shared/ui/segments.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { useCan } from '../../can.ts';
import { type Content, NO_CONTENT, OWN } from './draft.ts';
import classes from './editor.module.css';
import { editorWords } from './editor-words.ts';
import { Languages } from './languages.tsx';
import { Preview } from './preview.tsx';
import type { Located } from './problem.ts';
import { PARTS, type Part, type Search } from './search.ts';
import type { TestData } from './test-data.ts';
import type { Editing } from './use-editing.ts';
import { usePreview } from './use-preview.ts';

export interface EditorProps {
  readonly editing: Editing;
  readonly data: TestData;
  readonly search: Search;
  readonly setSearch: PageProps<Search>['setSearch'];
}

/** The source on one side, what it makes of the test data on the other. */
export default function Editor({ editing, data, search, setSearch }: EditorProps) {
  const words = useWords(editorWords);
  const can = useCan();
  const { draft, refused } = editing;
  const language = draft.contents[search.language] === undefined ? OWN : search.language;
  return (
    <>
      {refused !== null && <Refused refused={refused} />}
      <div className={classes['head']}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={draft.name}
          readOnly={can.send !== null}
          onChange={editing.setName}
          error={refused?.located?.part === 'name' ? words.nameTaken : null}
        />
        <Languages
          editing={editing}
          language={language}
          onChoose={(tag) => setSearch({ language: tag }, { replace: true })}
        />
      </div>
      <Sides key={language} {...{ editing, data, search, setSearch, language }} />
    </>
  );
}

/** Of one language: what another one made must not stand next to this source. */
function Sides({ editing, data, search, setSearch, language }: EditorProps & { language: string }) {
  const can = useCan();
  const content = editing.draft.contents[language] ?? NO_CONTENT;
  const preview = usePreview(content, data.variables);
  const problem = problemIn(language, editing.refused?.located ?? null) ?? preview.problem;
  return (
    <div className={classes['columns']}>
      <div className={classes['column']}>
        <Source
          content={content}
          part={search.part}
          problem={problem}
          readOnly={can.send !== null}
          onPart={(part) => setSearch({ part }, { replace: true })}
          onChange={(change) => editing.setContent(language, change)}
        />
        <DataEditor data={data} content={content} />
      </div>
      <div className={classes['column']}>
        <Preview preview={preview} part={search.part} content={content} />
      </div>
    </div>
  );
}

/** A refusal by another content than this one is shown above all, not at a line. */
function problemIn(language: string, located: Located | null): Located | null {
  return located !== null && (located.language ?? OWN) === language && located.part !== 'name'
    ? located
    : null;
}

function Refused({ refused }: { refused: NonNullable<Editing['refused']> }) {
  return (
    <div className={classes['refused']}>
      <Refusal error={refused.error} />
    </div>
  );
}

interface SourceProps {
  readonly content: Content;
  readonly part: Part;
  readonly problem: Located | null;
  readonly readOnly: boolean;
  readonly onPart: (part: Part) => void;
  readonly onChange: (change: Partial<Content>) => void;
}

function Source({ content, part, problem, readOnly, onPart, onChange }: SourceProps) {
  const words = useWords(editorWords);
  const place = usePlaceText();
  const hints = { html: words.noHtmlHint, text: words.noTextHint };
  return (
    <>
      <TextField
        label={words.subject}
        value={content.subject}
        readOnly={readOnly}
        mono
        onChange={(subject) => onChange({ subject })}
        error={problem?.part === 'subject' ? problem.message : null}
      />
      <div className={classes['source']}>
        <div className={classes['bar']}>
          <Segments
            label={words.part}
            value={part}
            choices={PARTS.map((value) => ({
              value,
              label: words.parts[value],
              problem: problem?.part === value ? words.hasProblem : undefined,
            }))}
            onChange={onPart}
          />
        </div>
        <Elsewhere problem={problem} part={part} onPart={onPart} />
        <CodeEditor
          key={part}
          label={part === 'html' ? words.htmlSource : words.textSource}
          value={content[part]}
          readOnly={readOnly}
          lines={14}
          hint={content[part] === '' ? hints[part] : words.syntax}
          placeText={place}
          problem={problem?.part === part ? sourceProblem(problem) : null}
          onChange={(source) => onChange({ [part]: source })}
        />
      </div>
    </>
  );
}

type ElsewhereProps = Pick<SourceProps, 'problem' | 'part' | 'onPart'>;

/** Points to the fault in the hidden part. */
function Elsewhere({ problem, part, onPart }: ElsewhereProps) {
  const words = useWords(editorWords);
  const place = usePlaceText();
  const other = part === 'html' ? 'text' : 'html';
  if (problem?.part !== other) return null;
  const { line, column, message } = problem;
  return (
    <div className={classes['elsewhere']} role="alert">
      <Notice tone="failed">
        <button type="button" onClick={() => onPart(other)}>
          {words.parts[other]}
        </button>{' '}
        {line !== null && place(line, column)} <Said text={message} />
      </Notice>
    </div>
  );
}

function sourceProblem({ line, column, message }: Located): SourceProblem {
  return { line, column, message: <Said text={message} /> };
}

function usePlaceText(): (line: number, column: number | null) => string {
  const words = useWords(editorWords);
  const { number } = useFormat();
  return (line, column) => words.place(number(line), column === null ? null : number(column));
}

function DataEditor({ data, content }: { data: TestData; content: Content }) {
  const words = useWords(editorWords);
  const place = usePlaceText();
  const { typed } = data;
  const completed = data.completion([content.subject, content.text, content.html]);
  return (
    <div className={classes['source']}>
      <CodeEditor
        label={words.data}
        value={data.text}
        hint={words.dataHint}
        lines={5}
        placeText={place}
        problem={'value' in typed ? null : { line: typed.line, column: null, message: words.dataProblem }}
        onChange={data.setText}
      />
      <div>
        <Button
          unavailable={completed === null ? words.dataComplete : null}
          onClick={() => completed !== null && data.setText(completed)}
        >
          {words.completeData}
        </Button>
      </div>
    </div>
  );
}

import { Image } from 'lucide-react';
import { useState } from 'react';
import { HtmlFrame } from '../../../../shared/mail/html-frame.tsx';
import { Button } from '../../../../shared/ui/button.tsx';
import { Foreign } from '../../../../shared/ui/foreign.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { Refusal } from '../../../../shared/ui/refusal.tsx';
import { Segments } from '../../../../shared/ui/segments.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import type { Content } from './draft.ts';
import classes from './editor.module.css';
import { editorWords } from './editor-words.ts';
import type { Part } from './search.ts';
import type { PreviewState } from './use-preview.ts';

const WIDTHS = ['full', 'phone'] as const;
type Width = (typeof WIDTHS)[number];
/** With remote images, offers to load them. */
const REMOTE = /https:\/\//i;

interface PreviewProps {
  readonly preview: PreviewState;
  /** The part that the source shows: the preview begins with it. */
  readonly part: Part;
  readonly content: Content;
}

/** As a reader gets it. */
export function Preview({ preview, part, content }: PreviewProps) {
  const words = useWords(editorWords);
  const [width, setWidth] = useState<Width>('full');
  const { made, error, problem, isEmpty } = preview;
  return (
    <section className={classes['preview']} aria-label={words.preview}>
      <div className={classes['bar']}>
        <h2>{words.preview}</h2>
        {part === 'html' && (
          <Segments
            label={words.widthOf}
            value={width}
            choices={WIDTHS.map((value) => ({ value, label: words.widths[value] }))}
            onChange={setWidth}
          />
        )}
      </div>
      {error !== null && problem === null && <Refusal error={error} />}
      {error !== null && problem !== null && made !== null && (
        <Notice tone="waiting" live>
          {words.previewFailed}
        </Notice>
      )}
      {(isEmpty || made === null) && (
        <p className={classes['nothing']}>{isEmpty ? words.previewEmpty : words.previewNone}</p>
      )}
      {!isEmpty && made !== null && (
        <div className={classes['mail']}>
          <p className={classes['subject']}>
            <Foreign text={made.subject} none={words.noSubject} />
          </p>
          {part === 'html' && <HtmlPart preview={preview} source={content.html} phone={width === 'phone'} />}
          {part === 'text' && <TextPart text={made.text} />}
        </div>
      )}
    </section>
  );
}

interface HtmlProps {
  readonly preview: PreviewState;
  readonly source: string;
  readonly phone: boolean;
}

function HtmlPart({ preview: { made, images, showImages }, source, phone }: HtmlProps) {
  const words = useWords(editorWords);
  if (made === null || made.html === null) return <p className={classes['nothing']}>{words.noHtml}</p>;
  return (
    <>
      <HtmlFrame
        label={words.preview}
        page={made.html}
        address={`/portal/frame?images=${images ? 1 : 0}`}
        phone={phone}
      />
      {!images && /<img|background/i.test(source) && REMOTE.test(source) && (
        <div className={classes['images']}>
          <span>{words.imagesWarning}</span>
          <Button icon={Image} onClick={showImages}>
            {words.images}
          </Button>
        </div>
      )}
    </>
  );
}

function TextPart({ text }: { text: string | null }) {
  const words = useWords(editorWords);
  if (text === null) return <p className={classes['nothing']}>{words.noText}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keys
    <pre className={classes['text']} tabIndex={0}>
      {text}
    </pre>
  );
}

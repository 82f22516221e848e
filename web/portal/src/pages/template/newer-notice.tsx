import type { Template } from '../../../../shared/api/portal-types.ts';
import { useFormat } from '../../../../shared/format/format.ts';
import { Button } from '../../../../shared/ui/button.tsx';
import { Row } from '../../../../shared/ui/layout.tsx';
import { Notice } from '../../../../shared/ui/notice.tsx';
import { useWords } from '../../../../shared/words/use-words.ts';
import { dialogWords } from './dialog-words.ts';
import classes from './page.module.css';
import type { Editing } from './use-editing.ts';

/** Somebody else saved while this was edited: nobody's words go unseen. */
export default function NewerNotice({ newer, take }: { newer: Template; take: Editing['take'] }) {
  const words = useWords(dialogWords);
  const format = useFormat();
  return (
    <div className={classes['newer']}>
      <Notice tone="waiting" live>
        <p>{words.newer(format.number(newer.version))}</p>
        <Row>
          <Button onClick={() => take(newer)}>{words.takeNewer}</Button>
        </Row>
      </Notice>
    </div>
  );
}

import { Fragment } from 'react';
import { shownText } from '../format/foreign-text.ts';

const BREAKS = /(?<=\S{4}[@./])(?=\S{4})/;

interface Props {
  readonly text: string | null | undefined;
  /** Stands for a text without anything to see; by default nothing. */
  readonly none?: string;
  /**
   * An address that may go on in the next line, behind a dot or an @ and not inside a word. Not where the
   * line may not wrap: browsers break it there all the same.
   */
  readonly breaks?: boolean;
}

/** A stranger's text: it turns nothing around, hides nothing, and ends where it ends. */
export function Foreign({ text, none = '', breaks = false }: Props) {
  const shown = shownText(text, none);
  if (!breaks) return <bdi>{shown}</bdi>;
  return (
    <bdi>
      {shown.split(BREAKS).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {piece}
        </Fragment>
      ))}
    </bdi>
  );
}

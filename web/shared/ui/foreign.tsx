import { Fragment } from 'react';
import { shownText } from '../format/foreign-text.ts';

/** Where an address or the name of a domain may go on in the next line. */
const BREAKS = /(?<=\S{4}[@./])(?=\S{4})/;

interface Props {
  readonly text: string | null | undefined;
  /** Stands for a text without anything to see; by default nothing. */
  readonly none?: string;
}

/**
 * A stranger's text: it turns nothing around, hides nothing, and ends where it ends.
 * An address breaks behind its dots before it breaks inside a word.
 */
export function Foreign({ text, none = '' }: Props) {
  const [first, ...others] = shownText(text, none).split(BREAKS);
  return (
    <bdi>
      {first}
      {others.map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
        <Fragment key={at}>
          <wbr />
          {piece}
        </Fragment>
      ))}
    </bdi>
  );
}

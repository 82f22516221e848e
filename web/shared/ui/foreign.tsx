import { shownText } from '../format/foreign-text.ts';

interface Props {
  readonly text: string | null | undefined;
  /** Stands for a text without anything to see; by default nothing. */
  readonly none?: string;
}

/** A stranger's text: it turns nothing around, hides nothing, and ends where it ends. */
export function Foreign({ text, none = '' }: Props) {
  return <bdi>{shownText(text, none)}</bdi>;
}

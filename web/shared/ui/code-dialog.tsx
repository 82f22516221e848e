import type { ReactNode } from 'react';
import { useWords } from '../words/use-words.ts';
import { Dialog } from './dialog.tsx';
import { CodeBlock, Stack } from './layout.tsx';
import { uiWords } from './words.ts';

export interface ShownCode {
  readonly title: string;
  readonly code: string;
}

interface Props {
  /** A warning before pasting. */
  readonly hint: string;
  /** When there is no code. */
  readonly none: string;
  readonly shown: readonly ShownCode[];
  /** Above the code: how it is chosen. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

/** The page’s requests as code, for programs. */
export function CodeDialog({ hint, none, shown, children, onClose }: Props) {
  const words = useWords(uiWords);
  return (
    <Dialog title={words.code} wide onClose={onClose}>
      {shown.length === 0 ? (
        <p>{none}</p>
      ) : (
        <Stack>
          <p>{hint}</p>
          {children}
          {shown.map(({ title, code }) => (
            <CodeBlock key={code} label={title} text={code} />
          ))}
        </Stack>
      )}
    </Dialog>
  );
}

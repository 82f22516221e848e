import type { ReactNode } from 'react';
import { OpenPage } from '../../../shared/app/open-frame.tsx';
import { useWords } from '../../../shared/words/use-words.ts';
import { portalWords } from './words.ts';

/** Around the pages that need no session. */
export default function PortalOpenFrame({ children }: { children: ReactNode }) {
  const words = useWords(portalWords);
  return <OpenPage name={words.name}>{children}</OpenPage>;
}

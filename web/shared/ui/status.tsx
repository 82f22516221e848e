import { CircleCheck, CircleDashed, CircleMinus, Clock3, OctagonX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Icon } from './button.tsx';
import { SealIcon } from './seal.tsx';
import classes from './status.module.css';

/** The states that anything of ours is in: each has a colour, an icon of its own shape, and a word. */
export type Tone = 'sent' | 'waiting' | 'failed' | 'sealed' | 'neutral';

const ICONS: Readonly<Record<Exclude<Tone, 'sealed'>, Icon>> = {
  sent: CircleCheck,
  waiting: Clock3,
  failed: OctagonX,
  neutral: CircleMinus,
};

export interface StatusProps {
  readonly tone: Tone;
  /** The word. */
  readonly children: ReactNode;
  /** On a ground of its own: beside a heading. */
  readonly badge?: boolean;
  /** Something is being done about it at the moment. */
  readonly working?: boolean;
}

export function Status({ tone, children, badge = false, working = false }: StatusProps) {
  const ToneIcon = tone === 'sealed' ? null : working ? CircleDashed : ICONS[tone];
  return (
    <span className={[classes['status'], classes[tone], badge ? classes['badge'] : ''].join(' ')}>
      {ToneIcon === null ? <SealIcon state="sealed" /> : <ToneIcon size={16} aria-hidden="true" />}
      {children}
    </span>
  );
}

import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Icon } from './button.tsx';
import classes from './notice.module.css';

export type NoticeTone = 'info' | 'waiting' | 'failed' | 'sent';
const NOTICE_ICONS: Readonly<Record<NoticeTone, Icon>> = {
  info: Info,
  waiting: TriangleAlert,
  failed: CircleAlert,
  sent: CircleCheck,
};

/** Something to know about the page or the form that it stands in. */
export function Notice({
  tone = 'info',
  live = false,
  children,
}: {
  tone?: NoticeTone;
  live?: boolean;
  children: ReactNode;
}) {
  const NoticeIcon = NOTICE_ICONS[tone];
  return (
    <div className={`${classes['notice']} ${classes[tone] ?? ''}`} {...(live && { role: 'status' })}>
      <NoticeIcon size={16} aria-hidden="true" />
      <div>{children}</div>
    </div>
  );
}

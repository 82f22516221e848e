import { lazy, type ReactNode, Suspense } from 'react';
import { Skeleton } from '../../ui/states.tsx';
import type { SessionUser } from '../session.ts';
import { useOwn } from './own.ts';
import { InThisBrowser, Profile } from './profile.tsx';
import { SigningIn } from './signing-in.tsx';
import classes from './you.module.css';

const PasskeysSection = lazy(() => import('../passkeys-section.tsx'));
const Sessions = lazy(() => import('./sessions.tsx'));

export function OwnParts({ user, children }: { user: SessionUser; children?: ReactNode }) {
  const { path } = useOwn();
  return (
    <>
      <div className={classes['page']}>
        <Profile user={user} />
        <div className={classes['column']}>
          <SigningIn user={user} />
          <InThisBrowser />
        </div>
      </div>
      <div className={classes['lists']}>
        <Suspense fallback={<Skeleton rows={2} />}>
          <PasskeysSection path={`${path}/passkeys`} />
        </Suspense>
        <Suspense fallback={<Skeleton rows={4} />}>
          <Sessions />
        </Suspense>
        {children}
      </div>
    </>
  );
}

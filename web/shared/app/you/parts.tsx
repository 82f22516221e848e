import type { ReactNode } from 'react';
import type { SessionUser } from '../session.ts';
import { InThisBrowser, Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { SigningIn } from './signing-in.tsx';
import classes from './you.module.css';

/** What both kinds of people see and change of themselves. */
export function OwnParts({ user, children }: { user: SessionUser; children?: ReactNode }) {
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
        <Sessions />
        {children}
      </div>
    </>
  );
}

import { createContext, type ReactNode, useContext } from 'react';
import type { Session, SessionAccount } from './session.ts';

export interface Me {
  readonly session: Session;
  readonly account: SessionAccount | null;
}

const Context = createContext<Me | null>(null);

export function MeProvider({ me, children }: { me: Me; children: ReactNode }) {
  return <Context.Provider value={me}>{children}</Context.Provider>;
}

/** Inside the shell only: pages that need a session have one. */
export function useMe(): Me {
  const me = useContext(Context);
  if (me === null) throw new Error('outside of a session');
  return me;
}

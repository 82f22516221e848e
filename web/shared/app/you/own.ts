import { createContext, useContext } from 'react';

/** The owner of the page: a customer's person, or an operator; each has its own routes. */
export interface Own {
  readonly path: '/user' | '/operator';
  /** Why the second factor cannot be turned off. */
  readonly factorNeeded: string | null;
}

const Context = createContext<Own>({ path: '/user', factorNeeded: null });

export const OwnProvider = Context.Provider;

export function useOwn(): Own {
  return useContext(Context);
}

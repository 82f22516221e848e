import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

type Show = (render: (done: () => void) => ReactNode) => Promise<void>;

interface Shown {
  readonly render: (done: () => void) => ReactNode;
  readonly resolve: () => void;
}

const ShowOnce = createContext<Show | null>(null);

/**
 * For what the server tells only once: a key, a secret, a link, recovery codes. It is shown above the pages,
 * not by the page that asked for it, because that page may change or go at any moment: something was read
 * again, a session ended. It stays until the reader says that they have it; so does the promise.
 */
export function useShowOnce(): Show {
  const show = useContext(ShowOnce);
  if (show === null) throw new Error('useShowOnce is outside of its provider');
  return show;
}

export function OnceProvider({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<readonly Shown[]>([]);
  const show = useCallback<Show>(
    (render) => new Promise((resolve) => setWaiting((known) => [...known, { render, resolve }])),
    [],
  );
  const [first] = waiting;
  const isShown = first !== undefined;
  useEffect(() => {
    if (!isShown) return;
    // The browser asks whether to leave, in its own words.
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', hold);
    return () => removeEventListener('beforeunload', hold);
  }, [isShown]);
  return (
    <ShowOnce.Provider value={show}>
      {children}
      {first?.render(() => {
        setWaiting((known) => known.filter((each) => each !== first));
        first.resolve();
      })}
    </ShowOnce.Provider>
  );
}

import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import classes from './toast.module.css';

/** How long it stays: long enough to be read twice (ms). */
const SHOWN_MS = 5_000;

const Context = createContext<(text: string) => void>(() => {});

/** Says in passing that something was done: on the screen, and to those who listen. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([]);
  const next = useRef(0);
  const toast = useCallback((text: string) => {
    const id = next.current++;
    setToasts((shown) => [...shown.filter((each) => each.text !== text), { id, text }]);
    setTimeout(() => setToasts((shown) => shown.filter((each) => each.id !== id)), SHOWN_MS);
  }, []);
  return (
    <Context.Provider value={toast}>
      {children}
      <div className={classes['region']} role="status" aria-live="polite">
        {toasts.map(({ id, text }) => (
          <div key={id} className={classes['toast']}>
            {text}
          </div>
        ))}
      </div>
    </Context.Provider>
  );
}

export function useToast(): (text: string) => void {
  return useContext(Context);
}

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import classes from './toast.module.css';

/** How long it stays: long enough to be read twice (ms). */
const SHOWN_MS = 5_000;

interface Toasts {
  readonly shown: readonly { readonly id: number; readonly text: string }[];
  /** Where they can be seen, the last one above the others. */
  readonly regions: readonly string[];
  /** Returns what takes the region away. */
  addRegion(id: string): () => void;
}

const Say = createContext<(text: string) => void>(() => {});
const Shown = createContext<Toasts | null>(null);

/** Says in passing that something was done: on the screen, and to those who listen. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Toasts['shown']>([]);
  const [regions, setRegions] = useState<readonly string[]>([]);
  const next = useRef(0);
  const say = useCallback((text: string) => {
    const id = next.current++;
    setShown((known) => [...known.filter((each) => each.text !== text), { id, text }]);
    setTimeout(() => setShown((known) => known.filter((each) => each.id !== id)), SHOWN_MS);
  }, []);
  const addRegion = useCallback((id: string) => {
    setRegions((known) => [...known, id]);
    return () => setRegions((known) => known.filter((each) => each !== id));
  }, []);
  const toasts = useMemo(() => ({ shown, regions, addRegion }), [shown, regions, addRegion]);
  return (
    <Say.Provider value={say}>
      <Shown.Provider value={toasts}>
        <ToastRegion />
        {children}
      </Shown.Provider>
    </Say.Provider>
  );
}

/**
 * Where toasts stand. A modal dialog covers the page and silences it, so that each has a region of its own,
 * and the topmost one shows them.
 */
export function ToastRegion() {
  const toasts = useContext(Shown);
  const id = useId();
  const addRegion = toasts?.addRegion;
  useEffect(() => addRegion?.(id), [addRegion, id]);
  const shown = toasts?.regions.at(-1) === id ? toasts.shown : [];
  return (
    <div className={classes['region']} role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} className={classes['toast']}>
          {toast.text}
        </div>
      ))}
    </div>
  );
}

export function useToast(): (text: string) => void {
  return useContext(Say);
}

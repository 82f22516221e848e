import { useEffect, useLayoutEffect, useRef } from 'react';
import classes from './html-frame.module.css';

export interface HtmlFrameProps {
  readonly label: string;
  /** As the server rewrote it. */
  readonly page: string;
  /** Where the frame itself is loaded from. */
  readonly address: string;
  readonly phone?: boolean;
}

/** A page that has no address, in a frame that has no part in ours, which it is handed to. */
export function HtmlFrame({ label, page, address, phone = false }: HtmlFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const ready = useRef(false);
  const latest = useRef(page);
  latest.current = page;
  // Before the browser can load the frame: from its cache it is ready at once, and says so once.
  useLayoutEffect(() => {
    const hear = ({ source, data }: MessageEvent<unknown>) => {
      if (source === null || source !== frame.current?.contentWindow || data !== 'ready') return;
      ready.current = true;
      hand(frame.current, latest.current);
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, []);
  useEffect(() => {
    if (ready.current) hand(frame.current, page);
  }, [page]);
  return (
    <iframe
      ref={frame}
      sandbox="allow-scripts"
      src={address}
      title={label}
      className={`${classes['frame']} ${phone ? classes['phone'] : ''}`}
    />
  );
}

/** Its origin is of its own, which no name says; whoever is in the frame, the page is no secret from it. */
function hand(frame: HTMLIFrameElement | null, page: string): void {
  frame?.contentWindow?.postMessage(page, '*');
}

import type { SmtpSession } from '@acuse/mail/smtp/client';

/** The policy that decided about TLS. */
export type TlsBy = 'dane' | 'mta-sts' | 'opportunistic' | 'configuration';

export interface OpenSession {
  readonly session: SmtpSession;
  readonly tlsBy: TlsBy;
}

export interface IdleSessions {
  take(destination: string): OpenSession | null;
  give(destination: string, open: OpenSession): void;
  close(): Promise<void>;
}

const IDLE_SESSION_MS = 5_000;
const MAX_IDLE_SESSIONS = 1_000;

interface Idle {
  readonly open: OpenSession;
  readonly timer: NodeJS.Timeout;
}

export function createIdleSessions(): IdleSessions {
  const byDestination = new Map<string, Idle[]>();
  let count = 0;
  let closed = false;

  function remove(destination: string, idle: Idle): void {
    const list = byDestination.get(destination);
    const at = list?.indexOf(idle) ?? -1;
    if (list === undefined || at === -1) return;
    list.splice(at, 1);
    count--;
    if (list.length === 0) byDestination.delete(destination);
  }

  return {
    take(destination) {
      for (;;) {
        const idle = byDestination.get(destination)?.at(-1);
        if (idle === undefined) return null;
        remove(destination, idle);
        clearTimeout(idle.timer);
        if (idle.open.session.reusable) return idle.open;
        void idle.open.session.quit();
      }
    },
    give(destination, open) {
      const { session } = open;
      if (closed || !session.reusable || count >= MAX_IDLE_SESSIONS) {
        void session.quit();
        return;
      }
      const idle: Idle = {
        open,
        timer: setTimeout(() => {
          remove(destination, idle);
          void session.quit();
        }, IDLE_SESSION_MS).unref(),
      };
      const list = byDestination.get(destination) ?? [];
      list.push(idle);
      byDestination.set(destination, list);
      count++;
    },
    async close() {
      closed = true;
      const all = [...byDestination.values()].flat();
      byDestination.clear();
      count = 0;
      for (const idle of all) clearTimeout(idle.timer);
      await Promise.all(all.map((idle) => idle.open.session.quit()));
    },
  };
}

import { EvidenceError } from './errors.ts';

/** One step of a verification and why it came out so. */
export type Check = { name: string; ok: boolean; detail: string };

const SKIPPED = 'not checked because ';

/** Was the step not taken, for one before it failed? */
export function wasSkipped({ ok, detail }: Check): boolean {
  return !ok && detail.startsWith(SKIPPED);
}

export type Outcome<T> = { value: T; detail: string };

/** The steps of one verification, in the order in which they were taken. */
export class Checklist {
  readonly checks: Check[] = [];

  /** The step's value, or undefined if it failed; whatever it throws becomes the reason. */
  run<T>(name: string, step: () => Outcome<T>): T | undefined {
    try {
      const { value, detail } = step();
      this.add(name, true, detail);
      return value;
    } catch (error) {
      this.add(name, false, reasonOf(error));
      return undefined;
    }
  }

  async runAsync<T>(name: string, step: () => Promise<Outcome<T>>): Promise<T | undefined> {
    try {
      const { value, detail } = await step();
      this.add(name, true, detail);
      return value;
    } catch (error) {
      this.add(name, false, reasonOf(error));
      return undefined;
    }
  }

  add(name: string, ok: boolean, detail: string): void {
    this.checks.push({ name, ok, detail });
  }

  /** A step that cannot be taken, for one before it failed. */
  skip(name: string, failed: string): void {
    this.add(name, false, `${SKIPPED}${failed} failed`);
  }

  get ok(): boolean {
    return this.checks.every((check) => check.ok);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof EvidenceError) return error.detail;
  // Bytes that made our own code stumble are refused all the same; the word lets a test find it.
  return `unexpected: ${error instanceof Error ? `${error.name} ${error.message}` : 'a fault'}`;
}

import { EvidenceError } from './errors.ts';

export type Check = { name: string; ok: boolean; detail: string };

const SKIPPED = 'not checked because ';

/** True if an earlier step failed. */
export function wasSkipped({ ok, detail }: Check): boolean {
  return !ok && detail.startsWith(SKIPPED);
}

export type Outcome<T> = { value: T; detail: string };

/** The steps of one verification, in the order in which they were taken. */
export class Checklist {
  readonly checks: Check[] = [];

  /** Undefined if it failed; exceptions become the reason. */
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

  /** Skipped because an earlier step failed. */
  skip(name: string, failed: string): void {
    this.add(name, false, `${SKIPPED}${failed} failed`);
  }

  get ok(): boolean {
    return this.checks.every((check) => check.ok);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof EvidenceError) return error.detail;
  // A fault of our own code fails the check too; tests look for this word.
  return `unexpected: ${error instanceof Error ? `${error.name} ${error.message}` : 'a fault'}`;
}

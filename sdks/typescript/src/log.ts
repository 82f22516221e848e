/** The public log: what it says, checked under a key that the caller pins. */
import type { Calls } from './calls.ts';
import { OPERATIONS } from './contract-generated.ts';
import { LogOperations } from './operations-generated.ts';
import type { CallOptions } from './options.ts';

/** `acuse.log`. */
export class Log extends LogOperations {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    super(calls);
    this.#calls = calls;
  }

  /** The text of the newest checkpoint, a signed note, unchecked. */
  async checkpointText(options?: CallOptions): Promise<string> {
    return (await this.#calls.value(OPERATIONS['log.checkpoint'], { options })) as string;
  }
}

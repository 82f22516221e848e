/**
 * An authority for tests that can be made to err: each fault and each variation of faults.ts, as a response.
 */
import { FAULTS, type Fault, type FaultName, VARIATIONS, type VariationName } from './faults.ts';
import { respond } from './respond.ts';
import { TestAuthority } from './test-authority.ts';

export class FaultLab extends TestAuthority {
  /** A response with this one fault; see FAULTS for the check that must fail. */
  respond(fault: FaultName, request: Uint8Array): Uint8Array {
    return this.#respond(FAULTS[fault], request);
  }

  /** A response that is out of the ordinary and must verify. */
  vary(variation: VariationName, request: Uint8Array): Uint8Array {
    return this.#respond(VARIATIONS[variation], request);
  }

  #respond({ signedBy, tamper, after }: Omit<Fault, 'fails'>, request: Uint8Array): Uint8Array {
    const responder = { ...this.responder, ...signedBy?.(this) };
    const response = respond(request, responder, (plan) => tamper?.(plan, this) ?? plan);
    return after?.(response) ?? response;
  }
}

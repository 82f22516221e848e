import type { Config } from './config-type.ts';
import type { ValueType } from './config-values.ts';

/** One variable of the environment and the value that it gives. */
export interface Variable<T> {
  name: string;
  type: ValueType<NonNullable<T>>;
  doc: string;
  /**
   * Text of the value when the variable is absent; undefined: the value is null. Variables further up in the
   * table are known by then.
   */
  default?: string | ((known: Config) => string | undefined);
  /** True when null is a value; without it, a variable that has no default must be given. */
  optional?: boolean;
  /** How the value may be shown: never, or as a URL with its password cut. */
  secret?: 'hidden' | 'password';
}

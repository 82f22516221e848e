/**
 * A sentence of the server, which speaks English, in the words of the pages. `{name}` stands for a value.
 * `en`: where the server's names what only the API has.
 */
export interface Row {
  readonly said: string;
  readonly es: string;
  readonly en?: string;
}

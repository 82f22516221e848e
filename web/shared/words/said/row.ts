/**
 * A sentence of the server, which speaks English, in the words of the pages: the server's, the Spanish one,
 * and an English one where the server's names what only the API has. `{name}` stands for a value.
 */
export type Row = readonly [said: string, es: string, en?: string];

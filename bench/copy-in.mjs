// COPY … FROM STDIN through a client of pg, which has no such call: rows go out as fast as the socket takes
// them.
import { once } from 'node:events';

/** `parts`: text in the format of COPY. Resolves when the database has all of them. */
export function copyIn(client, text, parts) {
  return new Promise((resolve, reject) => {
    let failed = null;
    const query = {
      submit: (connection) => connection.query(text),
      async handleCopyInResponse(connection) {
        try {
          for (const part of parts) {
            connection.sendCopyFromChunk(Buffer.from(part));
            if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
          }
          connection.endCopyFrom();
        } catch (error) {
          failed = error;
          connection.sendCopyFail(String(error));
        }
      },
      handleError: (error) => reject(failed ?? error),
      handleCommandComplete() {},
      handleReadyForQuery: () => resolve(),
    };
    client.query(query);
  });
}

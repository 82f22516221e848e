import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Two webhook receivers: one fails at times, one always. */
export interface DemoReceiver {
  readonly erpUrl: string;
  readonly crmUrl: string;
  close(): Promise<void>;
}

/** Every nth answer fails. */
const BAD_ANSWER = 9;

export async function startDemoReceiver(): Promise<DemoReceiver> {
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      answered++;
      const isBad = request.url === '/crm' || answered % BAD_ANSWER === 0;
      response.writeHead(isBad ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    erpUrl: `http://127.0.0.1:${port}/erp`,
    crmUrl: `http://127.0.0.1:${port}/crm`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

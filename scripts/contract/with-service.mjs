// node scripts/contract/with-service.mjs <program> [arguments]: runs it against a service of its own.
import { spawnSync } from 'node:child_process';
import { startService } from './service.mjs';

const service = await startService();
const [program, ...args] = process.argv.slice(2);
const env = {
  ...process.env,
  ACUSE_URL: service.url,
  ACUSE_API_KEY: service.key,
};
const { status } = spawnSync(program, args, { stdio: 'inherit', env });
await service.stop();
process.exit(status ?? 1);

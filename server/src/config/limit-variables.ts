import { integer } from './config-values.ts';
import type { Variables } from './variable.ts';

export const LIMIT_VARIABLES = {
  ingestFlushes: {
    name: 'ACUSE_INGEST_FLUSHES',
    group: 'limits',
    type: integer(1, 16),
    doc: 'Maximum group commits of accepted messages in flight at once.',
    default: '2',
  },
  keyRate: {
    name: 'ACUSE_KEY_RATE',
    group: 'limits',
    type: integer(0, 1_000_000),
    doc: 'Sustained requests per second per API key. 0: no limit.',
    default: '500',
  },
  keyBurst: {
    name: 'ACUSE_KEY_BURST',
    group: 'limits',
    type: integer(1, 1_000_000),
    doc: 'Concurrent requests per API key.',
    default: '1000',
  },
  addressRate: {
    name: 'ACUSE_ADDRESS_RATE',
    group: 'limits',
    type: integer(0, 1_000_000),
    doc: 'Sustained requests per second per client address (IPv6: /64), over all keys. 0: no limit.',
    default: '2000',
  },
  addressBurst: {
    name: 'ACUSE_ADDRESS_BURST',
    group: 'limits',
    type: integer(1, 1_000_000),
    doc: 'Concurrent requests per client address.',
    default: '4000',
  },
  keylessRate: {
    name: 'ACUSE_KEYLESS_RATE',
    group: 'limits',
    type: integer(0, 1_000_000),
    doc: 'Sustained requests per second per client address (IPv6: /64) to endpoints that take no key: the log, /verify, the reference. Health checks are counted separately. 0: no limit.',
    default: '500',
  },
  keylessBurst: {
    name: 'ACUSE_KEYLESS_BURST',
    group: 'limits',
    type: integer(1, 1_000_000),
    doc: 'Concurrent requests without a key per client address.',
    default: '1000',
  },
} satisfies Variables;

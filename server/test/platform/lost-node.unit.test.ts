import { expect, test } from 'vitest';
import { judgeNode } from '../../src/operate/doctor/database.ts';
import { isUnavailable, lostNode } from '../../src/platform/database/failures.ts';

const failure = (message: string, code: string, where?: string) =>
  Object.assign(new Error(message), { code, ...(where !== undefined && { where }) });
const AT = 'while executing command on db2.internal:5432';

test.each([
  failure(
    'connection to the remote node acuse_worker@db2.internal:5432 failed with the following error: Connection refused',
    '08006',
  ),
  failure('connection to the remote node db2.internal:5432 failed', '08006'),
  failure('could not establish any connections to the node db2.internal:5432 after 1000 ms', '08006'),
  failure('failure on connection marked as essential: db2.internal:5432', 'XX000'),
  failure('server closed the connection unexpectedly', 'XX000', AT),
  failure('', 'XX000', AT),
  failure('terminating connection due to unexpected postmaster exit', '57P01', AT),
  failure('terminating connection due to unexpected postmaster exit', 'XX000', AT),
  failure('SSL SYSCALL error: EOF detected', 'XX000', `SQL statement "…"\n${AT}`),
])('a node that Citus lost is unavailable, and named: $message', (error) => {
  expect([lostNode(error), isUnavailable(error)]).toEqual(['db2.internal:5432', true]);
});

test.each([
  failure('division by zero', '22012', AT),
  failure('unexpected chunk number 0', 'XX000', AT),
  failure('server closed the connection unexpectedly', 'XX000'),
  failure('canceling statement due to lock timeout', '55P03', AT),
])('a fault of a statement stays a fault: $message', (error) => {
  expect([lostNode(error), isUnavailable(error)]).toEqual([null, false]);
});

test('one that ends in the middle of a commit is unavailable also without its name', () => {
  const error = failure('terminating connection due to unexpected postmaster exit', 'XX000');
  expect([lostNode(error), isUnavailable(error)]).toEqual([null, true]);
});

test('acuse doctor names it', () => {
  expect(judgeNode({ name: 'db2.internal:5432', reachable: false })).toMatchObject({
    ...{ check: 'database.node', about: 'db2.internal:5432', status: 'problem' },
    fix: expect.stringContaining('citus_update_node'),
  });
  expect(judgeNode({ name: 'db1.internal:5432', reachable: true }).status).toBe('ok');
});

-- Of a queue that was nearly empty when it was last vacuumed or analyzed, PostgreSQL believes that it
-- still is until autovacuum comes by, a minute later: what wrote back 64 results then read all that waited
-- for each of them. The service has its queues analyzed as soon as it sees that they are long. Only the
-- owner of a table may analyze it (the right MAINTAIN is newer than the oldest PostgreSQL that is
-- supported). Makes a function; locks nothing.

create function refresh_queue_statistics() returns void
  language plpgsql security definer set search_path = public, pg_temp
  as $$ begin analyze delivery_queue; analyze webhook_queue; end $$;
revoke all on function refresh_queue_statistics() from public;
grant execute on function refresh_queue_statistics() to acuse_worker;

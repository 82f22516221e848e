create table children (
  id integer,
  parent uuid,
  note bytea,
  constraint children_id_check CHECK (id > 0)
);
create unique index children_by_parent ON children USING btree (parent) WHERE id > 5;
alter table children alter column note set storage external;
alter table children set (fillfactor = '80', toast.autovacuum_enabled = 'true');
alter table children enable row level security;
alter table children force row level security;
create policy narrow on children as restrictive for select to acuse_request using (id = 1);
grant select on children to acuse_worker;
grant select (id) on children to acuse_request;

create table parents (
  id uuid not null,
  name text collate "C" not null default 'x'::text,
  constraint parents_pkey PRIMARY KEY (id),
  constraint parents_name_key UNIQUE (name)
);

alter table children add constraint children_parent_fkey FOREIGN KEY (parent) REFERENCES parents(id) ON DELETE CASCADE;

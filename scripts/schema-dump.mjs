// A database's schema as text, read from PostgreSQL's catalog: the same text for the same schema, whatever
// order things were made in and whatever PostgreSQL (15 or newer) they were made on. The text can be run: in
// an empty database it makes that schema.

/** `client`: a pg client on the database. Returns SQL. */
export async function dumpSchema(client) {
  const rows = async (text) => (await client.query({ text, rowMode: 'array' })).rows;
  const [
    columns,
    constraints,
    indexes,
    storage,
    security,
    policies,
    tableGrants,
    defaultGrants,
    schemaGrants,
  ] = [
    await rows(COLUMNS),
    await rows(CONSTRAINTS),
    await rows(INDEXES),
    [...(await rows(STORAGE)), ...(await rows(PARAMETERS)), ...(await rows(IDENTITY))],
    await rows(SECURITY),
    await rows(POLICIES),
    [...(await rows(TABLE_GRANTS)), ...(await rows(COLUMN_GRANTS))],
    await rows(DEFAULT_GRANTS),
    await rows(SCHEMA_GRANTS),
  ];
  const tables = [...new Set(columns.map(([table]) => table))];
  const of = (list, table) => list.filter(([name]) => name === table);
  const sections = tables.map((table) => {
    const inner = [
      ...of(columns, table).map(([, line]) => line),
      ...of(constraints, table)
        .filter(([, kind]) => kind !== 'f')
        .map(([, , line]) => line),
    ];
    return [
      `create table ${table} (\n${inner.map((line) => `  ${line}`).join(',\n')}\n);`,
      ...of(indexes, table).map(
        ([, line]) => `${line.replace(/^CREATE (UNIQUE )?INDEX/, (words) => words.toLowerCase())};`,
      ),
      ...of(storage, table).map(([, line]) => `${line};`),
      ...of(security, table).map(([, line]) => `${line};`),
      ...of(policies, table).map(([, line]) => `${line};`),
      ...of(tableGrants, table).map(([, line]) => `${line};`),
    ].join('\n');
  });
  const references = constraints
    .filter(([, kind]) => kind === 'f')
    .map(([table, , line]) => `alter table ${table} add ${line};`);
  const grants = [...schemaGrants, ...defaultGrants].map(([line]) => `${line};`);
  return `${[...sections, references.join('\n'), grants.join('\n')].filter((section) => section !== '').join('\n\n')}\n`;
}

const TABLES = `pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'`;

const COLUMNS = `
  select quote_ident(c.relname), quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
    || case when a.attcollation <> t.typcollation then ' collate ' || quote_ident(l.collname) else '' end
    || case when a.attnotnull then ' not null' else '' end
    || coalesce(case when a.attgenerated = 's'
         then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid, true) || ') stored'
         else ' default ' || pg_get_expr(d.adbin, d.adrelid, true) end, '')
  from ${TABLES}
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_collation l on l.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind = 'r'
  order by c.relname collate "C", a.attnum`;

// Not-null constraints have names of their own only from PostgreSQL 18 on; they stand with the columns. One
// that was not checked for the rows of before holds for all rows of a table that is made now.
const CONSTRAINTS = `
  select quote_ident(c.relname), k.contype, 'constraint ' || quote_ident(k.conname) || ' ' || replace(pg_get_constraintdef(k.oid, true), ' NOT VALID', '')
  from ${TABLES}
  join pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f')
  order by c.relname collate "C", position(k.contype::text in 'pucf'), k.conname collate "C"`;

const INDEXES = `
  select quote_ident(c.relname), pg_get_indexdef(i.indexrelid, 0, true)
  from ${TABLES}
  join pg_index i on i.indrelid = c.oid
  join pg_class x on x.oid = i.indexrelid
  where not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
  order by c.relname collate "C", x.relname collate "C"`;

const STORAGE = `
  select quote_ident(c.relname), 'alter table ' || quote_ident(c.relname) || ' alter column ' || quote_ident(a.attname) || ' set storage '
    || case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end
  from ${TABLES}
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relkind = 'r' and a.attstorage <> t.typstorage
  order by c.relname collate "C", a.attnum`;

// Of the table itself and, named apart, of its out-of-line part.
const PARAMETERS = `
  select quote_ident(c.relname), 'alter table ' || quote_ident(c.relname) || ' set (' || string_agg(option, ', ' order by option collate "C") || ')'
  from ${TABLES}
  cross join lateral (
    select quote_ident(o.option_name) || ' = ' || quote_literal(o.option_value) as option from pg_options_to_table(c.reloptions) o
     union all
    select 'toast.' || quote_ident(o.option_name) || ' = ' || quote_literal(o.option_value)
      from pg_class t cross join pg_options_to_table(t.reloptions) o where t.oid = c.reltoastrelid) options
  where c.relkind = 'r'
  group by c.relname
  order by c.relname collate "C"`;

// Other than by the primary key: what tells its rows apart to those who decode the WAL.
const IDENTITY = `
  select quote_ident(c.relname), 'alter table ' || quote_ident(c.relname) || ' replica identity '
    || case c.relreplident when 'f' then 'full' when 'n' then 'nothing' else 'using index '
       || (select quote_ident(x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = c.oid and i.indisreplident) end
  from ${TABLES}
  where c.relkind = 'r' and c.relreplident <> 'd'
  order by c.relname collate "C"`;

const SECURITY = `
  select quote_ident(c.relname), 'alter table ' || quote_ident(c.relname) || ' ' || action
  from ${TABLES}
  cross join lateral (values (1, c.relrowsecurity, 'enable row level security'), (2, c.relforcerowsecurity, 'force row level security')) s (at, set, action)
  where c.relkind = 'r' and s.set
  order by c.relname collate "C", s.at`;

const POLICIES = `
  select quote_ident(c.relname), 'create policy ' || quote_ident(p.polname) || ' on ' || quote_ident(c.relname)
    || case when p.polpermissive then '' else ' as restrictive' end
    || case p.polcmd when 'r' then ' for select' when 'a' then ' for insert' when 'w' then ' for update' when 'd' then ' for delete' else '' end
    || ' to ' || coalesce((select string_agg(quote_ident(r.rolname), ', ' order by r.rolname collate "C") from pg_roles r where r.oid = any (p.polroles)), 'public')
    || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid, true) || ')', '')
    || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid, true) || ')', '')
  from ${TABLES}
  join pg_policy p on p.polrelid = c.oid
  order by c.relname collate "C", p.polname collate "C"`;

const PRIVILEGES = (subject, who) =>
  `'grant ' || string_agg(lower(g.privilege_type), ', ' order by g.privilege_type collate "C") || ' on ' || ${subject} || ' to ' || ${who}`;

// Rights of the owner are left out; the login has another name in every installation.
const TABLE_GRANTS = `
  select quote_ident(c.relname), ${PRIVILEGES('quote_ident(c.relname)', 'quote_ident(r.rolname)')}
  from ${TABLES}
  cross join lateral aclexplode(c.relacl) g
  join pg_roles r on r.oid = g.grantee
  where c.relkind = 'r' and g.grantee <> c.relowner
  group by c.relname, r.rolname
  order by c.relname collate "C", r.rolname collate "C"`;

const COLUMN_GRANTS = `
  select quote_ident(c.relname), 'grant ' || lower(g.privilege_type) || ' (' || string_agg(quote_ident(a.attname), ', ' order by a.attnum) || ') on '
    || quote_ident(c.relname) || ' to ' || quote_ident(r.rolname)
  from ${TABLES}
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  cross join lateral aclexplode(a.attacl) g
  join pg_roles r on r.oid = g.grantee
  where c.relkind = 'r'
  group by c.relname, r.rolname, g.privilege_type
  order by c.relname collate "C", r.rolname collate "C", g.privilege_type collate "C"`;

const DEFAULT_GRANTS = `
  select 'alter default privileges in schema public ' || ${PRIVILEGES("'tables'", 'quote_ident(r.rolname)')}
  from pg_default_acl d
  join pg_namespace n on n.oid = d.defaclnamespace and n.nspname = 'public'
  cross join lateral aclexplode(d.defaclacl) g
  join pg_roles r on r.oid = g.grantee
  where d.defaclobjtype = 'r' and g.grantee <> d.defaclrole
  group by r.rolname
  order by r.rolname collate "C"`;

const SCHEMA_GRANTS = `
  select ${PRIVILEGES("'schema public'", 'quote_ident(r.rolname)')}
  from pg_namespace n
  cross join lateral aclexplode(n.nspacl) g
  join pg_roles r on r.oid = g.grantee
  where n.nspname = 'public' and g.grantee <> n.nspowner and r.rolname like 'acuse\\_%'
  group by r.rolname
  order by r.rolname collate "C"`;

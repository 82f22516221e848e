-- A version of a template says the same in several languages. Locks: template_versions, briefly: no row is
-- written anew.

-- By language tag: {"es": {"subject": …, "text": …, "html": …}}.
alter table template_versions add column variants jsonb not null default '{}'
  check (jsonb_typeof(variants) = 'object');

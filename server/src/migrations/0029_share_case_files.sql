-- A link to a case file is a share of each of its messages, with one secret. Locks shares for an instant:
-- columns without a default, and a check that every row meets.
alter table shares add column case_id uuid;
alter table shares add column case_name text check (length(case_name) between 1 and 200);
alter table shares add constraint shares_case_check check ((case_id is null) = (case_name is null)) not valid;
alter table shares validate constraint shares_case_check;
create index shares_by_case on shares (case_id, tenant_id, message_id) where case_id is not null;

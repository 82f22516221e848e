export function cosignedNote(checkpoint: string): string {
  return `${checkpoint}.note || coalesce((
              select string_agg(s.line, '' order by s.witness_key) from cosignatures s
               where s.log_id = ${checkpoint}.log_id and s.tree_size = ${checkpoint}.tree_size), '')`;
}

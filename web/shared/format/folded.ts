/** Without case and accents, as the search compares: "auditoria" finds "Auditoría". */
export function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

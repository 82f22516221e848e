/**
 * Maps unbounded names to bounded labels: the names used most get their own label, the others share one. A
 * name keeps its label until another is clearly used more.
 */
interface TopLabels {
  labelOf(name: string): string;
}

interface TopLabelsOptions {
  readonly size: number;
  /** Called for a label that is given up: what counted under it is to be shown no more. */
  onRemoved(label: string): void;
}

export const OTHER = 'other';
/** Names without a label that are counted for one; past it the least used are forgotten. */
const CANDIDATES_MAX = 2_000;
/** After so many uses all counts are halved, so that formerly common names give way. */
const HALVE_EVERY = 50_000;
/** A name takes a label once it is used so many times as often as the least used one that has it. */
const LEAD = 2;

export function createTopLabels({ size, onRemoved }: TopLabelsOptions): TopLabels {
  let labelled = new Map<string, number>();
  let candidates = new Map<string, number>();
  let uses = 0;

  function halve(): void {
    uses = 0;
    labelled = new Map([...labelled].map(([name, count]) => [name, count / 2]));
    candidates = new Map([...candidates].map(([name, count]) => [name, count / 2]));
  }

  function leastLabelled(): [string, number] {
    return [...labelled].reduce((least, entry) => (entry[1] < least[1] ? entry : least));
  }

  function forgetLeastCandidates(): void {
    const most = [...candidates].sort((a, b) => b[1] - a[1]).slice(0, CANDIDATES_MAX / 2);
    candidates = new Map(most);
  }

  return {
    labelOf(name) {
      if (++uses >= HALVE_EVERY) halve();
      const count = labelled.get(name);
      if (count !== undefined || labelled.size < size) {
        labelled.set(name, (count ?? 0) + 1);
        return name;
      }
      const mine = (candidates.get(name) ?? 0) + 1;
      candidates.set(name, mine);
      if (candidates.size > CANDIDATES_MAX) forgetLeastCandidates();
      const [least, itsCount] = leastLabelled();
      if (mine < LEAD * itsCount) return OTHER;
      labelled.delete(least);
      onRemoved(least);
      candidates.delete(name);
      labelled.set(name, mine);
      return name;
    },
  };
}

/** A run of `*` or `_`. What it closes and opens is found when the text around it is known. */
export interface Run {
  type: "run";
  character: string;
  left: number;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** Strengths (1: emphasis, 2: strong), innermost first. */
  readonly closes: number[];
  readonly opens: number[];
}

const SPACE = /^\s?$/;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

/** A run at a place in a text, by the rules of CommonMark for what stands before and behind it. */
export function runAt(text: string, from: number): Run {
  const character = text[from] as string;
  let end = from;
  while (text[end] === character) end += 1;
  const before = text[from - 1] ?? "";
  const after = text[end] ?? "";
  const isLeft = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const isRight = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  const isWithinWord = character === "_" && isLeft && isRight;
  return {
    type: "run",
    character,
    left: end - from,
    length: end - from,
    canOpen: isLeft && (!isWithinWord || PUNCTUATION.test(before)),
    canClose: isRight && (!isWithinWord || PUNCTUATION.test(after)),
    closes: [],
    opens: [],
  };
}

function fits(opener: Run, closer: Run): boolean {
  if (opener.character !== closer.character || opener.left === 0) return false;
  const isEither = (opener.canOpen && opener.canClose) || (closer.canOpen && closer.canClose);
  return !isEither || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/** Pair the runs of one text. Each search that fails is remembered, so that no run is looked at again in vain. */
export function pair(runs: readonly Run[]): void {
  const openers: { run: Run; place: number }[] = [];
  const searchedTo = new Map<string, number>();
  for (const [place, closer] of runs.entries()) {
    while (closer.canClose && closer.left > 0) {
      const key = `${closer.character}${closer.canOpen}${closer.length % 3}`;
      const bottom = searchedTo.get(key) ?? -1;
      let at = openers.length - 1;
      while (at >= 0 && openers[at]!.place > bottom && !fits(openers[at]!.run, closer)) at -= 1;
      if (at < 0 || openers[at]!.place <= bottom) {
        searchedTo.set(key, openers.at(-1)?.place ?? bottom);
        break;
      }
      const opener = openers[at]!.run;
      const strength = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
      opener.left -= strength;
      closer.left -= strength;
      opener.opens.push(strength);
      closer.closes.push(strength);
      openers.length = opener.left > 0 ? at + 1 : at;
    }
    if (closer.canOpen && closer.left > 0) openers.push({ run: closer, place });
  }
}

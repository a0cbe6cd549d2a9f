// The page's colours and fonts as a canvas needs them: read from its custom properties, and anew when the theme changes.

import { kindTokens } from "./kinds";

export interface Palette {
  bg: string;
  surface: string;
  raised: string;
  line: string;
  /** Stronger than `line`: what connects records. */
  edge: string;
  /** Behind what a search found. */
  hit: string;
  onHit: string;
  text: string;
  text2: string;
  accent: string;
  kinds: readonly string[];
  font: string;
  mono: string;
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (token: string, otherwise: string) => style.getPropertyValue(token).trim() || otherwise;
  const text = read("--text", style.color);
  const text2 = read("--text-2", text);
  return {
    bg: read("--bg", "Canvas"),
    surface: read("--surface", "Canvas"),
    raised: read("--raised", "Canvas"),
    line: read("--line", text2),
    edge: read("--line-2", text2),
    hit: read("--hit", "Mark"),
    onHit: read("--on-hit", "MarkText"),
    text,
    text2,
    accent: read("--accent", "Highlight"),
    kinds: kindTokens.map((token) => read(token, text2)),
    font: read("--font", style.fontFamily),
    mono: read("--mono", "ui-monospace, monospace"),
  };
}

const PREFERENCES = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"];

/** Tells when the colours may have changed: by a preference, or by an attribute of the document's element. */
export function watchPalette(changed: () => void): () => void {
  const queries = PREFERENCES.map((query) => matchMedia(query));
  for (const query of queries) query.addEventListener("change", changed);
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["class", "data-theme", "data-contrast"] });
  return () => {
    for (const query of queries) query.removeEventListener("change", changed);
    observer.disconnect();
  };
}

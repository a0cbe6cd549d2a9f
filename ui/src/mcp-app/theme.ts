// A host says which theme it has; the page's style asks the browser. So the style's questions about the theme get the
// host's answer.

const ALWAYS = "(min-width: 0px)";
const NEVER = "(max-width: 0px)";
const asked = new WeakMap<CSSMediaRule, string>();

export function withTheme(condition: string, theme: "light" | "dark"): string {
  return condition.replaceAll(/\(prefers-color-scheme:\s*(light|dark)\)/g, (_, named: string) => (named === theme ? ALWAYS : NEVER));
}

export function showTheme(theme: "light" | "dark"): void {
  document.documentElement.style.colorScheme = theme;
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule)) continue;
      const condition = asked.get(rule) ?? rule.media.mediaText;
      if (!condition.includes("prefers-color-scheme")) continue;
      asked.set(rule, condition);
      rule.media.mediaText = withTheme(condition, theme);
    }
  }
}

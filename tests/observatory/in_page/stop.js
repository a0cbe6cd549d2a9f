// Where the focus is: its name, its place in the document, and whether one can see it.
() => {
  const it = document.activeElement;
  if (it === null || it === document.body) return null;
  const labelled = (it.getAttribute("aria-labelledby") ?? "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const own = it.labels?.[0]?.textContent || it.textContent || it.placeholder || it.title;
  const named = it.ariaLabel || labelled.trim() || own;
  const isMarked = (style) =>
    (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
  const path = [];
  for (let at = it; at.parentElement; at = at.parentElement)
    path.unshift([...at.parentElement.children].indexOf(at));
  return {
    name: (named ?? "").trim().slice(0, 200),
    path: path.join("."),
    marked: [null, "::before", "::after"].some((part) => isMarked(getComputedStyle(it, part))),
  };
}

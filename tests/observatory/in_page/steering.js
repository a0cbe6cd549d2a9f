// Texts in sight with characters that turn text around, cannot be seen, or mean something to a terminal.
() => {
  const STEERING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!STEERING.test(node.data) || !element.checkVisibility({visibilityProperty: true})) continue;
    found.push(`${element.localName}.${element.className}: ${JSON.stringify(node.data.slice(0, 60))}`);
  }
  return found;
}

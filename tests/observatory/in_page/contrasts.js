// Texts with a contrast below 7:1, from the colours that the browser came to.
() => {
  const parsed = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return colour.startsWith("color(") ? [red * 255, green * 255, blue * 255, alpha] : [red, green, blue, alpha];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parsed(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const seen = new Set();
  const weak = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || seen.has(element)) continue;
    seen.add(element);
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || !element.checkVisibility({visibilityProperty: true})) continue;
    if (element.closest("[disabled], [aria-disabled=true], script, style")) continue;
    const below = behind(element);
    const colour = over(parsed(getComputedStyle(element).color), below);
    const [high, low] = [light(colour), light(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 6.995) weak.push(`${ratio.toFixed(2)}: ${element.className} ${node.data.trim().slice(0, 40)}`);
  }
  return weak;
}

/** Tell the host how large the page's content is, now and whenever that changes. */
export function tellSize(element: HTMLElement, tell: (width: number, height: number) => void): () => void {
  let told = "";
  const observer = new ResizeObserver(() => {
    const { width, height } = element.getBoundingClientRect();
    const [w, h] = [Math.ceil(width), Math.ceil(height)];
    if (told === `${w} ${h}`) return;
    told = `${w} ${h}`;
    tell(w, h);
  });
  observer.observe(element);
  return () => observer.disconnect();
}

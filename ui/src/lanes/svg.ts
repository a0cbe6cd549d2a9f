// Strokes of a canvas, written down as SVG. Nothing of a text can become markup: it is escaped wherever it is put.

import type { Surface } from "./surface";

type Style = CanvasRenderingContext2D["fillStyle"];

// What XML 1.0 cannot hold at all, not even escaped.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", end: "end", right: "end" };

export function escaped(text: string): string {
  return text.replace(NO_XML, "\ufffd").replace(/[&<>"]/g, (character) => ESCAPES[character]!);
}

export class SvgSurface implements Surface {
  fillStyle: Style = "#000";
  strokeStyle: Style = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "start";
  readonly #elements: string[] = [];
  readonly #measure: (text: string, font: string) => number;
  #path = "";
  #dash = "";
  #open = 0;
  #clips = 0;
  readonly #saved: number[] = [];

  constructor(measure: (text: string, font: string) => number) {
    this.#measure = measure;
  }

  /** The document, when everything is drawn. */
  toString(width: number, height: number, title: string): string {
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
      `<title>${escaped(title)}</title>`,
      ...this.#elements,
      "</svg>",
      "",
    ].join("\n");
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${n(x)} ${n(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path === "" ? "M" : "L"}${n(x)} ${n(y)}`;
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.#path += `Q${n(cx)} ${n(cy)} ${n(x)} ${n(y)}`;
  }

  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.#path += `C${n(ax)} ${n(ay)} ${n(bx)} ${n(by)} ${n(x)} ${n(y)}`;
  }

  /** Whole circles are all that is drawn with it. */
  arc(x: number, y: number, radius: number): void {
    const r = n(radius);
    this.#path += `M${n(x - radius)} ${n(y)}a${r} ${r} 0 1 0 ${n(2 * radius)} 0a${r} ${r} 0 1 0 ${n(-2 * radius)} 0z`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`;
  }

  roundRect(x: number, y: number, width: number, height: number, radius: unknown): void {
    const most = Math.min(typeof radius === "number" ? radius : 0, width / 2, height / 2);
    const [r, w, h] = [n(most), n(width - 2 * most), n(height - 2 * most)];
    this.#path += `M${n(x + most)} ${n(y)}h${w}a${r} ${r} 0 0 1 ${r} ${r}v${h}a${r} ${r} 0 0 1 -${r} ${r}h${n(2 * most - width)}`;
    this.#path += `a${r} ${r} 0 0 1 -${r} -${r}v${n(2 * most - height)}a${r} ${r} 0 0 1 ${r} -${r}z`;
  }

  closePath(): void {
    this.#path += "z";
  }

  fill(): void {
    if (this.#path) this.#elements.push(`<path d="${this.#path}" fill="${style(this.fillStyle)}"${this.#opacity()}/>`);
  }

  stroke(): void {
    if (!this.#path) return;
    const dash = this.#dash && ` stroke-dasharray="${this.#dash}"`;
    const line = `stroke="${style(this.strokeStyle)}" stroke-width="${n(this.lineWidth)}"${dash}`;
    this.#elements.push(`<path d="${this.#path}" fill="none" ${line}${this.#opacity()}/>`);
  }

  clip(): void {
    const id = `clip${++this.#clips}`;
    this.#elements.push(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath>`, `<g clip-path="url(#${id})">`);
    this.#open++;
  }

  save(): void {
    this.#saved.push(this.#open);
  }

  restore(): void {
    const open = this.#saved.pop() ?? 0;
    for (; this.#open > open; this.#open--) this.#elements.push("</g>");
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const box = `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`;
    this.#elements.push(`<rect ${box} fill="${style(this.fillStyle)}"${this.#opacity()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = ANCHORS[this.textAlign];
    const place = `x="${n(x)}" y="${n(y)}"${anchor ? ` text-anchor="${anchor}"` : ""}`;
    const look = `style="font:${escaped(this.font)}" fill="${style(this.fillStyle)}"${this.#opacity()}`;
    this.#elements.push(`<text ${place} ${look} xml:space="preserve">${escaped(text)}</text>`);
  }

  measureText(text: string): TextMetrics {
    return { width: this.#measure(text, this.font) } as TextMetrics;
  }

  setLineDash(segments: Iterable<number>): void {
    this.#dash = [...segments].join(" ");
  }

  #opacity(): string {
    return this.globalAlpha === 1 ? "" : ` opacity="${n(this.globalAlpha)}"`;
  }
}

function style(given: Style): string {
  return escaped(String(given));
}

function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

// What the graph is drawn on: a canvas, or anything that takes the same few strokes.

type Strokes =
  | "beginPath" | "moveTo" | "lineTo" | "quadraticCurveTo" | "bezierCurveTo" | "arc" | "rect" | "roundRect" | "closePath"
  | "fill" | "stroke" | "clip" | "save" | "restore" | "fillRect" | "fillText" | "measureText" | "setLineDash"
  | "fillStyle" | "strokeStyle" | "lineWidth" | "globalAlpha" | "font" | "textAlign";

export type Surface = Pick<CanvasRenderingContext2D, Strokes>;

/** A line through points, given as x, y, whose corners are rounded. */
export function roundedLine(surface: Surface, points: readonly number[], radius: number): void {
  surface.moveTo(points[0]!, points[1]!);
  for (let i = 2; i + 3 < points.length; i += 2) {
    const [x, y] = [points[i]!, points[i + 1]!];
    const before = towards(x, y, points[i - 2]!, points[i - 1]!, radius);
    const after = towards(x, y, points[i + 2]!, points[i + 3]!, radius);
    surface.lineTo(before.x, before.y);
    surface.quadraticCurveTo(x, y, after.x, after.y);
  }
  surface.lineTo(points[points.length - 2]!, points[points.length - 1]!);
}

/** From a corner towards the next one, no further than half the way. */
function towards(x: number, y: number, nextX: number, nextY: number, radius: number): { x: number; y: number } {
  const length = Math.hypot(nextX - x, nextY - y);
  const part = length === 0 ? 0 : Math.min(radius, length / 2) / length;
  return { x: x + (nextX - x) * part, y: y + (nextY - y) * part };
}

// Pointer, wheel and keys, turned into what they mean.

import type { Step } from "./walk";

export interface Gestures {
  /** x and y are where the pointer is. */
  pan(dx: number, dy: number, x: number, y: number): void;
  /** A wheel that turns only up and down. */
  wheel(dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  press(x: number, y: number): void;
  click(x: number, y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
}

const DRAG_FROM = 4;
const LINE = 16;

/** Listens to a canvas; answers how to stop. */
export function listen(canvas: HTMLCanvasElement, gestures: Partial<Gestures>): () => void {
  const pointers = new Map<number, { x: number; y: number }>();
  let isDragged = false;
  let began = { x: 0, y: 0 };

  const place = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) {
      began = place(event);
      isDragged = false;
      gestures.press?.(began.x, began.y);
    } else isDragged = true;
  };

  const move = (event: PointerEvent) => {
    const at = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) return gestures.hover?.(at.x, at.y);
    if (pointers.size === 1) {
      if (!isDragged && Math.hypot(at.x - began.x, at.y - began.y) < DRAG_FROM) return;
      if (!isDragged) gestures.leave?.();
      isDragged = true;
      gestures.pan?.(before.x - at.x, before.y - at.y, at.x, at.y);
    } else {
      const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
      const apart = (p: { x: number; y: number }) => Math.max(8, Math.hypot(p.x - other.x, p.y - other.y));
      gestures.zoom?.(apart(at) / apart(before), (at.x + other.x) / 2, (at.y + other.y) / 2);
      gestures.pan?.((before.x - at.x) / 2, (before.y - at.y) / 2, at.x, at.y);
    }
    pointers.set(event.pointerId, at);
  };

  const up = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId)) return;
    if (!isDragged && pointers.size === 0 && event.type === "pointerup") gestures.click?.(began.x, began.y);
  };

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    const at = place(event);
    // A pinch on a touch pad arrives as a wheel with ctrl.
    if (event.ctrlKey || event.metaKey) gestures.zoom?.(Math.exp(-Math.max(-120, Math.min(120, dy)) * 0.004), at.x, at.y);
    else if (event.shiftKey && dx === 0) gestures.pan?.(dy, 0, at.x, at.y);
    else if (dx === 0) gestures.wheel?.(dy);
    else gestures.pan?.(dx, dy, at.x, at.y);
  };

  const twice = (event: MouseEvent) => {
    const at = place(event);
    gestures.zoom?.(event.shiftKey ? 0.4 : 2.5, at.x, at.y);
  };
  const leave = () => gestures.leave?.();

  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("dblclick", twice);
  return () => {
    canvas.removeEventListener("pointerdown", down);
    canvas.removeEventListener("pointermove", move);
    canvas.removeEventListener("pointerup", up);
    canvas.removeEventListener("pointercancel", up);
    canvas.removeEventListener("pointerleave", leave);
    canvas.removeEventListener("wheel", wheel);
    canvas.removeEventListener("dblclick", twice);
  };
}

export type Command =
  | { does: "step"; step: Step }
  | { does: "pan"; dx: number; dy: number }
  | { does: "zoom"; factor: number }
  | { does: "fit" | "open" | "clear" | "branches" | "drill" | "rise" };

const step = (to: Step): Command => ({ does: "step", step: to });
const pan = (dx: number, dy: number): Command => ({ does: "pan", dx, dy });

const PLAIN: Record<string, Command> = {
  ArrowRight: step("next"),
  ArrowLeft: step("previous"),
  ArrowUp: step("up"),
  ArrowDown: step("down"),
  PageDown: step("nextTen"),
  PageUp: step("previousTen"),
  Home: step("first"),
  End: step("last"),
  "+": { does: "zoom", factor: 1.5 },
  "=": { does: "zoom", factor: 1.5 },
  "-": { does: "zoom", factor: 1 / 1.5 },
  "0": { does: "fit" },
  Enter: { does: "open" },
  Escape: { does: "clear" },
  f: { does: "branches" },
  i: { does: "drill" },
  o: { does: "rise" },
};

const WITH_SHIFT: Record<string, Command> = {
  ArrowRight: pan(120, 0),
  ArrowLeft: pan(-120, 0),
  ArrowUp: pan(0, -80),
  ArrowDown: pan(0, 80),
};

/** What a key means; null when it is none of the graph's. */
export function commandOf(event: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "altKey" | "metaKey">): Command | null {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  return (event.shiftKey ? WITH_SHIFT[event.key] : undefined) ?? PLAIN[event.key] ?? null;
}

/** For the map of keys. */
export const LANE_KEYS: readonly { keys: string; does: string }[] = [
  { keys: "← →", does: "Step along the lane" },
  { keys: "↑ ↓", does: "Step to the lane above or below" },
  { keys: "Page Up, Page Down", does: "Step ten records" },
  { keys: "Home, End", does: "First and last record of the lane" },
  { keys: "Enter", does: "Open the selected record" },
  { keys: "Escape", does: "Select nothing" },
  { keys: "+ −", does: "Zoom in and out" },
  { keys: "0", does: "Fit everything" },
  { keys: "Shift + arrows", does: "Move the view" },
  { keys: "f", does: "Forks: branches at the selected record that are folded away" },
  { keys: "i, o", does: "Into the selected record's branch, and out again" },
];

// What part of the layout is in sight. x and y are the middle, in columns and slots; zoom is a column's width in pixels.

import { MOST_ZOOM, slotHeight } from "./levels";

export interface ViewState {
  x: number;
  y: number;
  zoom: number;
}

/** The part of the canvas that the graph is drawn in, in CSS pixels. */
export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Extent {
  columns: number;
  slots: number;
}

const EDGE = 16;
/** Room for what comes next, beyond the newest record. */
const AHEAD = 48;
/** Room for what lies over the graph at the bottom, where there is more than fits. */
const BELOW = 56;

export function toScreenX(view: ViewState, frame: Frame, column: number): number {
  return frame.left + frame.width / 2 + (column - view.x) * view.zoom;
}

export function toScreenY(view: ViewState, frame: Frame, slot: number): number {
  return frame.top + frame.height / 2 + (slot - view.y) * slotHeight(view.zoom);
}

export function toColumn(view: ViewState, frame: Frame, x: number): number {
  return view.x + (x - frame.left - frame.width / 2) / view.zoom;
}

export function toSlot(view: ViewState, frame: Frame, y: number): number {
  return view.y + (y - frame.top - frame.height / 2) / slotHeight(view.zoom);
}

/** The zoom at which all columns are in sight. */
export function fitZoom(frame: Frame, extent: Extent): number {
  return Math.max(1e-4, (frame.width - EDGE - AHEAD) / Math.max(1, extent.columns));
}

function leastZoom(frame: Frame, extent: Extent): number {
  return Math.min(fitZoom(frame, extent), 32);
}

/** Keeps what there is in sight: begun at the left and at the top when it is smaller than the frame. */
export function clamp(view: ViewState, frame: Frame, extent: Extent): ViewState {
  const zoom = Math.min(MOST_ZOOM, Math.max(leastZoom(frame, extent), view.zoom));
  const height = slotHeight(zoom);
  return {
    x: clampAxis(view.x, frame.width / zoom, extent.columns, EDGE / zoom, AHEAD / zoom),
    y: clampAxis(view.y, frame.height / height, extent.slots, EDGE / height, BELOW / height),
    zoom,
  };
}

function clampAxis(middle: number, seen: number, length: number, before: number, after: number): number {
  const first = seen / 2 - before;
  if (length + 2 * before <= seen) return first;
  const last = length + after - seen / 2;
  return last <= first ? first : Math.min(last, Math.max(first, middle));
}

/** Whether everything fits from top to bottom, so that a wheel without a direction may move sideways. */
export function fitsDown(view: ViewState, frame: Frame, extent: Extent): boolean {
  return (extent.slots * slotHeight(view.zoom)) + 2 * EDGE <= frame.height;
}

export function panned(view: ViewState, dx: number, dy: number): ViewState {
  return { x: view.x + dx / view.zoom, y: view.y + dy / slotHeight(view.zoom), zoom: view.zoom };
}

/** Zooms so that what is under a point of the canvas stays there. */
export function zoomedAt(view: ViewState, frame: Frame, extent: Extent, factor: number, px: number, py: number): ViewState {
  const column = toColumn(view, frame, px);
  const slot = toSlot(view, frame, py);
  const zoom = Math.min(MOST_ZOOM, Math.max(leastZoom(frame, extent), view.zoom * factor));
  return {
    x: column - (px - frame.left - frame.width / 2) / zoom,
    y: slot - (py - frame.top - frame.height / 2) / slotHeight(zoom),
    zoom,
  };
}

/** The nearest view in which a cell is in sight, with a margin; the same view when it is already. */
export function revealed(view: ViewState, frame: Frame, column: number, slot: number): ViewState {
  const halfX = frame.width / view.zoom / 2;
  const halfY = frame.height / slotHeight(view.zoom) / 2;
  return {
    x: nearest(view.x, column, halfX, Math.min(halfX / 2, 40 / view.zoom)),
    y: nearest(view.y, slot, halfY, Math.min(halfY / 4, 0.25)),
    zoom: view.zoom,
  };
}

function nearest(middle: number, cell: number, half: number, margin: number): number {
  if (2 * half < 1 + 2 * margin) return cell + 0.5;
  return Math.min(cell - margin + half, Math.max(cell + 1 + margin - half, middle));
}

/** Moves towards a view; there when it is as near as makes no difference. */
export function glided(view: ViewState, target: ViewState, milliseconds: number): ViewState {
  const part = 1 - Math.exp(-milliseconds / 70);
  const dx = target.x - view.x;
  const dy = target.y - view.y;
  const near = Math.abs(dx) * view.zoom < 0.5 && Math.abs(dy) * slotHeight(view.zoom) < 0.5;
  if (near && Math.abs(Math.log(target.zoom / view.zoom)) < 0.002) return target;
  return { x: view.x + dx * part, y: view.y + dy * part, zoom: view.zoom * Math.pow(target.zoom / view.zoom, part) };
}

/** Whether two views cannot be told apart on a screen. */
export function isAlike(a: ViewState, b: ViewState): boolean {
  const away = Math.hypot((a.x - b.x) * a.zoom, (a.y - b.y) * slotHeight(a.zoom));
  return away < 2 && Math.abs(Math.log(a.zoom / b.zoom)) < 0.005;
}

export function isSameView(a: ViewState, b: ViewState): boolean {
  return a.x === b.x && a.y === b.y && a.zoom === b.zoom;
}

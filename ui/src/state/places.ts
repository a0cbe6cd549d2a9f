import type { ViewState } from "../lanes/camera";
import type { Lane } from "../lanes/table";

/** A lane as it stands in the address. */
export function laneText(lane: Pick<Lane, "stream" | "branch">): string {
  return `${lane.stream}@${lane.branch}`;
}

/** The place and zoom of the graph as they stand in the address: "12.5,0.5,40". */
export function cameraText(view: ViewState): string {
  return [view.x, view.y, view.zoom].map((value) => String(Number(value.toPrecision(6)))).join(",");
}

export function cameraOf(text: string | null): ViewState | null {
  const [x, y, zoom, ...rest] = (text ?? "").split(",").map(Number);
  if (x === undefined || y === undefined || zoom === undefined || rest.length > 0) return null;
  return [x, y, zoom].every(Number.isFinite) && zoom > 0 ? { x, y, zoom } : null;
}

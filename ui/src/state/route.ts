export type SessionView = "graph" | "table" | "diff" | "trail";
export type WorkspaceView = "graph" | "table" | "board" | "memory" | "notebooks" | "trail";
export type View = SessionView | WorkspaceView;

export const SESSION_VIEWS: readonly SessionView[] = ["graph", "table", "diff", "trail"];
export const WORKSPACE_VIEWS: readonly WorkspaceView[] = ["graph", "table", "board", "memory", "notebooks", "trail"];

/** Everything that is shown. It stands in the address, so that any state can be linked to. */
export interface Route {
  /** null: the server's own. */
  workspace: string | null;
  /** null: the whole workspace. */
  session: string | null;
  view: View;
  /** The state as of this record; null: now. */
  at: number | null;
  selected: number | null;
  /** The lane that was drilled into, as stream and branch. */
  lane: string | null;
  /** What the graph shows of itself: place and zoom, in its own words. */
  camera: string | null;
  /** The notebook that is open; null: the one that changed last. */
  notebook: string | null;
  q: string;
  room: string | null;
  kind: string | null;
  /** Whether the search stays within the session. */
  within: boolean;
  /** Which pane a narrow page shows. */
  pane: Pane;
}

export type Pane = "list" | "main";

export const HOME: Route = {
  workspace: null,
  session: null,
  view: "graph",
  at: null,
  selected: null,
  lane: null,
  camera: null,
  notebook: null,
  q: "",
  room: null,
  kind: null,
  within: false,
  pane: "main",
};

export function viewsOf(session: string | null): readonly View[] {
  return session === null ? WORKSPACE_VIEWS : SESSION_VIEWS;
}

/** `th:17`, `#17` or `17` as 17. */
export function seqOf(text: string | null): number | null {
  const digits = /^(?:th:|#)?([1-9]\d{0,14})$/.exec(text?.trim() ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

export function idOf(seq: number): string {
  return `th:${seq}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Read `#/w/<workspace>/session/<id>?view=table&at=12&sel=th:17`. What cannot be read is left at its default. */
export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter(Boolean).map(decoded);
  const parameters = new URLSearchParams(query);
  const workspace = parts[0] === "w" ? (parts[1] ?? null) : null;
  const rest = parts[0] === "w" ? parts.slice(2) : parts;
  const session = rest[0] === "session" ? (rest[1] ?? null) : null;
  const view = parameters.get("view") as View | null;
  return {
    workspace,
    session,
    view: view !== null && viewsOf(session).includes(view) ? view : "graph",
    at: seqOf(parameters.get("at")),
    selected: seqOf(parameters.get("sel")),
    lane: parameters.get("lane"),
    camera: parameters.get("camera"),
    notebook: parameters.get("notebook"),
    q: parameters.get("q") ?? "",
    room: parameters.get("room"),
    kind: parameters.get("kind"),
    within: parameters.get("in") === "session",
    pane: parameters.get("pane") === "list" ? "list" : "main",
  };
}

export function hashOf(route: Route): string {
  const path =
    (route.workspace === null ? "" : `/w/${encodeURIComponent(route.workspace)}`) +
    (route.session === null ? "" : `/session/${encodeURIComponent(route.session)}`);
  const parameters = new URLSearchParams();
  const set = (name: string, value: string | null): void => {
    if (value !== null && value !== "") parameters.set(name, value);
  };
  set("view", route.view === "graph" ? null : route.view);
  set("at", route.at === null ? null : String(route.at));
  set("sel", route.selected === null ? null : idOf(route.selected));
  set("lane", route.lane);
  set("camera", route.camera);
  set("notebook", route.notebook);
  set("q", route.q);
  set("room", route.room);
  set("kind", route.kind);
  set("in", route.within ? "session" : null);
  set("pane", route.pane === "list" ? "list" : null);
  // Colons, slashes and commas are allowed within a fragment, and an id that can be read is worth more than one that is escaped.
  const query = parameters.toString().replaceAll("%3A", ":").replaceAll("%2F", "/").replaceAll("%2C", ",");
  return `#${path || "/"}${query === "" ? "" : `?${query}`}`;
}

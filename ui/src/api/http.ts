import { ApiError } from "./errors";
import type { Source } from "./source";
import type { Answer, Cards, Jobs, Tasks } from "./types";

type Value = string | number | boolean | readonly string[] | null | undefined;

/** A path with its parameters; what is null or undefined is left out. */
export function addressOf(path: string, parameters: Readonly<Record<string, Value>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || value === undefined) continue;
    query.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

async function failureOf(response: Response): Promise<ApiError> {
  const said: unknown = await response.json().catch(() => null);
  const problem = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
  return new ApiError(
    typeof problem.code === "string" ? problem.code : `HTTP_${response.status}`,
    typeof problem.message === "string" ? problem.message : `The server answered ${response.status}.`,
    response.status,
    typeof problem.recovery === "string" ? problem.recovery : undefined,
  );
}

async function get<T>(address: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, {
      headers: { accept: "application/json" },
      credentials: "same-origin",
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("UNREACHABLE", "The server does not answer.", 0, "Start it again with: thoughtbox observe");
  }
  if (!response.ok) throw await failureOf(response);
  return (await response.json()) as T;
}

/** The ledger over HTTP, same origin; `workspace` is asked at every call, so that switching needs no new source. */
export function httpSource(workspace: () => string | null): Source {
  const at = (path: string, parameters: object = {}): string =>
    addressOf(path, { workspace: workspace(), ...parameters });
  const one = (path: string, id: string | number): string => `${path}/${encodeURIComponent(id)}`;
  const resultOf = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).result;
  return {
    isLive: true,
    health: (signal) => get(at("/api/health"), signal),
    workspaces: (signal) => get("/api/workspaces", signal),
    sessions: (query, signal) => get(at("/api/sessions", query), signal),
    session: (id, query, signal) => get(at(one("/api/sessions", id), query), signal),
    records: (query, signal) => get(at("/api/records", query), signal),
    record: (id, asOf, signal) => get(at(one("/api/records", id), { asOf }), signal),
    search: (query, signal) => get(at("/api/search", query), signal),
    verdict: (signal) => get(at("/api/verify"), signal),
    diff: (sessionId, from, to, asOf, signal) => get(at("/api/diff", { sessionId, from, to, asOf }), signal),
    graph: (query, signal) => get(at("/api/graph", query), signal),
    chain: (cursor, limit, signal) => get(at("/api/chain", { cursor, limit }), signal),
    streams: (query, signal) => get(at("/api/streams", query), signal),
    actions: (query, signal) => get(at("/api/actions", query), signal),
    trail: (actionId, asOf, signal) => get(at("/api/trail", { actionId, asOf }), signal),
    tasks: (query, signal) => resultOf(get<Answer<Tasks>>(at("/api/tasks", query), signal)),
    jobs: (query, signal) => resultOf(get<Answer<Jobs>>(at("/api/jobs", query), signal)),
    cards: (query, signal) => resultOf(get<Answer<Cards>>(at("/api/cards", query), signal)),
    cells: (query, signal) => get(at("/api/memory/cells", query), signal),
    cell: (id, asOf, signal) => get(at(one("/api/memory/cells", id), { asOf }), signal),
    notebooks: (query, signal) => get(at("/api/notebooks", query), signal),
    notebook: (id, query, signal) => get(at(one("/api/notebooks", id), query), signal),
    notebookHistory: (id, query, signal) => get(at(`${one("/api/notebooks", id)}/history`, query), signal),
    citations: (id, asOf, signal) => get(at(`${one("/api/notebooks", id)}/citations`, { asOf }), signal),
    run: (id, asOf, signal) => get(at(one("/api/runs", id), { asOf }), signal),
    outputUrl: (sha256, type) => at(one("/api/outputs", sha256), { type }),
    exportUrl: (query) => at("/api/export", query),
  };
}

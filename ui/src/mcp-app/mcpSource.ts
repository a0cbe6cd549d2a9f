import { ApiError } from "../api/errors";
import type { Source } from "../api/source";
import type { SessionRead } from "../api/types";
import { answerOrError, isSessionGot, type SessionGot } from "./answers";
import type { Bridge } from "./bridge";
import { type Proven, recordReadOf } from "./proven";
import { graphOf, sessionReadOf } from "./shapes";

/** What of the ledger can be had through an MCP host: one session, and the records of its thoughts. */
export type SessionSource = Pick<Source, "isLive" | "session" | "graph" | "record">;

const GATEWAY = "thoughtbox_gateway";
const READ = "session.get";
const THOUGHTS_IN_A_PAGE = 500;
const MOST_PAGES = 40;

export function mcpSource(bridge: Bridge): SessionSource {
  let shown: SessionRead | null = null;

  async function call(operation: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const own = bridge.told.context.toolInfo?.tool.name;
    // A server without a gateway has shown this page for the tool that reads a session.
    const isOwn = operation === READ && own !== undefined && own !== GATEWAY && bridge.told.input?.operation === undefined;
    const result = await (isOwn ? bridge.callTool(own, args, signal) : bridge.callTool(GATEWAY, { operation, ...args }, signal));
    return answerOrError(result);
  }

  async function session(id: string, signal?: AbortSignal): Promise<SessionRead> {
    const pages: SessionGot[] = [];
    let cursor: string | null | undefined;
    do {
      const args = { sessionId: id, limit: THOUGHTS_IN_A_PAGE, ...(cursor ? { cursor } : {}) };
      const page = await call(READ, args, signal);
      if (!isSessionGot(page)) throw new ApiError("NO_ANSWER", "The answer holds no session.", 0);
      pages.push(page);
      cursor = page.cursor;
    } while (cursor && pages.length < MOST_PAGES);
    shown = sessionReadOf(pages);
    return shown;
  }

  const read = async (id: string | undefined, signal?: AbortSignal): Promise<SessionRead> =>
    shown !== null && (id === undefined || shown.session.id === id) ? shown : session(id ?? "latest", signal);

  return {
    isLive: false,
    session: (id, _query, signal) => session(id, signal),
    graph: async (query, signal) => graphOf(await read(query.sessionId, signal)),
    record: async (id, _asOf, signal) => {
      const proven = (await call("ledger_prove", { id }, signal)) as unknown as Proven;
      return recordReadOf(proven, await read(undefined, signal));
    },
  };
}

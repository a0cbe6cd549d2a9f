import { describe, expect, it } from "vitest";
import { KINDS } from "../lanes/kinds";
import { answerOrError, isSessionGot, type SessionGot, subjectOf, type ThoughtGot } from "./answers";
import type { Bridge, ToolResult } from "./bridge";
import { mcpSource } from "./mcpSource";
import { canonical } from "./proven";
import { graphOf, sessionReadOf } from "./shapes";
import { withTheme } from "./theme";

const thought = (seq: number, number: number, more: Partial<ThoughtGot> = {}): ThoughtGot => ({
  id: `th:${seq}`,
  nodeId: ["s", more.branchId, number].filter((part) => part !== undefined).join(":"),
  thought: `thought ${seq}`,
  thoughtNumber: number,
  totalThoughts: number,
  nextThoughtNeeded: true,
  timestamp: "2026-01-01T00:00:00.000Z",
  kind: "claim",
  relations: [],
  ...more,
});

const page = (thoughts: ThoughtGot[], more: Partial<SessionGot> = {}): SessionGot => ({
  session: {
    id: "s",
    title: "Slow pages",
    thoughtCount: 5,
    branchCount: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:01.000Z",
    status: "active",
  },
  thoughts,
  branches: { alt: { fromThought: 2 } },
  ...more,
});

const SESSION = page([
  thought(3, 1),
  thought(4, 2, { kind: "evidence", relations: [{ type: "supports", to: "th:3" }] }),
  thought(5, 3, { branchId: "alt", branchFromThought: 2 }),
  thought(7, 3, { isRevision: true, revisesThought: 1 }),
  thought(9, 4, { branchId: "alt", actionId: "deploy-1" }),
]);

const result = (answer: object, isError = false): ToolResult => ({
  content: [{ type: "text", text: JSON.stringify(answer) }],
  isError,
});

describe("a session that was got", () => {
  it("is read as main line and branches, each thought behind the one it goes on from", () => {
    const read = sessionReadOf([SESSION]);
    expect(read.thoughts.map((one) => [one.seq, one.parentId])).toEqual([[3, undefined], [4, "s:1"], [7, "s:2"]]);
    expect(read.branches.alt?.fromThoughtNumber).toBe(2);
    expect(read.branches.alt?.thoughts.map((one) => [one.seq, one.parentId])).toEqual([[5, "s:2"], [9, "s:alt:3"]]);
    expect(read).toMatchObject({ seq: 9, truncated: false, session: { id: "s", title: "Slow pages", stream: "thoughts/s" } });
  });

  it("goes on over its pages", () => {
    const read = sessionReadOf([page([thought(3, 1)], { cursor: "more" }), page([thought(4, 2)])]);
    expect(read.thoughts.map((one) => one.parentId)).toEqual([undefined, "s:1"]);
    expect(sessionReadOf([page([thought(3, 1)], { cursor: "more" })]).truncated).toBe(true);
  });

  it("is drawn with its forks, kinds and relations", () => {
    const graph = graphOf(sessionReadOf([SESSION]));
    expect(graph.seqs).toEqual([3, 4, 5, 7, 9]);
    expect(graph.lanes.map((lane) => lane.branch)).toEqual(["main", "alt"]);
    expect(graph.lane).toEqual([0, 0, 1, 0, 1]);
    expect(graph.parent).toEqual([0, 3, 4, 4, 5]);
    expect(graph.kind[1]).toBe(KINDS.indexOf("evidence"));
    expect(graph.flags).toEqual([0, 0, 2, 1, 4]);
    expect(graph.links).toEqual([[4, 3, "supports"]]);
  });
});

describe("what a call was about", () => {
  it("is what it answered, or else what was asked", () => {
    expect(subjectOf(null, result(SESSION))).toBe("s");
    expect(subjectOf({ sessionId: "latest" }, result({ sessionId: "t" }))).toBe("t");
    expect(subjectOf({ operation: "thought", args: { sessionId: "u" } }, result({ id: "th:1" }))).toBe("u");
    expect(subjectOf({ operation: "list_models" }, { content: [{ type: "text", text: "plain words" }] })).toBeNull();
  });

  it("is known to be a session only when it has one", () => {
    expect(isSessionGot({ session: { id: "s" }, thoughts: [] })).toBe(true);
    expect(isSessionGot({ session: "s", thoughts: [] })).toBe(false);
    expect(isSessionGot(null)).toBe(false);
  });

  it("may be an error", () => {
    const error = result({ code: "SESSION_NOT_FOUND", message: "There is no session x.", recovery: "List them." }, true);
    expect(() => answerOrError(error)).toThrow("There is no session x.");
    expect(() => answerOrError({ content: [] })).toThrow();
  });
});

describe("the source", () => {
  const bridgeTo = (answers: Record<string, (args: Record<string, unknown>) => object>, tool?: string): { bridge: Bridge; names: string[] } => {
    const names: string[] = [];
    const bridge: Bridge = {
      told: { context: tool === undefined ? {} : { toolInfo: { tool: { name: tool } } }, input: {}, result: null, cancelled: null },
      canCall: true,
      onTold: () => () => {},
      resized: () => {},
      callTool: (name, args) => {
        names.push(name);
        const answer = answers[String(args.operation ?? "session.get")];
        return Promise.resolve(answer === undefined ? result({ code: "INVALID_OPERATION", message: "no" }, true) : result(answer(args)));
      },
    };
    return { bridge, names };
  };

  it("reads all pages of a session through the gateway", async () => {
    const { bridge, names } = bridgeTo({
      "session.get": ({ cursor }) => (cursor === undefined ? page([thought(3, 1)], { cursor: "2" }) : page([thought(4, 2)])),
    });
    expect((await mcpSource(bridge).session("s")).thoughts).toHaveLength(2);
    expect(names).toEqual(["thoughtbox_gateway", "thoughtbox_gateway"]);
  });

  it("reads it with the tool that the page was shown for where there is no gateway", async () => {
    const { bridge, names } = bridgeTo({ "session.get": () => page([]) }, "session_get");
    await mcpSource(bridge).session("s");
    expect(names).toEqual(["session_get"]);
  });

  it("shows a record with its hashes", async () => {
    const proven = {
      id: "th:4",
      record: { id: "th:4", kind: "evidence" },
      previous_hash: "aa",
      hash: "bb",
      index: 3,
      size: 9,
      root: "cc",
      path: [],
      checkpoint: null,
    };
    const { bridge } = bridgeTo({ "session.get": () => SESSION, ledger_prove: () => proven });
    const source = mcpSource(bridge);
    await source.session("s");
    expect(await source.record("th:4")).toMatchObject({
      seq: 4,
      hash: "bb",
      neighbours: { previous: { id: "th:3" }, next: { id: "th:5" } },
      proof: { size: 9 },
    });
    expect((await source.record("th:4")).contentHash).toHaveLength(64);
  });

  it("fails with the tool's own words", async () => {
    const { bridge } = bridgeTo({});
    await expect(mcpSource(bridge).session("s")).rejects.toMatchObject({ code: "INVALID_OPERATION" });
  });
});

describe("canonical JSON", () => {
  it("has one spelling", () => {
    expect(canonical({ b: [1, 0.5, null], a: { "€": "ü\n", z: true } })).toBe('{"a":{"z":true,"€":"ü\\n"},"b":[1,0.5,null]}');
  });
});

describe("the host's theme", () => {
  it("answers what the style asks", () => {
    expect(withTheme("(prefers-color-scheme: dark)", "dark")).toBe("(min-width: 0px)");
    expect(withTheme("(prefers-contrast: more) and (prefers-color-scheme: dark)", "light")).toBe("(prefers-contrast: more) and (max-width: 0px)");
  });
});

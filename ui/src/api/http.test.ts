import { afterEach, describe, expect, it, vi } from "vitest";
import { addressOf } from "./http";
import { ApiError, httpSource } from "./source";

function answering(answer: unknown, status = 200): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    asked.push(address);
    return Promise.resolve(new Response(typeof answer === "string" ? answer : JSON.stringify(answer), { status }));
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

describe("addresses", () => {
  it("leave out what was not said", () => {
    expect(addressOf("/api/x", { a: null, b: undefined })).toBe("/api/x");
    expect(addressOf("/api/x", { after: 0, q: "a b&c", ids: ["th:1", "th:2"] })).toBe("/api/x?after=0&q=a+b%26c&ids=th%3A1%2Cth%3A2");
  });

  it("hold the workspace of the moment, and ids as one part of the path", async () => {
    let workspace: string | null = null;
    const source = httpSource(() => workspace);
    const asked = answering({ result: {} });
    await source.record("th:1/../2", 7);
    workspace = "team a";
    await source.tasks({ limit: 5 });
    expect(asked).toEqual(["/api/records/th%3A1%2F..%2F2?asOf=7", "/api/tasks?workspace=team+a&limit=5"]);
    expect(source.exportUrl({ format: "jsonl" })).toBe("/api/export?workspace=team+a&format=jsonl");
    expect(source.outputUrl("../x", "image/png")).toBe("/api/outputs/..%2Fx?workspace=team+a&type=image%2Fpng");
  });
});

describe("answers", () => {
  const source = httpSource(() => null);

  it("of boards are what the operation found", async () => {
    answering({ success: true, intent: "context", result: { targets: [] } });
    expect(await source.tasks({})).toEqual({ targets: [] });
  });

  it("that are errors say what to do", async () => {
    answering({ code: "SESSION_NOT_FOUND", message: "No such session.", recovery: "List them." }, 404);
    const failure = await source.session("x").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: "SESSION_NOT_FOUND", status: 404, recovery: "List them." });
  });

  it("that are no JSON are errors, too", async () => {
    answering("<h1>Bad gateway</h1>", 502);
    await expect(source.health()).rejects.toMatchObject({ code: "HTTP_502", status: 502 });
  });

  it("that never come mean that the server is away; one that was not waited for means nothing", async () => {
    vi.stubGlobal("fetch", (_: string, { signal }: { signal?: AbortSignal }) =>
      Promise.reject(signal?.aborted ? signal.reason : new TypeError("failed")),
    );
    await expect(source.health()).rejects.toMatchObject({ code: "UNREACHABLE", status: 0 });
    await expect(source.health(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });
});

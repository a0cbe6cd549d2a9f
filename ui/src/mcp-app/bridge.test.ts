import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Bridge, connectBridge, type Told } from "./bridge";

type Message = Record<string, unknown>;

/** A host, as the page sees it. */
class FakeHost {
  readonly sent: Message[] = [];
  private hear: (message: unknown) => void = () => {};
  readonly windows = {
    post: (message: object) => void this.sent.push(message as Message),
    listen: (hear: (message: unknown) => void) => void (this.hear = hear),
  };

  say(message: unknown): void {
    this.hear(message);
  }
  notify(method: string, params: object): void {
    this.say({ jsonrpc: "2.0", method, params });
  }
  answerLast(result: object): void {
    this.say({ jsonrpc: "2.0", id: this.sent.at(-1)?.id, result });
  }
}

const INITIALIZED = { hostCapabilities: { serverTools: {} }, hostContext: { theme: "dark" }, protocolVersion: "2026-01-26" };

let host: FakeHost;
beforeEach(() => {
  vi.useFakeTimers();
  host = new FakeHost();
});
afterEach(() => vi.useRealTimers());

async function connected(initialized: object = INITIALIZED): Promise<Bridge> {
  const connecting = connectBridge(host.windows);
  host.answerLast(initialized);
  return connecting;
}

describe("greeting", () => {
  it("introduces the page, hears what the host is like, and says that it is ready", async () => {
    const bridge = await connected();
    expect(host.sent[0]).toMatchObject({ jsonrpc: "2.0", method: "ui/initialize", params: { protocolVersion: "2026-01-26" } });
    expect(host.sent[0]?.params).toHaveProperty("appInfo.name");
    expect(host.sent[0]?.params).toHaveProperty("appCapabilities");
    expect(host.sent[1]).toEqual({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} });
    expect(bridge.told.context.theme).toBe("dark");
    expect(bridge.canCall).toBe(true);
  });

  it("fails where no host answers", async () => {
    const connecting = connectBridge(host.windows);
    const failed = expect(connecting).rejects.toMatchObject({ code: "UNREACHABLE" });
    await vi.advanceTimersByTimeAsync(10_000);
    await failed;
  });

  it("knows a host that lets nobody call tools", async () => {
    expect((await connected({ hostCapabilities: {}, hostContext: {} })).canCall).toBe(false);
  });
});

describe("what the host tells", () => {
  it("reaches who listens, also what was told before", async () => {
    const bridge = await connected();
    host.notify("ui/notifications/tool-input", { arguments: { operation: "session.get", sessionId: "s" } });
    const heard: Told[] = [];
    bridge.onTold((told) => heard.push(told));
    host.notify("ui/notifications/tool-result", { content: [{ type: "text", text: "{}" }] });
    host.notify("ui/notifications/host-context-changed", { theme: "light" });
    expect(heard[0]).toMatchObject({ input: { sessionId: "s" }, result: null });
    expect(heard[1]?.result?.content).toHaveLength(1);
    expect(heard[2]).toMatchObject({ context: { theme: "light" }, input: { sessionId: "s" } });
  });

  it("of another call does not mix with the one before", async () => {
    const bridge = await connected();
    host.notify("ui/notifications/tool-result", { content: [] });
    host.notify("ui/notifications/tool-input", { arguments: {} });
    expect(bridge.told.result).toBeNull();
    host.notify("ui/notifications/tool-cancelled", { reason: "The user stopped it." });
    expect(bridge.told.cancelled).toBe("The user stopped it.");
  });

  it("is passed over when it is no message of the protocol", async () => {
    const bridge = await connected();
    for (const noise of [null, 7, "x", {}, { jsonrpc: "1.0", method: "ui/notifications/tool-result" }, { jsonrpc: "2.0", id: 99, result: {} }]) {
      host.say(noise);
    }
    expect(bridge.told.result).toBeNull();
  });

  it("is answered when it asks", async () => {
    await connected();
    host.say({ jsonrpc: "2.0", id: "a", method: "ping" });
    host.say({ jsonrpc: "2.0", id: "b", method: "ui/resource-teardown", params: {} });
    host.say({ jsonrpc: "2.0", id: "c", method: "tools/list" });
    expect(host.sent.slice(-3)).toMatchObject([
      { id: "a", result: {} },
      { id: "b", result: {} },
      { id: "c", error: { code: -32601 } },
    ]);
  });
});

describe("calls", () => {
  it("go to the server through the host", async () => {
    const bridge = await connected();
    const calling = bridge.callTool("thoughtbox_gateway", { operation: "session.get" });
    expect(host.sent.at(-1)).toMatchObject({
      method: "tools/call",
      params: { name: "thoughtbox_gateway", arguments: { operation: "session.get" } },
    });
    host.answerLast({ content: [] });
    expect(await calling).toEqual({ content: [] });
  });

  it("are told apart by their ids", async () => {
    const bridge = await connected();
    const first = bridge.callTool("a", {});
    const { id } = host.sent.at(-1) as Message;
    const second = bridge.callTool("b", {});
    host.answerLast({ content: [{ type: "text", text: "second" }] });
    host.say({ jsonrpc: "2.0", id, result: { content: [] } });
    expect((await first).content).toHaveLength(0);
    expect((await second).content).toHaveLength(1);
  });

  it("fail with what the host says, or when they are stopped, or when nothing comes", async () => {
    const bridge = await connected();
    const refused = bridge.callTool("a", {});
    host.say({ jsonrpc: "2.0", id: host.sent.at(-1)?.id, error: { code: -32000, message: "not allowed" } });
    await expect(refused).rejects.toThrow("not allowed");
    const stop = new AbortController();
    const stopped = bridge.callTool("a", {}, stop.signal);
    stop.abort();
    await expect(stopped).rejects.toThrow();
    const silent = expect(bridge.callTool("a", {})).rejects.toMatchObject({ code: "UNREACHABLE" });
    await vi.advanceTimersByTimeAsync(60_000);
    await silent;
  });

  it("tell the page's size", async () => {
    (await connected()).resized(600, 400);
    expect(host.sent.at(-1)).toEqual({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { width: 600, height: 400 } });
  });
});

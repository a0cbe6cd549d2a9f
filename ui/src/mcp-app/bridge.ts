import { ApiError } from "../api/errors";

// How a page that an MCP host shows speaks with it: JSON-RPC over messages between windows (MCP Apps, 2026-01-26).

const PROTOCOL = "2026-01-26";
const PATIENCE_MS = 30_000;
const FIRST_PATIENCE_MS = 8_000;
const METHOD_NOT_FOUND = -32601;

export interface HostContext {
  theme?: "light" | "dark";
  toolInfo?: { tool: { name: string } };
  [name: string]: unknown;
}

export interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

/** What the host has told of the call that the page belongs to. */
export interface Told {
  context: HostContext;
  input: Record<string, unknown> | null;
  result: ToolResult | null;
  /** The call was given up, and why. */
  cancelled: string | null;
}

export interface Bridge {
  readonly told: Told;
  /** Hears at once what has been told, and then of every change. */
  onTold(hear: (told: Told) => void): () => void;
  /** Whether the host lets the page call tools. */
  readonly canCall: boolean;
  callTool(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  resized(width: number, height: number): void;
}

/** The two windows, as far as they are used. */
export interface Windows {
  post: (message: object) => void;
  /** Messages that the host has sent, and nobody else. */
  listen: (hear: (message: unknown) => void) => void;
}

export function parentWindow(): Windows {
  return {
    // A host that frames its apps has no origin that a page could know; what is sent holds no secret of the page.
    post: (message) => window.parent.postMessage(message, "*"),
    listen: (hear) =>
      window.addEventListener("message", (event) => {
        if (event.source === window.parent) hear(event.data);
      }),
  };
}

/** Greets the host; fails where there is none. */
export async function connectBridge(windows: Windows): Promise<Bridge> {
  const bridge = new HostBridge(windows);
  await bridge.greet();
  return bridge;
}

interface Waiting {
  answer: (result: unknown) => void;
  fail: (error: unknown) => void;
}

class HostBridge implements Bridge {
  told: Told = { context: {}, input: null, result: null, cancelled: null };
  canCall = false;
  private readonly windows: Windows;
  private readonly waiting = new Map<number, Waiting>();
  private readonly hearers = new Set<(told: Told) => void>();
  private lastId = 0;

  constructor(windows: Windows) {
    this.windows = windows;
    windows.listen((message) => this.heard(message));
  }

  async greet(): Promise<void> {
    const greeting = {
      appInfo: { name: "thoughtbox-observatory", title: "Thoughtbox Observatory", version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: PROTOCOL,
    };
    const answer = (await this.request("ui/initialize", greeting, FIRST_PATIENCE_MS)) as {
      hostCapabilities?: { serverTools?: object };
      hostContext?: HostContext;
    };
    this.canCall = answer.hostCapabilities?.serverTools !== undefined;
    this.tell({ context: { ...answer.hostContext, ...this.told.context } });
    this.windows.post({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} });
  }

  onTold(hear: (told: Told) => void): () => void {
    this.hearers.add(hear);
    hear(this.told);
    return () => this.hearers.delete(hear);
  }

  async callTool(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult> {
    return (await this.request("tools/call", { name, arguments: args }, PATIENCE_MS, signal)) as ToolResult;
  }

  resized(width: number, height: number): void {
    this.windows.post({ jsonrpc: "2.0", method: "ui/notifications/size-changed", params: { width, height } });
  }

  private request(method: string, params: object, patience: number, signal?: AbortSignal): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const stop = (): void => settle(() => reject(signal?.reason));
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        this.waiting.delete(id);
        end();
      };
      const timer = setTimeout(
        () => settle(() => reject(new ApiError("UNREACHABLE", "The host does not answer.", 0))),
        patience,
      );
      if (signal?.aborted) return stop();
      signal?.addEventListener("abort", stop);
      this.waiting.set(id, {
        answer: (result) => settle(() => resolve(result)),
        fail: (error) => settle(() => reject(error)),
      });
      this.windows.post({ jsonrpc: "2.0", id, method, params });
    });
  }

  private heard(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    const { jsonrpc, id, method, params, result, error } = message as Record<string, unknown>;
    if (jsonrpc !== "2.0") return;
    if (typeof method !== "string") this.answered(id, result, error);
    else if (id === undefined) this.notified(method, (params ?? {}) as Record<string, unknown>);
    else this.asked(id, method);
  }

  private answered(id: unknown, result: unknown, error: unknown): void {
    const waiting = this.waiting.get(id as number);
    if (waiting === undefined) return;
    if (error === undefined) return waiting.answer(result);
    const said = (error as { message?: unknown } | null)?.message;
    waiting.fail(new ApiError("HOST_REFUSED", typeof said === "string" ? said : "The host refused the call.", 0));
  }

  private asked(id: unknown, method: string): void {
    const isKnown = method === "ping" || method === "ui/resource-teardown";
    const answer = isKnown ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: `There is no ${method} here.` } };
    this.windows.post({ jsonrpc: "2.0", id, ...answer });
  }

  private notified(method: string, params: Record<string, unknown>): void {
    switch (method) {
      case "ui/notifications/tool-input":
        // Another call has begun: what is known of the one before does not belong to it.
        return this.tell({ input: (params.arguments ?? {}) as Record<string, unknown>, result: null, cancelled: null });
      case "ui/notifications/tool-result":
        return this.tell({ result: params as ToolResult, cancelled: null });
      case "ui/notifications/tool-cancelled":
        return this.tell({ cancelled: typeof params.reason === "string" ? params.reason : "" });
      case "ui/notifications/host-context-changed":
        return this.tell({ context: { ...this.told.context, ...params } });
    }
  }

  private tell(change: Partial<Told>): void {
    this.told = { ...this.told, ...change };
    for (const hear of [...this.hearers]) hear(this.told);
  }
}

/** What the API, or an MCP host in its place, answers when it cannot do what was asked. */
export class ApiError extends Error {
  readonly code: string;
  /** The HTTP status; 0 when no answer came at all. */
  readonly status: number;
  readonly recovery?: string;

  constructor(code: string, message: string, status: number, recovery?: string) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    if (recovery !== undefined) this.recovery = recovery;
  }
}

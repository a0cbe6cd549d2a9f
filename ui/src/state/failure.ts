import { ApiError } from "../api/source";
import { plain } from "./words";

/** What went wrong, for a person: what happened, and what to do about it. */
export interface Failure {
  title: string;
  message: string;
  recovery: string | null;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { title: "Something went wrong", message: String(error), recovery: null };
  return { title: titleOf(error), message: plain(error.message), recovery: error.recovery === undefined ? null : plain(error.recovery) };
}

function titleOf(error: ApiError): string {
  if (error.status === 0) return "The server cannot be reached";
  if (error.status === 401 || error.status === 403) return "The server does not let this page in";
  if (error.status === 404) return "There is no such thing here";
  return "The server could not answer";
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

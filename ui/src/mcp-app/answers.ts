import { ApiError } from "../api/errors";
import type { Kind, Relation, SessionStatus } from "../api/types";
import type { ToolResult } from "./bridge";

/** What the operation session.get answers, as far as it is shown. */
export interface SessionGot {
  session: {
    id: string;
    title?: string;
    tags?: string[];
    description?: string;
    project?: string;
    thoughtCount: number;
    branchCount: number;
    createdAt: string;
    updatedAt: string;
    status: SessionStatus;
  };
  thoughts: ThoughtGot[];
  branches: Record<string, { fromThought?: number; fromBranch?: string; fate?: "adopted" | "rejected" }>;
  cursor?: string | null;
}

export interface ThoughtGot {
  id: string;
  nodeId: string;
  thought: string;
  thoughtNumber: number;
  totalThoughts: number;
  nextThoughtNeeded: boolean;
  timestamp: string;
  kind: Kind;
  relations: Relation[];
  isRevision?: boolean;
  revisesThought?: number;
  branchFromThought?: number;
  branchId?: string;
  actionId?: string;
  labels?: string[];
  confidence?: number;
}

/** The words of a tool's answer. */
export function textOf(result: ToolResult): string {
  const texts = (result.content ?? []).filter((block) => block.type === "text").map((block) => block.text ?? "");
  return texts.join("\n");
}

/** A tool's answer as it is: hosts may leave out the one form or the other. */
export function answerOf(result: ToolResult): Record<string, unknown> | null {
  if (typeof result.structuredContent === "object" && result.structuredContent !== null) {
    return result.structuredContent as Record<string, unknown>;
  }
  try {
    const said: unknown = JSON.parse(textOf(result));
    return typeof said === "object" && said !== null ? (said as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The answer, or the error that stands in its place. */
export function answerOrError(result: ToolResult): Record<string, unknown> {
  const answer = answerOf(result);
  if (result.isError !== true && answer !== null) return answer;
  const word = (name: string): string | undefined => (typeof answer?.[name] === "string" ? (answer[name] as string) : undefined);
  throw new ApiError(word("code") ?? "NO_ANSWER", word("message") ?? "The tool gave no answer that can be read.", 0, word("recovery"));
}

export function isSessionGot(answer: Record<string, unknown> | null): answer is Record<string, unknown> & SessionGot {
  const session = answer?.session as { id?: unknown } | undefined;
  return typeof session?.id === "string" && Array.isArray(answer?.thoughts);
}

/** The session that a call was about, by what it answered or else by what was asked; null where it was about none. */
export function subjectOf(input: Record<string, unknown> | null, result: ToolResult | null): string | null {
  const answer = result === null ? null : answerOf(result);
  const args = input?.args as Record<string, unknown> | undefined;
  const session = answer?.session as { id?: unknown } | undefined;
  const named = [session?.id, answer?.sessionId, input?.sessionId, args?.sessionId];
  return named.find((id): id is string => typeof id === "string" && id !== "") ?? null;
}

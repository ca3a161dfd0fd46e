import type { ErrorCode } from "@shared/contract/errors.ts";
import type { z } from "zod";
import type { ANSWER_SCHEMAS, REQUEST_SCHEMAS } from "./schemas.ts";

/**
 * Who may call a route; `owner`: an administrator, the file's owner, or whoever has its signed address; `queue-page`: a
 * browser in which an administrator has opened the job queue.
 */
export type Access = "public" | "user" | "approved" | "admin" | "owner" | "queue-page";

export const TAGS = {
  Accounts: "Registration, login, passwords, and the user's own account.",
  Signals: "Asking for trading signals, and reading them.",
  Ledger: "The tamper-evident record of all signals and what became of them.",
  Payments: "How to pay, and the proof of having paid.",
  Administration: "Users, payment settings, images; for administrators only.",
  Queue: "The job queue in a browser page; for administrators only.",
  Files: "Stored images.",
  Service: "What the service is and how it is.",
} as const;

/** What a caller can know of one route. The router decides what happens; a test keeps the two together. */
export interface RouteDoc {
  method: "get" | "post" | "delete";
  /** As the router has it, with `:name` for the part that varies. */
  path: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  access: Access;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: BodyDoc;
  answers: Record<number, AnswerDoc>;
  /** Refusals besides those that follow from access and body. */
  refusals?: readonly ErrorCode[];
  /** Whether it answers without the database too. */
  needsNothing?: boolean;
}

export interface BodyDoc {
  schema: keyof typeof REQUEST_SCHEMAS;
  types: readonly ("json" | "form" | "multipart")[];
  /** Form fields that hold an image; a body with one is multipart. */
  files?: readonly string[];
}

export interface AnswerDoc {
  description: string;
  /** What the JSON is; absent for an answer of another type, or without a body. */
  schema?: keyof typeof ANSWER_SCHEMAS;
  /** Type of an answer that is no JSON. */
  contentType?: string;
  /** Headers that matter, with what they hold. */
  headers?: Record<string, string>;
}

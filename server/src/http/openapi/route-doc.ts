import {
  changePasswordRequestSchema,
  forgotPasswordRequestSchema,
  loginRequestSchema,
  meSchema,
  registerRequestSchema,
  resetPasswordRequestSchema,
  sessionSchema,
  userCardSchema,
  verifyEmailRequestSchema,
} from "@shared/contract/account.ts";
import {
  actionDoneSchema,
  auditEntrySchema,
  auditPageSchema,
  creditGrantSchema,
  imageAccessSchema,
  queueTicketSchema,
  systemHealthSchema,
  usageSchema,
  userListSchema,
} from "@shared/contract/admin.ts";
import { signalCandlesSchema } from "@shared/contract/candle.ts";
import { type ErrorCode, errorBodySchema } from "@shared/contract/errors.ts";
import {
  chartImageListSchema,
  chartImageSchema,
  cleanupResultSchema,
  proofFormSchema,
} from "@shared/contract/files.ts";
import {
  ledgerEntrySchema,
  ledgerHeadSchema,
  ledgerHeadsSchema,
  ledgerPageSchema,
  witnessedHeadSchema,
} from "@shared/contract/ledger.ts";
import { marketsSchema } from "@shared/contract/markets.ts";
import { paymentDetailsSchema, paymentDetailsUpdateSchema } from "@shared/contract/payment.ts";
import { performanceSchema } from "@shared/contract/performance.ts";
import {
  analysisSchema,
  historyItemSchema,
  historyPageSchema,
  signalAcceptedSchema,
  signalRequestSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import {
  sharedSignalSchema,
  shareLinkSchema,
  signalSinceSchema,
} from "@shared/contract/signal-page.ts";
import { statusSchema } from "@shared/contract/status.ts";
import { z } from "zod";
import {
  jobSelectionSchema,
  jobsChangedSchema,
  queueFiguresSchema,
  queuePageSchema,
} from "../../modules/queue-dashboard/agendash-schemas.ts";

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

/** The schemas that check request bodies, by the names that callers know them under. */
export const REQUEST_SCHEMAS = {
  RegisterRequest: registerRequestSchema,
  LoginRequest: loginRequestSchema,
  VerifyEmailRequest: verifyEmailRequestSchema,
  ForgotPasswordRequest: forgotPasswordRequestSchema,
  ResetPasswordRequest: resetPasswordRequestSchema,
  ChangePasswordRequest: changePasswordRequestSchema,
  SignalRequest: signalRequestSchema,
  ProofForm: proofFormSchema,
  ImageAccess: imageAccessSchema,
  CreditGrant: creditGrantSchema,
  PaymentDetailsUpdate: paymentDetailsUpdateSchema,
  JobSelection: jobSelectionSchema,
} as const;

/** The schemas of all answers, likewise. */
export const ANSWER_SCHEMAS = {
  Error: errorBodySchema,
  Session: sessionSchema,
  Me: meSchema,
  UserCard: userCardSchema,
  Signal: signalResponseSchema,
  Analysis: analysisSchema,
  SignalAccepted: signalAcceptedSchema,
  SignalCandles: signalCandlesSchema,
  SignalHistoryItem: historyItemSchema,
  SignalHistory: historyPageSchema,
  SignalSince: signalSinceSchema,
  ShareLink: shareLinkSchema,
  SharedSignal: sharedSignalSchema,
  LedgerEntry: ledgerEntrySchema,
  LedgerHead: ledgerHeadSchema,
  LedgerPage: ledgerPageSchema,
  WitnessedHead: witnessedHeadSchema,
  LedgerHeads: ledgerHeadsSchema,
  PaymentDetails: paymentDetailsSchema,
  ActionDone: actionDoneSchema,
  UserList: userListSchema,
  ChartImage: chartImageSchema,
  ChartImageList: chartImageListSchema,
  CleanupResult: cleanupResultSchema,
  AuditEntry: auditEntrySchema,
  AuditPage: auditPageSchema,
  Usage: usageSchema,
  SystemHealth: systemHealthSchema,
  QueueTicket: queueTicketSchema,
  QueuePage: queuePageSchema,
  QueueFigures: queueFiguresSchema,
  JobsChanged: jobsChangedSchema,
  Status: statusSchema,
  Markets: marketsSchema,
  Performance: performanceSchema,
  Health: z.object({ status: z.literal("ok") }),
  OpenApi: z.looseObject({ openapi: z.literal("3.1.0") }),
} as const;

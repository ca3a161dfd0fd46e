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
  userListSchema,
} from "@shared/contract/admin.ts";
import { signalCandlesSchema } from "@shared/contract/candle.ts";
import { errorBodySchema } from "@shared/contract/errors.ts";
import {
  chartImageListSchema,
  chartImageSchema,
  cleanupResultSchema,
  proofFormSchema,
} from "@shared/contract/files.ts";
import { systemHealthSchema } from "@shared/contract/health.ts";
import { ledgerEntrySchema, ledgerHeadSchema, ledgerPageSchema } from "@shared/contract/ledger.ts";
import { ledgerHeadsSchema, witnessedHeadSchema } from "@shared/contract/ledger-heads.ts";
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
import { usageSchema } from "@shared/contract/usage.ts";
import { z } from "zod";
import {
  jobSelectionSchema,
  jobsChangedSchema,
  queueFiguresSchema,
  queuePageSchema,
} from "../queue-page/queue-answers.ts";

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

import { Types } from "mongoose";
import { z } from "zod";
import type { SignalOrigin } from "../signals/mark-started.ts";

/** Where Agenda keeps its jobs. */
export const JOBS_COLLECTION = "agendaJobs";

/** Name of the job that generates one signal. */
export const GENERATE_SIGNAL_JOB = "generate-signal";

const idSchema = z.string().regex(/^[0-9a-f]{24}$/);

/** All that a job carries; the signal's document holds the rest. The request's id is for the logs and the queue's page. */
export const generateSignalDataSchema = z.object({
  signalId: idSchema,
  userId: idSchema,
  requestId: z.string().optional(),
  streamSeq: z.number().int().positive().optional(),
});
const justTheId = generateSignalDataSchema.pick({ signalId: true });
export type GenerateSignalData = z.infer<typeof generateSignalDataSchema>;

/** What the job of a signal carries. */
export function signalJobData(signal: SignalOrigin): GenerateSignalData {
  const { _id, userId, requestId, streamSeq } = signal;
  return {
    ...{ signalId: String(_id), userId: String(userId) },
    ...(requestId && { requestId }),
    ...(streamSeq !== undefined && { streamSeq }),
  };
}

/** Also of a job that an older version has made. @throws ZodError if the job does not carry it */
export const signalIdOfJob = (data: unknown): string => justTheId.parse(data).signalId;

/** The signal that a job is for. @throws ZodError if the job does not carry what it should */
export function readSignalJob(data: unknown): SignalOrigin {
  const { signalId, userId, ...hints } = generateSignalDataSchema.parse(data);
  return { _id: new Types.ObjectId(signalId), userId: new Types.ObjectId(userId), ...hints };
}

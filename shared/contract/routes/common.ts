import { actionDoneSchema } from "@shared/contract/admin.ts";
import { z } from "zod";

/** Response of actions. */
export const done = {
  description: "A sentence that confirms the action.",
  schema: actionDoneSchema,
};

export const filenameParams = z.object({ filename: z.string() });

import {
  loginRequestSchema,
  registerRequestSchema,
  type Session,
  sessionSchema,
} from "@shared/contract/account.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { issuesToFieldErrors } from "../../lib/api/field-errors.ts";

const requests = {
  login: { path: "/login", schema: loginRequestSchema },
  register: { path: "/register", schema: registerRequestSchema },
} as const;

export async function authenticate(mode: AuthMode, form: object): Promise<Session> {
  const { path, schema } = requests[mode];
  const { data, error } = schema.safeParse(form);
  if (error) {
    const fieldErrors = issuesToFieldErrors(error.issues);
    throw new ApiError("Please check the marked fields.", {
      status: 0,
      code: "invalid-input",
      fieldErrors,
    });
  }
  return api({ method: "POST", path, body: data, schema: sessionSchema });
}

export type AuthMode = "login" | "register";

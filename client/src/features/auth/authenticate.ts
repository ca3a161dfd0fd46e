import { type Session, sessionSchema } from "@shared/contract/account.ts";
import { loginRequestSchema, registerRequestSchema } from "@shared/contract/authentication.ts";
import type { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { type FormFields, parseForm } from "../../lib/api/forms.ts";

const requests = {
  login: { path: "/login", schema: loginRequestSchema },
  register: { path: "/register", schema: registerRequestSchema },
} as const;

export async function authenticate(mode: AuthMode, form: FormFields): Promise<Session> {
  const { path, schema } = requests[mode];
  const body = parseForm<z.output<typeof schema>>(schema, form);
  return api({ method: "POST", path, body, schema: sessionSchema });
}

export type AuthMode = "login" | "register";

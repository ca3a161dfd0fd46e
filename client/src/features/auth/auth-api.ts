import {
  type LoginRequest,
  type RegisterRequest,
  type Session,
  sessionSchema,
} from "@shared/contract/account.ts";
import { api } from "../../lib/api/api.ts";

export const login = (body: LoginRequest): Promise<Session> =>
  api({ method: "POST", path: "/login", body, schema: sessionSchema });

export const register = (body: RegisterRequest): Promise<Session> =>
  api({ method: "POST", path: "/register", body, schema: sessionSchema });

import { sessionSchema } from "@shared/contract/account.ts";
import { z } from "zod";
import type { ServiceSlot } from "./service-slot.ts";

/** A call of the API, as a client makes it. */
export interface ApiCall {
  via: ServiceSlot;
  path: string;
  method?: "GET" | "POST";
  token?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as it is when it is a form. */
  body?: unknown;
}

/** What came back. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** A client gives up after this time: longer than the API ever takes. */
const CLIENT_TIMEOUT_MS = 130_000;

/**
 * Calls a server. Each call has a connection of its own, so that none is lost to a connection that an earlier death has
 * left half open.
 * @throws whatever fetch throws when no answer came
 */
export async function callApi(call: ApiCall): Promise<ApiAnswer> {
  const { via, path, method = "GET", token, body } = call;
  const headers = new Headers({ connection: "close", ...call.headers });
  if (token) headers.set("Authorization", `Bearer ${token}`);
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers.set("Content-Type", "application/json");
  const answer = await fetch(via.url + path, {
    method,
    headers,
    signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/**
 * As `callApi`, for calls that have to succeed.
 * @throws Error with the answer when it is no success, or of another shape
 */
export async function expectAnswer<Schema extends z.ZodType>(
  call: ApiCall,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const { status, body } = await callApi(call);
  if (status >= 400) throw new Error(`${call.path} answered ${status}: ${JSON.stringify(body)}`);
  return schema.parse(body);
}

export const ADMIN_PASSWORD = "correct horse";
const doneSchema = z.object({ detail: z.string() });

/** The first administrator, who lets traders in and sells them credits. */
export class Administrator {
  readonly token: string;

  private constructor(token: string) {
    this.token = token;
  }

  static async logIn(via: ServiceSlot): Promise<Administrator> {
    const body = { username: "admin", password: ADMIN_PASSWORD };
    const call = { via, path: "/login", method: "POST" as const, body };
    return new Administrator((await expectAnswer(call, sessionSchema)).token);
  }

  async approve(via: ServiceSlot, username: string): Promise<void> {
    await this.#post(via, `/admin/approve/${username}`);
  }

  async allowImages(via: ServiceSlot, username: string): Promise<void> {
    await this.#post(via, `/admin/set-image-access/${username}`, { allow: "true" });
  }

  /** Adds to a balance; a negative number takes away. */
  async grantCredits(via: ServiceSlot, username: string, credits: number): Promise<void> {
    await this.#post(via, `/admin/grant-image-credits/${username}`, { credits: String(credits) });
  }

  async #post(via: ServiceSlot, path: string, fields: Record<string, string> = {}): Promise<void> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    await expectAnswer({ via, path, method: "POST", token: this.token, body }, doneSchema);
  }
}

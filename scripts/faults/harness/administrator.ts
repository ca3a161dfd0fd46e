import { sessionSchema } from "@shared/contract/account.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { z } from "zod";
import type { ServiceSlot } from "./service-slot.ts";

export const ADMIN_PASSWORD = "correct horse";

const doneSchema = z.object({ detail: z.string() });

export class Administrator {
  readonly token: string;

  private constructor(token: string) {
    this.token = token;
  }

  static async logIn({ url }: ServiceSlot): Promise<Administrator> {
    const body = { username: "admin", password: ADMIN_PASSWORD };
    const { token } = await expectAnswer(sessionSchema, `${url}/login`, { body });
    return new Administrator(token);
  }

  approve(via: ServiceSlot, username: string): Promise<unknown> {
    return this.#post(via, `/admin/approve/${username}`);
  }

  allowImages(via: ServiceSlot, username: string): Promise<unknown> {
    return this.#post(via, `/admin/set-image-access/${username}`, { allow: "true" });
  }

  /** Adds to a balance; a negative number removes credits. */
  grantCredits(via: ServiceSlot, username: string, credits: number): Promise<unknown> {
    return this.#post(via, `/admin/grant-image-credits/${username}`, { credits: String(credits) });
  }

  #post({ url }: ServiceSlot, path: string, fields?: Record<string, string>): Promise<unknown> {
    const body = new URLSearchParams(fields);
    return expectAnswer(doneSchema, url + path, { token: this.token, body });
  }
}

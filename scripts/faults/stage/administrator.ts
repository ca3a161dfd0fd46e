import { sessionSchema } from "@shared/contract/account.ts";
import { z } from "zod";
import { expectAnswer } from "./api.ts";
import type { PartSlot } from "./part-slot.ts";

export const ADMIN_PASSWORD = "correct horse";
const doneSchema = z.object({ detail: z.string() });

/** The first administrator, who lets traders in and sells them credits. */
export class Administrator {
  readonly token: string;

  private constructor(token: string) {
    this.token = token;
  }

  static async logIn(via: PartSlot): Promise<Administrator> {
    const body = { username: "admin", password: ADMIN_PASSWORD };
    const call = { via, path: "/login", method: "POST" as const, body };
    return new Administrator((await expectAnswer(call, sessionSchema)).token);
  }

  async approve(via: PartSlot, username: string): Promise<void> {
    await this.#post(via, `/admin/approve/${username}`);
  }

  async allowImages(via: PartSlot, username: string): Promise<void> {
    await this.#post(via, `/admin/set-image-access/${username}`, { allow: "true" });
  }

  /** Adds to a balance; a negative number takes away. */
  async grantCredits(via: PartSlot, username: string, credits: number): Promise<void> {
    await this.#post(via, `/admin/grant-image-credits/${username}`, { credits: String(credits) });
  }

  async #post(via: PartSlot, path: string, fields: Record<string, string> = {}): Promise<void> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    await expectAnswer({ via, path, method: "POST", token: this.token, body }, doneSchema);
  }
}

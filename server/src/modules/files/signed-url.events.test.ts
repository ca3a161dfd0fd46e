import { describe, expect, it } from "vitest";
import { createSignPath, signEventFiles } from "./signed-url.ts";

const settings = { JWT_SECRET: "a secret of more than 32 characters, for tests" };
const now = new Date("2025-03-01T12:00:00Z");
const signPath = (path: string) => `https://api.example.com${path}?signed`;
const proof = { sender_name: "Ann", filename: "x.png", url: "/payment_proofs/x.png" };

describe("the files of an event, when it is delivered", () => {
  it.each(["proof:submitted", "chart-image:added", "chart-image:deleted"])(
    "%s carries an address that can be opened",
    (name) => {
      const data = { username: "ann", filename: "x.png", url: "/chart_uploads/x.png" };
      expect(signEventFiles({ name, data }, signPath)).toEqual({
        ...data,
        url: "https://api.example.com/chart_uploads/x.png?signed",
      });
    },
  );

  it.each(["user:registered", "user:updated"])("%s does so in its payment proof", (name) => {
    const data = { username: "ann", image_credits: 3, payment_proof: proof };
    expect(signEventFiles({ name, data }, signPath)).toEqual({
      ...data,
      payment_proof: { ...proof, url: "https://api.example.com/payment_proofs/x.png?signed" },
    });
  });

  it("signs the image of an earlier proof too, if it is stored", () => {
    const submitted = (url?: string) => ({
      name: "proof:submitted",
      data: { ...proof, earlier_proof: { state: "stored", url } },
    });
    expect(signEventFiles(submitted("/payment_proofs/y.png"), signPath)).toMatchObject({
      url: "https://api.example.com/payment_proofs/x.png?signed",
      earlier_proof: { url: "https://api.example.com/payment_proofs/y.png?signed" },
    });
    expect(signEventFiles(submitted(), signPath)).toMatchObject({
      earlier_proof: { url: undefined },
    });
  });

  it.each([
    ["user:updated", { username: "ann", payment_proof: null }],
    ["user:deleted", { username: "ann" }],
    ["signal:queued", { signal_id: "1", symbol: "BTC/USDT", timeframe: "1h" }],
    ["proof:deleted", {}],
    ["an event of a later release", { url: "/somewhere" }],
  ])("%s without files stays as it is", (name, data) => {
    expect(signEventFiles({ name, data }, signPath)).toEqual(data);
  });

  it("are signed at the time of the delivery, for the API's own address", () => {
    let time = now;
    const sign = createSignPath({
      settings: { ...settings, VITE_API_URL: "http://localhost:8000" },
      now: () => time,
    });
    const first = sign("/payment_proofs/x.png");
    time = new Date(now.getTime() + 3_600_000);
    const second = new URL(sign("/payment_proofs/x.png"));
    expect(first.startsWith("http://localhost:8000/payment_proofs/x.png?expires=")).toBe(true);
    expect(Number(second.searchParams.get("expires"))).toBe(time.getTime() / 1_000 + 600);
  });
});

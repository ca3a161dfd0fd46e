import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { multipartForm } from "@shared/testing/api-client.ts";
import { callApi } from "@shared/testing/call-api.ts";
import { createUser, signTokenFor, TEST_PASSWORD } from "@shared/testing/factories.ts";
import { plainImage } from "@shared/testing/images.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type LiveServer, startLiveServer } from "./testing/start-live-server.ts";

const MAX_OPEN_MS = 15_000;
const TEST_TIMEOUT_MS = 60_000;

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";
const MULTIPART_TYPE = "multipart/form-data; boundary=x";

/** Requests without a token whose bodies never end, with the status of their answers. */
const ATTACKS: readonly (readonly [path: string, type: string, status: number])[] = [
  ["/change-password", JSON_TYPE, 401],
  ["/change-password", FORM_TYPE, 401],
  ["/get-signal", JSON_TYPE, 401],
  ["/get-signal-with-image", MULTIPART_TYPE, 401],
  ["/submit-payment-proof", MULTIPART_TYPE, 401],
  ["/admin/approve/ann", MULTIPART_TYPE, 401],
  ["/admin/queue", JSON_TYPE, 408],
  ["/me/two-factor", JSON_TYPE, 401],
  ["/login", JSON_TYPE, 408],
  ["/login", FORM_TYPE, 408],
  ["/register", JSON_TYPE, 408],
  ["/forgot-password", JSON_TYPE, 408],
  ["/reset-password", JSON_TYPE, 408],
  ["/verify-email", JSON_TYPE, 408],
  ["/unknown", JSON_TYPE, 404],
  ["/unknown", MULTIPART_TYPE, 404],
  ["/socket.io/?EIO=4&transport=polling&sid=unknown", "text/plain", 400],
];

describe("bodies that are sent a byte a second", () => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri: testDatabaseUri() });
  });
  afterAll(() => server.stop());

  /** Sends a byte a second for as long as the server takes them. It never closes the connection itself. */
  async function attack(head: string) {
    const socket = connect({ port: Number(new URL(server.url).port), allowHalfOpen: true });
    await once(socket, "connect");
    const startedMs = performance.now();
    socket.write(head);
    const drip = setInterval(() => socket.write("a"), 1_000);
    let answer = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      answer += piece;
    });
    await new Promise<void>((resolve) => {
      socket.on("error", () => undefined).once("close", () => resolve());
    });
    clearInterval(drip);
    return { status: Number(answer.split(" ")[1]), openMs: performance.now() - startedMs };
  }
  const post = ([path, type]: (typeof ATTACKS)[number]) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`;

  /** Sends to a connection of polling that is not signed in. */
  async function attackPolling() {
    const path = "/socket.io/?EIO=4&transport=polling";
    const opened = await fetch(server.url + path);
    const { sid } = z.object({ sid: z.string() }).parse(JSON.parse((await opened.text()).slice(1)));
    return attack(post([`${path}&sid=${sid}`, "text/plain", Number.NaN]));
  }

  /** Uploads a proof of payment within 13 s. */
  async function uploadSlowly(token: string) {
    const proof_image = await plainImage().png().toBuffer();
    const form = multipartForm({ sender_name: "Ann", proof_image });
    const whole = new Request(server.url, { method: "POST", body: form });
    const bytes = Buffer.from(await whole.arrayBuffer());
    const upload = request(`${server.url}/submit-payment-proof`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": whole.headers.get("Content-Type") ?? "",
        "Content-Length": bytes.length,
      },
    });
    const answered = once(upload, "response");
    const size = Math.ceil(bytes.length / 13);
    let sent = 0;
    const drip = setInterval(() => {
      upload.write(bytes.subarray(sent, sent + size));
      sent += size;
      if (sent < bytes.length) return;
      clearInterval(drip);
      upload.end();
    }, 1_000);
    const [answer] = await answered;
    return { status: answer.statusCode, body: await text(answer) };
  }

  it(
    "are answered and cut off within 15 s without a token, while others sign in and upload files slowly",
    async () => {
      const user = await createUser(server.database);
      const upload = uploadSlowly(signTokenFor(user, server.settings));
      const attacks = Promise.all([
        ...ATTACKS.map((one) => attack(post(one))),
        attack("POST /login HTTP/1.1\r\nHost: a\r\nX-Slow: "),
        attack("P"),
        attackPolling(),
        attack("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: nonsense\r\n\r\n"),
      ]);
      const body = { username: user.username, password: TEST_PASSWORD };
      expect((await callApi(`${server.url}/login`, { body })).status).toBe(200);
      const results = await attacks;
      const expected = [...ATTACKS.map(([, , status]) => status), 408, 400, Number.NaN, 400];
      expect(results.map(({ status }) => status)).toEqual(expected);
      for (const { openMs } of results) expect(openMs).toBeLessThan(MAX_OPEN_MS);
      expect(await upload).toMatchObject({ status: 201 });
    },
    TEST_TIMEOUT_MS,
  );
});

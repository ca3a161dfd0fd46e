import { request } from "node:http";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { loadSettings } from "@shared/runtime/settings.ts";
import { multipartForm } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { freePort, spawnService, watchResidentMib } from "@shared/testing/spawn-service.ts";

const secrets = {
  JWT_SECRET: "a test secret of more than 32 characters",
  ADMIN_PASSWORD: "correct horse",
};
const settings = loadSettings(secrets);

/** Limit of the server and its decoders together: 600 MB. */
export const MAX_SERVER_MIB = 572;

/** The two kinds of uploads, by the status of an accepted one. */
export const ACCEPTED = { proof: 201, chart: 202 } as const;
export type UploadKind = keyof typeof ACCEPTED;
export const UPLOAD_KINDS: readonly UploadKind[] = ["proof", "chart"];

interface FormBody {
  type: string;
  bytes: Buffer;
}

/** A server as a process of its own, whose memory is watched, and users who upload pictures to it. */
export async function startServerForUploads(database: Database, uri: string) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ...secrets, MONGODB_URI: uri, API_PORT: String(port), RATE_LIMIT: "off" };
  const server = await spawnService("server", env);
  const stopWatching = watchResidentMib(server.pid);
  const authorizationOf = (user: UserRecord) => `Bearer ${signTokenFor(user, settings)}`;

  return {
    /** Stops watching. @returns the peak, in MiB */
    peakMib: stopWatching,

    async stop(): Promise<void> {
      await stopWatching();
      await server.kill();
    },

    createTrader: () =>
      createUser(database, { approved: true, allowImageUpload: true, imageCredits: 1_000 }),

    async upload(user: UserRecord, kind: UploadKind, picture: Buffer) {
      const { path, fields } = formOf(kind, picture);
      const startedMs = performance.now();
      const response = await fetch(url + path, {
        method: "POST",
        headers: { authorization: authorizationOf(user), prefer: "respond-async" },
        body: multipartForm(fields),
      });
      const body: unknown = await response.json();
      return { status: response.status, body, tookMs: performance.now() - startedMs };
    },

    /** Sends a proof and reads no answer. Its body can be that of many uploads, so that they take little time beside the server. */
    startProof(user: UserRecord, { type, bytes }: FormBody) {
      const upload = request(`${url}/submit-payment-proof`, {
        method: "POST",
        agent: false,
        headers: {
          authorization: authorizationOf(user),
          "content-type": type,
          "content-length": bytes.length,
        },
      });
      const isConnected = new Promise<void>((resolve) => {
        upload.once("socket", (socket) => socket.once("connect", () => resolve()));
      });
      upload.on("error", () => undefined).on("response", (answer) => answer.resume());
      upload.end(bytes);
      return { upload, isConnected };
    },
  };
}

function formOf(
  kind: UploadKind,
  picture: Buffer,
): { path: string; fields: Record<string, string | Buffer> } {
  return kind === "proof"
    ? { path: "/submit-payment-proof", fields: { sender_name: "Ann", proof_image: picture } }
    : {
        path: "/get-signal-with-image",
        fields: { symbol: "BTC/USDT", timeframe: "1h", chart_image: picture },
      };
}

export async function bodyOfProof(picture: Buffer): Promise<FormBody> {
  const form = new Response(multipartForm(formOf("proof", picture).fields));
  const type = form.headers.get("content-type") ?? "";
  return { type, bytes: Buffer.from(await form.arrayBuffer()) };
}

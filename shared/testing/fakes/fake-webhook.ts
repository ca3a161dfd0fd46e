import { z } from "zod";
import { type HttpFake, readText, startHttpFake } from "./fake-http.ts";

const bodySchema = z.object({ type: z.string(), timestamp: z.string(), data: z.unknown() });

export interface ReceivedMessage extends z.infer<typeof bodySchema> {
  id: string;
  /** As sent, to verify the signature. */
  body: string;
  headers: Record<string, string>;
}

interface FakeResponse {
  status: number;
  headers?: Record<string, string>;
}

export interface FakeWebhook extends HttpFake {
  received: ReceivedMessage[];
  /** Answers the next messages with these, in order, and later ones with 200. `null` never answers. */
  answer(...responses: (FakeResponse | null)[]): void;
}

/** A receiver of webhooks. */
export async function startFakeWebhook(): Promise<FakeWebhook> {
  const received: ReceivedMessage[] = [];
  let responses: (FakeResponse | null)[] = [];
  const fake = await startHttpFake(async (request, response) => {
    const body = await readText(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const message = bodySchema.parse(JSON.parse(body));
    received.push({ ...message, id: headers["webhook-id"] ?? "", body, headers });
    const answer = responses.length > 0 ? responses.shift() : { status: 200 };
    if (answer) response.writeHead(answer.status, answer.headers).end("thank you");
  });
  return {
    ...fake,
    received,
    answer(...next) {
      responses = next;
    },
  };
}

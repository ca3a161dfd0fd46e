import { createServer, type RequestListener } from "node:http";
import { MESSAGES } from "@shared/contract/constants.ts";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { useSession } from "../session.ts";
import { callApi } from "./client.ts";
import { ApiError } from "./errors.ts";

const schema = z.object({ answer: z.number() });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

type Request = Parameters<typeof callApi<z.output<typeof schema>>>[1];

/** Calls a server that answers by `listener`, signed in with the token `secret`. */
async function setUp(listener: RequestListener) {
  const origin = await serve(listener);
  useSession.setState({ token: "secret", approved: true, endedBy: null });
  onTestFinished(() => useSession.setState(useSession.getInitialState()));
  return { api: (request: Request) => callApi(origin, request) };
}

const answerWith =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status).end(body);

async function failureOf(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error("The request did not fail with an ApiError.", { cause: error });
}

test("a request carries token and JSON, and its reply is parsed", async () => {
  const { api } = await setUp(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const isRight =
      request.headers.authorization === "Bearer secret" &&
      request.headers["content-type"] === "application/json" &&
      request.headers.prefer === "respond-async";
    response.end(JSON.stringify({ answer: isRight ? JSON.parse(body).question : 0 }));
  });
  const headers = { Prefer: "respond-async" };
  const reply = await api({
    method: "POST",
    path: "/ask",
    body: { question: 42 },
    headers,
    schema,
  });
  expect(reply).toEqual({ answer: 42 });
});

/** Content type and body of a request, as they reach the server. */
async function typeSent(body: FormData | URLSearchParams) {
  const received = { type: "", text: "" };
  const { api } = await setUp(async (request, response) => {
    received.type = request.headers["content-type"] ?? "";
    for await (const chunk of request) received.text += chunk;
    response.end(JSON.stringify({ answer: 1 }));
  });
  await api({ method: "POST", path: "/form", body, schema });
  return received;
}

test("a form with a file is sent as multipart", async () => {
  const form = new FormData();
  form.set("sender_name", "Jane");
  form.set("proof_image", new Blob(["bytes"]), "proof.png");
  const { type, text } = await typeSent(form);
  expect(type).toMatch(/^multipart\/form-data; boundary=/);
  expect(text).toContain('name="sender_name"');
  expect(text).toContain('filename="proof.png"');
});

test("plain fields are sent urlencoded", async () => {
  const { type, text } = await typeSent(new URLSearchParams({ allow: "true" }));
  expect(type).toMatch(/^application\/x-www-form-urlencoded/);
  expect(text).toBe("allow=true");
});

test("an error answer becomes an ApiError with the server's words", async () => {
  const body = {
    detail: "Please check the marked fields.",
    code: "invalid-input",
    request_id: "r1",
    errors: [{ field: "email", message: "Not an address." }],
  };
  const { api } = await setUp(answerWith(422, JSON.stringify(body)));
  const error = await failureOf(api({ path: "/", schema }));
  expect(error).toMatchObject({
    status: 422,
    code: "invalid-input",
    message: "Please check the marked fields.",
    fieldErrors: [{ field: "email", message: "Not an address." }],
  });
  expect(useSession.getState().token).toBe("secret");
});

test("a refused token ends the session, unless another one has started", async () => {
  const refusal = JSON.stringify({ detail: "Sign in.", code: "unauthenticated", request_id: "r1" });
  const { api } = await setUp(answerWith(401, refusal));
  const request = failureOf(api({ path: "/", schema }));
  useSession.setState({ token: "newer" });
  await request;
  expect(useSession.getState().token).toBe("newer");
  await failureOf(api({ path: "/", schema }));
  expect(useSession.getState()).toMatchObject({ token: null, endedBy: "expired" });
});

test("a refusal for lack of approval takes the access away", async () => {
  const refusal = JSON.stringify({ detail: "No.", code: "not-approved", request_id: "r1" });
  const { api } = await setUp(answerWith(403, refusal));
  await failureOf(api({ path: "/", schema }));
  expect(useSession.getState()).toMatchObject({ token: "secret", approved: false });
});

test("an error page of something in between is named by its status", async () => {
  const { api } = await setUp(answerWith(502, "<html>Bad gateway</html>"));
  expect(await failureOf(api({ path: "/", schema }))).toMatchObject({
    status: 502,
    statusText: "Bad Gateway",
    code: "unknown",
    message: "Server error: 502 Bad Gateway",
  });
});

test.each([
  ["of ours", JSON.stringify({ detail: "Too slow.", code: "timeout", request_id: "r1" })],
  ["of a proxy", "gateway time-out"],
])("a 504 %s shows the time-out text", async (_whose, body) => {
  const { api } = await setUp(answerWith(504, body));
  const error = await failureOf(api({ path: "/", schema }));
  expect(error.message).toBe(MESSAGES.requestTimeout);
  expect(error.isTimeout).toBe(true);
});

test("a reply whose body never ends runs into the client's own time-out", async () => {
  const { api } = await setUp((_request, response) => void response.write('{"answer":'));
  const error = await failureOf(api({ path: "/", schema, timeoutMs: 50 }));
  expect(error).toMatchObject({ status: 0, message: MESSAGES.requestTimeout, isTimeout: true });
});

test("a server that is not there is a network failure", async () => {
  const { api } = await setUp((request) => request.socket.destroy());
  const error = await failureOf(api({ path: "/", schema }));
  expect(error).toMatchObject({ status: 0, isNetwork: true, isTimeout: false });
});

test("a reply of another shape is refused", async () => {
  const { api } = await setUp(answerWith(200, '{"answer":"forty-two"}'));
  expect(await failureOf(api({ path: "/", schema }))).toMatchObject({
    status: 200,
    code: "bad-reply",
  });
});

test("a request taken back rejects with the caller's reason", async () => {
  const { api } = await setUp(() => undefined);
  const controller = new AbortController();
  const reason = new Error("the screen was left");
  const request = api({ path: "/", schema, signal: controller.signal });
  controller.abort(reason);
  await expect(request).rejects.toBe(reason);
});

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { FieldError } from "@shared/contract/errors.ts";
import { readText, sendJson, startHttpFake } from "@shared/testing/fakes/fake-http.ts";

interface ReceivedRequest {
  route: string;
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  body: string;
}

interface ErrorReply {
  status: number;
  detail?: string;
  code?: string;
  errors?: FieldError[];
}

type Responder = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** Names the test that a request is of. */
export const TEST_HEADER = "x-test";

const notFound: Responder = (response) =>
  sendJson(response, { detail: "Not found.", code: "not-found", request_id: "r1" }, 404);

/** The REST API as a component test wants it, over real HTTP. */
class FakeApi {
  readonly requests: ReceivedRequest[] = [];
  readonly #responders = new Map<string, Responder>();
  #fallback = notFound;
  #test = 0;

  constructor() {
    this.reset();
  }

  /** Answers from now on with this JSON, or with what the function returns. */
  reply(route: string, body: object | ((request: ReceivedRequest) => object)): void {
    this.#responders.set(route, (response, request) =>
      sendJson(response, typeof body === "function" ? body(request) : body),
    );
  }

  replyText(route: string, text: string, type = "text/plain"): void {
    this.#responders.set(
      route,
      (response) => void response.writeHead(200, { "content-type": type }).end(text),
    );
  }

  /** Answers with an error of the API; without a detail, as a proxy that knows nothing of the API. */
  fail(route: string, error: ErrorReply): void {
    this.#responders.set(route, failure(error));
  }

  /** Answers everything with an error that no other call has set a reply for. */
  failOthers(error: ErrorReply): void {
    this.#fallback = failure(error);
  }

  /** Closes the connection without a reply, as a network that is down. */
  drop(route: string): void {
    this.#responders.set(route, (response) => void response.destroy());
  }

  /** Holds back the replies of a route until the returned function is called. */
  hold(route: string): () => void {
    const responder = this.#responders.get(route) ?? this.#fallback;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#responders.set(route, async (response, request) => {
      await released;
      await responder(response, request);
    });
    return () => release();
  }

  bodiesOf(route: string): string[] {
    return this.requests.filter((request) => request.route === route).map(({ body }) => body);
  }

  get currentTest(): string {
    return String(this.#test);
  }

  reset(): void {
    this.#test += 1;
    this.requests.length = 0;
    this.#responders.clear();
    this.#fallback = notFound;
    this.reply("GET /me/sessions", { sessions: [] });
    this.reply("GET /me/api-keys", { keys: [] });
    this.reply("GET /channels", { channels: [] });
    this.reply("GET /channel-kinds", {
      kinds: ["email", "telegram", "web-push", "webhook", "discord"],
    });
    this.reply("GET /me/quiet-hours", { quiet_hours: null });
    this.reply("GET /me/delivery-settings", { pass_on: false });
    this.reply("GET /me/results-email", { monthly: false, start_balance: 1_000, risk_percent: 1 });
    this.reply("GET /me/notifications", { notifications: [], seen: { user: 0, admins: 0 } });
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Access-Control-Allow-Origin", "*");
    const body = await readText(incoming);
    const { pathname, searchParams: query } = new URL(incoming.url ?? "/", "http://localhost");
    const { headers } = incoming;
    const { [TEST_HEADER]: test = this.currentTest } = headers;
    if (test !== this.currentTest) return void response.destroy();
    const request = { route: `${incoming.method} ${pathname}`, headers, query, body };
    this.requests.push(request);
    await (this.#responders.get(request.route) ?? this.#fallback)(response, request);
  }
}

function failure({ status, detail, code = "internal", errors }: ErrorReply): Responder {
  const body = detail === undefined ? {} : { detail, code, errors, request_id: "r1" };
  return (response) => sendJson(response, body, status);
}

/** One for all component tests of a process: the application reads the address of the API once. */
export const api = new FakeApi();

export const { url: apiUrl } = await startHttpFake((request, response) =>
  api.handle(request, response),
);

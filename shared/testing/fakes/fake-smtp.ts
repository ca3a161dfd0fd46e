import { text as readStream } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { listenLocally } from "./fake-http.ts";

type SmtpBehaviour =
  | "accept"
  | "refuse-recipient"
  | "refuse-mail"
  | "stall-greeting"
  | "stall-mail";

/** A real SMTP server that keeps the mails it receives. */
export type FakeSmtp = Awaited<ReturnType<typeof startFakeSmtp>>;

interface Login {
  user: string;
  pass: string;
}

/** Starts a mail server on a free port. With `login` it requires this name and password. */
export async function startFakeSmtp(options: { login?: Login } = {}) {
  const { login } = options;
  const mails: ReceivedMail[] = [];
  const refused = new Map<string, number>();
  const state: ServerState = { behaviour: "accept", mails, refused };
  const server = createMailServer(state, login);
  const port = await listenLocally(server.server);
  const credentials = login ? `${login.user}:${login.pass}@` : "";
  return {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    mails,
    mailsTo: (recipient: string) =>
      mails.filter((mail) => mail.to.includes(recipient.toLowerCase())),
    behave: (behaviour: SmtpBehaviour) => {
      state.behaviour = behaviour;
    },
    /** Refuses one recipient with this code, for example 550 or 450. */
    refuse: (recipient: string, responseCode: number) => {
      refused.set(recipient.toLowerCase(), responseCode);
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

interface ServerState {
  behaviour: SmtpBehaviour;
  /** Response codes by address. */
  refused: ReadonlyMap<string, number>;
  mails: ReceivedMail[];
}

function createMailServer(state: ServerState, login: Login | undefined): SMTPServer {
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: !login,
    allowInsecureAuth: true,
    closeTimeout: 1,
    onAuth: ({ username, password }, _, answer) => {
      if (username === login?.user && password === login?.pass) answer(null, { user: username });
      else answer(new Error("wrong name or password"));
    },
    onConnect: (_, go) => {
      if (state.behaviour !== "stall-greeting") go();
    },
    onRcptTo: ({ address }, _, go) => {
      const code = state.refused.get(address.toLowerCase());
      go(code || state.behaviour === "refuse-recipient" ? refusal(code) : null);
    },
    onData: (stream, { envelope }, go) => {
      readStream(stream)
        .then(async (raw) => {
          if (state.behaviour === "stall-mail") return;
          if (state.behaviour === "refuse-mail") return go(refusal());
          const to = envelope.rcptTo.map(({ address }) => address.toLowerCase());
          state.mails.push(await readMail(raw, to));
          go();
        })
        .catch(go);
    },
  });
  // In some tests the client disconnects.
  server.on("error", () => undefined);
  return server;
}

function refusal(responseCode = 550): Error {
  return Object.assign(new Error("mailbox unavailable"), { responseCode });
}

type ReceivedMail = Awaited<ReturnType<typeof readMail>>;

/**
 * A mail as its recipient sees it, with the first address in its text.
 * @param to recipients of the envelope, in lower case
 */
export async function readMail(raw: string, to: string[]) {
  const { headers, text = "", html = "" } = await PostalMime.parse(raw);
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  const token = URL.canParse(link) ? (new URL(link).searchParams.get("token") ?? "") : "";
  return {
    to,
    headers: new Map(headers.map(({ key, value }) => [key, value])),
    text,
    html,
    link,
    token,
  };
}

import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import { type ReceivedMail, readMail } from "./stand-in-smtp-mail.ts";

/**
 * What the mail server does with a mail: takes it, refuses its recipient, refuses it after having read it, or falls
 * silent, at the greeting or after having read it.
 */
export type SmtpBehaviour =
  | "accept"
  | "refuse-recipient"
  | "refuse-mail"
  | "stall-greeting"
  | "stall-mail";

/** A real SMTP server that keeps what it is given. */
export interface StandInSmtp {
  /** Address to give as `SMTP_URL`. */
  url: string;
  /** All mails taken so far. */
  readonly mails: readonly ReceivedMail[];
  /** Mails that were taken for this address, in whatever case. */
  mailsTo(address: string): ReceivedMail[];
  /** How often a client has connected. */
  readonly connections: number;
  behave(behaviour: SmtpBehaviour): void;
  close(): Promise<void>;
}

interface Login {
  user: string;
  pass: string;
}

/** Starts a mail server on a free port; with `login` it takes mails only from who knows name and password. */
export async function startStandInSmtp(options: { login?: Login } = {}): Promise<StandInSmtp> {
  const { login } = options;
  const mails: ReceivedMail[] = [];
  const state: ServerState = { behaviour: "accept", connections: 0, mails };
  const server = createMailServer(state, login);
  const port = await listen(server);
  const credentials = login ? `${login.user}:${login.pass}@` : "";
  return {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    mails,
    mailsTo: (recipient) => mails.filter((mail) => mail.to.includes(recipient.toLowerCase())),
    get connections() {
      return state.connections;
    },
    behave: (behaviour) => {
      state.behaviour = behaviour;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

interface ServerState {
  behaviour: SmtpBehaviour;
  connections: number;
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
      state.connections += 1;
      if (state.behaviour !== "stall-greeting") go();
    },
    onRcptTo: (_, __, go) => go(state.behaviour === "refuse-recipient" ? refusal() : null),
    onData: (stream, { envelope }, go) => {
      readAll(stream).then((raw) => {
        if (state.behaviour === "stall-mail") return;
        if (state.behaviour === "refuse-mail") return go(refusal());
        const to = envelope.rcptTo.map(({ address }) => address.toLowerCase());
        state.mails.push(readMail(raw, to));
        go();
      }, go);
    },
  });
  // A client that hangs up is what some tests are about.
  server.on("error", () => undefined);
  return server;
}

async function listen(server: SMTPServer): Promise<number> {
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (typeof address !== "object" || !address) throw new Error("no port was opened");
  return address.port;
}

function refusal(): Error {
  return Object.assign(new Error("mailbox unavailable"), { responseCode: 550 });
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

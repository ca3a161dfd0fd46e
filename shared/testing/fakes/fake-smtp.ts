import { once } from "node:events";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

type SmtpBehaviour =
  | "accept"
  | "refuse-recipient"
  | "refuse-mail"
  | "stall-greeting"
  | "stall-mail";

/** A real SMTP server that keeps the mails it receives. */
export interface FakeSmtp {
  url: string;
  readonly mails: readonly ReceivedMail[];
  mailsTo(address: string): ReceivedMail[];
  behave(behaviour: SmtpBehaviour): void;
  close(): Promise<void>;
}

interface Login {
  user: string;
  pass: string;
}

/** Starts a mail server on a free port. With `login` it requires this name and password. */
export async function startFakeSmtp(options: { login?: Login } = {}): Promise<FakeSmtp> {
  const { login } = options;
  const mails: ReceivedMail[] = [];
  const state: ServerState = { behaviour: "accept", mails };
  const server = createMailServer(state, login);
  const port = await listen(server);
  const credentials = login ? `${login.user}:${login.pass}@` : "";
  return {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    mails,
    mailsTo: (recipient) => mails.filter((mail) => mail.to.includes(recipient.toLowerCase())),
    behave: (behaviour) => {
      state.behaviour = behaviour;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

interface ServerState {
  behaviour: SmtpBehaviour;
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
    onRcptTo: (_, __, go) => go(state.behaviour === "refuse-recipient" ? refusal() : null),
    onData: (stream, { envelope }, go) => {
      text(stream).then((raw) => {
        if (state.behaviour === "stall-mail") return;
        if (state.behaviour === "refuse-mail") return go(refusal());
        const to = envelope.rcptTo.map(({ address }) => address.toLowerCase());
        state.mails.push(readMail(raw, to));
        go();
      }, go);
    },
  });
  // In some tests the client disconnects.
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

/** A mail as its recipient sees it. */
interface ReceivedMail {
  /** Recipients of the envelope, in lower case. */
  to: string[];
  headers: Map<string, string>;
  text: string;
  html: string;
  /** The first address in the text. */
  link: string;
  token: string;
}

/** Reads a message of a plain text part and an HTML part (RFC 2045, 2046), as the product sends them. */
export function readMail(raw: string, to: string[]): ReceivedMail {
  const { headers, body } = splitMessage(raw.replaceAll("\r\n", "\n"));
  const boundary = /boundary="([^"]+)"/.exec(headers.get("content-type") ?? "")?.[1];
  if (boundary === undefined) throw new Error(`A mail without parts:\n${raw}`);
  const parts = body.split(`--${boundary}`).slice(1, -1).map(splitMessage);
  const plainText = textOf(parts, "text/plain");
  const link = /https?:\/\/\S+/.exec(plainText)?.[0] ?? "";
  const token = URL.canParse(link) ? (new URL(link).searchParams.get("token") ?? "") : "";
  return { to, headers, text: plainText, html: textOf(parts, "text/html"), link, token };
}

interface Part {
  headers: Map<string, string>;
  body: string;
}

function splitMessage(message: string): Part {
  const trimmed = message.replace(/^\n/, "");
  const end = trimmed.indexOf("\n\n");
  const lines = trimmed
    .slice(0, end)
    .replaceAll(/\n[ \t]+/g, " ")
    .split("\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: trimmed.slice(end + 2) };
}

function textOf(parts: Part[], type: string): string {
  const part = parts.find(({ headers }) => headers.get("content-type")?.startsWith(type));
  if (!part) throw new Error(`a mail without ${type}`);
  const encoding = part.headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(part.body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuotedPrintable(part.body) : part.body;
}

function decodeQuotedPrintable(encoded: string): string {
  const joined = encoded.replaceAll(/=\n/g, "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

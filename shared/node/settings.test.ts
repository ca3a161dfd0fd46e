import { expect, it } from "vitest";
import { loadSettings, SettingsError } from "./settings.ts";

const loadWith = (env: Record<string, string>) =>
  loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
    ...env,
  });
const load = (MONGODB_URI: string) => loadWith({ MONGODB_URI });

it.each([
  ["one member", "mongodb://localhost:27017/signals?replicaSet=rs0"],
  ["all members of a replica set", "mongodb://a:27017,b:27017,c:27017/signals?replicaSet=rs0"],
  ["members behind a password", "mongodb://me:p%40ss@a:27017,b:27017/signals?replicaSet=rs0"],
  ["a cluster in DNS", "mongodb+srv://me:secret@cluster0.example.net/signals"],
])("the address of the database may name %s", (_, address) => {
  expect(load(address).MONGODB_URI).toBe(address);
});

it.each(["localhost:27017", "postgres://localhost/signals", "mongodb://", "mongodb:// a/signals"])(
  "%s is no address of a database, and the setting is named",
  (address) => {
    expect(() => load(address)).toThrow(
      new SettingsError("MONGODB_URI: must be a mongodb:// address"),
    );
  },
);

it.each([
  ["live data", { MARKET_DATA: "live" }, 3],
  ["production", { NODE_ENV: "production" }, 3],
  ["a demo", {}, 0],
  ["recorded candles", { NODE_ENV: "production", MARKET_DATA: "replay" }, 0],
  ["a test", { NODE_ENV: "test", MARKET_DATA: "live" }, 0],
  ["live data with calendars off", { MARKET_DATA: "live", LEDGER_CALENDARS: "off" }, 0],
])("%s has its number of calendars", (_, env, count) => {
  expect(loadWith(env).LEDGER_CALENDARS).toHaveLength(count);
});

it("calendars are named as their proofs name them, without a slash at the end", () => {
  const LEDGER_CALENDARS = "https://one.example/, http://127.0.0.1:9000/path";
  expect(loadWith({ LEDGER_CALENDARS }).LEDGER_CALENDARS).toEqual([
    "https://one.example",
    "http://127.0.0.1:9000/path",
  ]);
});

it.each(["one.example", "https://one.example, two", "https://one.example?key=1", ",", "on"])(
  "%s does not name calendars, and the setting is named",
  (LEDGER_CALENDARS) => {
    expect(() => loadWith({ LEDGER_CALENDARS })).toThrow(
      new SettingsError("LEDGER_CALENDARS: must be http(s) addresses, or off"),
    );
  },
);

it.each([
  "/srv/heads.git",
  "https://example.com/acme/heads.git",
  "ssh://git@example.com/acme/heads.git",
  "git@example.com:acme/heads.git",
])("%s is a git repository", (LEDGER_GIT_REPOSITORY) => {
  expect(loadWith({ LEDGER_GIT_REPOSITORY }).LEDGER_GIT_REPOSITORY).toBe(LEDGER_GIT_REPOSITORY);
});

it.each([
  ["heads.git", "must be an absolute path, an https:// or ssh:// address, or git@host:path"],
  ["--upload-pack=/bin/true", "must be an absolute path"],
  ["ssh://-oProxyCommand=x/heads.git", "must be an absolute path"],
  ["ext::sh -c true", "must be an absolute path"],
  ["https://me:secret@example.com/heads.git", "must not contain a user or password"],
])("%s is not a git repository, and the setting is named", (LEDGER_GIT_REPOSITORY, reason) => {
  expect(() => loadWith({ LEDGER_GIT_REPOSITORY })).toThrow(`LEDGER_GIT_REPOSITORY: ${reason}`);
});

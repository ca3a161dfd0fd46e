import { expect, it } from "vitest";
import { loadSettings, SettingsError } from "./settings.ts";

const load = (MONGODB_URI: string) =>
  loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
    MONGODB_URI,
  });

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

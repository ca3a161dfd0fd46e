import type { UserCard } from "@shared/contract/account.ts";
import type { ChartImage } from "@shared/contract/files.ts";
import { expect, test } from "vitest";
import { applyToImages, applyToUsers } from "./apply-admin-event.ts";

const place = { stream: "admins", seq: 1, at: "2025-11-21T12:00:00.000Z" } as const;

const userCard = (username: string, change: Partial<UserCard> = {}): UserCard => ({
  username,
  email: `${username}@example.com`,
  email_verified: false,
  role: "user",
  approved: false,
  allow_image_upload: false,
  image_credits: 0,
  payment_proof: null,
  created_at: "2025-11-20T12:00:00.000Z",
  ...change,
});

const proof = {
  sender_name: "Ann",
  filename: "a.webp",
  url: "http://localhost/a.webp",
  submitted_at: "2025-11-21T12:00:00.000Z",
};

const image = (filename: string): ChartImage => ({
  filename,
  size: 1_024,
  modified: "2025-11-21T12:00:00.000Z",
  url: `http://localhost/${filename}`,
  username: "ann",
});

const names = (users: UserCard[]) => users.map(({ username }) => username);

test("a registration comes to the top", () => {
  const data = userCard("new", { created_at: "2025-11-21T12:00:00.000Z" });
  const users = applyToUsers([userCard("ann")], { ...place, name: "user:registered", data });
  expect(names(users)).toEqual(["new", "ann"]);
});

test("a repeated registration event adds one card", () => {
  const data = userCard("ann");
  const users = applyToUsers([data], { ...place, name: "user:registered", data });
  expect(names(users)).toEqual(["ann"]);
});

test("an update replaces the card where it stands and leaves the others as they are", () => {
  const bob = userCard("bob");
  const data = userCard("ann", { approved: true });
  const users = applyToUsers([userCard("ann"), bob], { ...place, name: "user:updated", data });
  expect(users[0]).toEqual(data);
  expect(users[1]).toBe(bob);
});

test("a deleted user has no card", () => {
  const data = { username: "ann" };
  const users = applyToUsers([userCard("ann"), userCard("bob")], {
    ...place,
    name: "user:deleted",
    data,
  });
  expect(names(users)).toEqual(["bob"]);
});

test("a proof appears on its sender's card, with the sender of a duplicate", () => {
  const data = { ...proof, username: "ann", duplicate_of: "bob" };
  const users = applyToUsers([userCard("ann"), userCard("bob")], {
    ...place,
    name: "proof:submitted",
    data,
  });
  expect(users[0]?.payment_proof).toEqual({ ...proof, duplicate_of: "bob" });
  expect(users[1]?.payment_proof).toBeNull();
});

test("chart images come and go", () => {
  const added = { ...place, name: "chart-image:added", data: image("b.webp") } as const;
  const twice = applyToImages(applyToImages([image("a.webp")], added), added);
  expect(twice.map(({ filename }) => filename)).toEqual(["b.webp", "a.webp"]);
  const deleted = { ...place, name: "chart-image:deleted", data: image("a.webp") } as const;
  expect(applyToImages(twice, deleted).map(({ filename }) => filename)).toEqual(["b.webp"]);
});

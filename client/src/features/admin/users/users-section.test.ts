import type { UserCard } from "@shared/contract/account.ts";
import { expect, test } from "vitest";
import { countUsers, filterUsers } from "./users-section.tsx";

const user = (username: string, change: Partial<UserCard> = {}): UserCard => ({
  username,
  email: `${username}@example.com`,
  email_verified: true,
  role: "user",
  approved: true,
  allow_image_upload: false,
  image_credits: 0,
  payment_proof: null,
  created_at: "2025-11-20T12:00:00.000Z",
  ...change,
});

const proof = {
  sender_name: "Zoë Miller",
  filename: "z.webp",
  url: "http://localhost/z.webp",
  submitted_at: "2025-11-21T12:00:00.000Z",
};

const users = [
  user("Ann"),
  user("bob", { approved: false }),
  user("carl", { approved: false, payment_proof: proof }),
];

const found = (filter: Parameters<typeof filterUsers>[1]) =>
  filterUsers(users, filter).map(({ username }) => username);

test("each filter shows its users, and counts them", () => {
  expect(found({ filter: "all", search: "" })).toEqual(["Ann", "bob", "carl"]);
  expect(found({ filter: "pending", search: "" })).toEqual(["bob", "carl"]);
  expect(found({ filter: "proof", search: "" })).toEqual(["carl"]);
  expect(countUsers(users)).toEqual({ all: 3, pending: 2, proof: 1 });
});

test("the search looks into name, e-mail and sender, in any case", () => {
  expect(found({ filter: "all", search: " aNN" })).toEqual(["Ann"]);
  expect(found({ filter: "all", search: "bob@" })).toEqual(["bob"]);
  expect(found({ filter: "all", search: "zoë m" })).toEqual(["carl"]);
});

test("search and filter both have to fit", () => {
  expect(found({ filter: "pending", search: "ann" })).toEqual([]);
});

import type { UserCard } from "@shared/contract/account.ts";
import type { UserList } from "@shared/contract/admin.ts";
import type { ChartImage } from "@shared/contract/files.ts";
import type { InfiniteData } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { applyToImages, applyToPages, applyToWaiting, withNew } from "./admin-state.ts";

const place = { stream: "admins", seq: 1, at: "2025-11-21T12:00:00.000Z" } as const;

const userCard = (username: string, change: Partial<UserCard> = {}): UserCard => ({
  username,
  email: `${username}@example.com`,
  email_verified: false,
  role: "user",
  approved: false,
  allow_image_upload: false,
  image_credits: 0,
  subscription: null,
  payment_proof: null,
  created_at: "2025-11-20T12:00:00.000Z",
  ...change,
});

const proof = {
  id: "0123456789abcdef01234567",
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

const pagesOf = (...lists: UserCard[][]): InfiniteData<UserList> => ({
  pageParams: lists.map(() => ({})),
  pages: lists.map((users) => ({ users, next_cursor: null, total: 3 })),
});
const namesOf = ({ pages }: ReturnType<typeof pagesOf>) =>
  pages.map(({ users }) => users.map(({ username }) => username));

test("a registration comes to the top of the first page, once", () => {
  const card = userCard("new");
  const added = withNew(pagesOf([userCard("ann")], [userCard("bob")]), card);
  expect(namesOf(added)).toEqual([["new", "ann"], ["bob"]]);
  expect(namesOf(withNew(added, card))).toEqual([["new", "ann"], ["bob"]]);
  expect(added.pages[0]?.total).toBe(4);
});

test("an update replaces the card where it stands and leaves the others as they are", () => {
  const bob = userCard("bob");
  const data = userCard("ann", { approved: true });
  const event = { ...place, name: "user:updated", data } as const;
  const { pages } = applyToPages(pagesOf([bob], [userCard("ann")]), event);
  expect(pages[0]?.users[0]).toBe(bob);
  expect(pages[1]?.users).toEqual([data]);
});

test("a deleted user has no card", () => {
  const event = { ...place, name: "user:deleted", data: { username: "ann" } } as const;
  const left = applyToPages(pagesOf([userCard("ann"), userCard("bob")]), event);
  expect(namesOf(left)).toEqual([["bob"]]);
  expect(left.pages[0]?.total).toBe(2);
});

test("a proof waits from its submission until it is reviewed or deleted", () => {
  const [list] = pagesOf([]).pages;
  const update = (payment_proof: UserCard["payment_proof"]) => {
    const data = userCard("ann", { payment_proof });
    return { ...place, name: "user:updated", data } as const;
  };
  const waiting = list && applyToWaiting(applyToWaiting(list, update(proof)), update(proof));
  expect(waiting?.users).toHaveLength(1);
  const reviewed = update({ ...proof, reviewed_at: place.at });
  expect(waiting && applyToWaiting(waiting, reviewed).users).toEqual([]);
  expect(waiting && applyToWaiting(waiting, update(null)).users).toEqual([]);
});

test("chart images come and go", () => {
  const added = { ...place, name: "chart-image:added", data: image("b.webp") } as const;
  const twice = applyToImages(applyToImages([image("a.webp")], added), added);
  expect(twice.map(({ filename }) => filename)).toEqual(["b.webp", "a.webp"]);
  const deleted = { ...place, name: "chart-image:deleted", data: image("a.webp") } as const;
  expect(applyToImages(twice, deleted).map(({ filename }) => filename)).toEqual(["b.webp"]);
});

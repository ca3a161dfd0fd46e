import { act, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { notifyListeners } from "../../../lib/realtime/events.ts";
import { makeUserCard } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import {
  cardOf,
  openReview,
  openUsers,
  adminEventPlace as place,
  proof,
  reviewOf,
  serveUsers,
  waitingUsers,
} from "../../../testing/open-admin.tsx";

describe("a proof that was replaced since", () => {
  const detail = "The payment proof of ann is no longer the one that you saw.";
  const replaced = makeUserCard({
    payment_proof: {
      ...proof,
      id: "fedcba9876543210fedcba98",
      filename: "new.png",
      url: "/new.png",
    },
  });
  const serveReplaced = () => {
    api.fail("POST /admin/approve/ann", { status: 409, code: "proof-changed", detail });
    api.reply("GET /admin/users/ann", { user: replaced, periods: [], credits: [], signals: [] });
  };
  const newImage = async () => {
    const dialog = await reviewOf("ann");
    return within(dialog).getByRole("img").getAttribute("src");
  };

  test("is not accepted, and the new one is shown when asked for", async () => {
    const user = await openReview(waitingUsers);
    const dialog = await reviewOf("ann");
    serveReplaced();
    serveUsers([replaced, ...waitingUsers.slice(1)]);
    // The new proof can be accepted though the list of waiting proofs has not been read again.
    const release = api.hold("GET /admin/list-users");
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    await within(dialog).findByText(/^ann has submitted another proof since/);
    within(dialog).getByText(detail);
    expect(await newImage()).toBe(proof.url);
    expect(within(dialog).getByRole("button", { name: /^Approve/ })).toHaveProperty(
      "disabled",
      true,
    );
    await user.click(within(dialog).getByRole("button", { name: "Show the new proof" }));
    expect(await newImage()).toBe("/new.png");
    api.reply("POST /admin/approve/ann", { detail: "ann is approved." });
    await user.click(within(dialog).getByRole("button", { name: /^Approve/ }));
    await reviewOf("bob");
    release();
    expect(api.bodiesOf("POST /admin/approve/ann")).toEqual([
      `{"proof_id":"${proof.id}"}`,
      '{"proof_id":"fedcba9876543210fedcba98"}',
    ]);
  });

  test("stays on the screen until the new one is asked for", async () => {
    const user = await openReview(waitingUsers);
    const dialog = await reviewOf("ann");
    act(() => notifyListeners({ ...place, name: "user:updated", data: replaced }));
    await within(dialog).findByText(/^ann has submitted another proof since/);
    await user.keyboard("a");
    expect(api.bodiesOf("POST /admin/approve/ann")).toEqual([]);
    expect(await newImage()).toBe(proof.url);
    await user.click(within(dialog).getByRole("button", { name: "Show the new proof" }));
    expect(await newImage()).toBe("/new.png");
  });

  test("is not accepted in the list either, from where the new one can be opened", async () => {
    const { user } = openUsers(waitingUsers);
    serveReplaced();
    await user.click(within(await cardOf("ann")).getByRole("button", { name: "Approve" }));
    await screen.findByText("ann has submitted another payment proof.");
    await user.click(screen.getByRole("button", { name: "Show the new proof" }));
    expect(await newImage()).toBe("/new.png");
  });
});

import { expect, test } from "vitest";
import { NO_PAYMENT_DETAILS } from "../../testing/factories.ts";
import { offeredMethods } from "./payment-page.tsx";

test("each method has its name, in the order of the product", () => {
  const details = {
    wise_details: "w",
    skrill_details: "s",
    paypal_details: "p",
    bank_details_3: "3",
    bank_details_2: "2",
    bank_details_1: "1",
  };
  expect(offeredMethods(details).map((method) => [method.label, method.details])).toEqual([
    ["EasyPesa", "1"],
    ["JazzCash", "2"],
    ["Bank Transfer", "3"],
    ["PayPal", "p"],
    ["Skrill", "s"],
    ["Wise", "w"],
  ]);
});

test("a method with a blank text is not offered", () => {
  const details = {
    ...NO_PAYMENT_DETAILS,
    bank_details_2: " \n\t ",
    paypal_details: "\npay@example.com\n",
  };
  expect(offeredMethods(details)).toEqual([
    { key: "paypal_details", label: "PayPal", details: "pay@example.com" },
  ]);
  expect(offeredMethods(NO_PAYMENT_DETAILS)).toEqual([]);
});

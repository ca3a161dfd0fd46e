import { AppError } from "@shared/runtime/app-error.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseRequest } from "./request-input.ts";

const schema = z.object({
  body: z.object({
    name: z.string().min(2, { error: "Use at least two letters." }),
    size: z.object({ width: z.number() }).optional(),
  }),
});

const parseBody = (body: unknown) =>
  parseRequest(schema, { query: {}, headers: {}, request: { body } }).body;

function refusal(input: unknown): AppError {
  try {
    parseBody(input);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("the input was accepted");
}

describe("parseRequest", () => {
  it("gives back the parsed input without what the schema does not know", () => {
    expect(parseBody({ name: "Ann", admin: true })).toEqual({ name: "Ann" });
  });

  it("says in the schema's own words what is wrong", () => {
    expect(refusal({ name: "A" })).toMatchObject({
      code: "invalid-input",
      status: 422,
      detail: "Use at least two letters.",
      errors: [{ field: "name", message: "Use at least two letters." }],
    });
  });

  it("names each field, in plain words where the schema has none", () => {
    expect(refusal({ size: { width: "wide" } }).errors).toEqual([
      { field: "name", message: "name is missing." },
      { field: "size.width", message: "size.width is not valid." },
    ]);
  });

  it.each([undefined, null, [], "text", 5])("refuses %j as a whole", (input) => {
    expect(refusal(input).code).toBe("invalid-input");
  });
});

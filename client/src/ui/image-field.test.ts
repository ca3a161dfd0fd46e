import { MAX_UPLOAD_BYTES } from "@shared/contract/files.ts";
import { expect, test } from "vitest";
import { imageFileProblem } from "./image-field.tsx";

test.each(["image/png", "image/jpeg", "image/webp"])("%s is taken up to 5 MB", (type) => {
  expect(imageFileProblem({ type, size: MAX_UPLOAD_BYTES })).toBeNull();
});

test("one byte more is too much", () => {
  expect(imageFileProblem({ type: "image/png", size: MAX_UPLOAD_BYTES + 1 })).toMatch(/5 MB/);
});

test.each(["image/gif", "image/svg+xml", "application/pdf", ""])("%s is refused", (type) => {
  expect(imageFileProblem({ type, size: 10 })).toMatch(/PNG, JPEG or WebP/);
});

test("an empty file is refused", () => {
  expect(imageFileProblem({ type: "image/png", size: 0 })).toMatch(/empty/);
});

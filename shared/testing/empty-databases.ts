import { afterAll } from "vitest";
import { emptyTestDatabases } from "./test-mongo.ts";

// Runs after the hooks of the test file.
afterAll(emptyTestDatabases);

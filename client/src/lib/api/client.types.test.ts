import { meSchema, sessionSchema } from "@shared/contract/account.ts";
import { actionDoneSchema } from "@shared/contract/admin.ts";
import { expect, test } from "vitest";
import { api } from "./client.ts";

/** The type checker fails if one of these calls is accepted. None of them is made. */
const wrongCalls = {
  // @ts-expect-error no such path
  path: () => api({ path: "/mee", schema: meSchema }),
  // @ts-expect-error the route is a GET
  method: () => api({ method: "POST", path: "/me", schema: meSchema }),
  // @ts-expect-error the route responds with something else
  schema: () => api({ path: "/me", schema: sessionSchema }),
  // @ts-expect-error the route has a body
  withoutBody: () => api({ method: "POST", path: "/login", schema: sessionSchema }),
  wrongBody: () =>
    // @ts-expect-error the body has other fields
    api({ method: "POST", path: "/login", body: { name: "Ann" }, schema: sessionSchema }),
  noParams: () =>
    // @ts-expect-error the path has a parameter
    api({ method: "DELETE", path: "/signals/:id/share", schema: actionDoneSchema }),
};

test("calls that differ from the declaration of their route do not compile", () => {
  expect(Object.keys(wrongCalls)).toHaveLength(6);
});

import { Fragment, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router-dom";
import { useSession } from "../lib/session.ts";

/**
 * Lets only signed-in users through; others log in first and then come back.
 * Another user's sign-in replaces everything below, so that no screen keeps what it knew of the one before.
 */
export function RequireSession() {
  const { pathname, search, hash } = useLocation();
  const token = useSession((session) => session.token);
  const loggedOut = useSession((session) => session.endedBy === "logout");
  const [cameSignedIn] = useState(token !== null);
  if (token === null && cameSignedIn && loggedOut) return <Navigate to="/" replace />;
  if (token === null) {
    return <Navigate to="/login" replace state={{ from: `${pathname}${search}${hash}` }} />;
  }
  return (
    <Fragment key={token}>
      <Outlet />
    </Fragment>
  );
}

/** Lets only approved users through; others see on the dashboard what is missing. */
export function RequireApproval() {
  const approved = useSession((session) => session.approved);
  return approved ? <Outlet /> : <Navigate to="/dashboard" replace />;
}

/** Lets only administrators through. */
export function RequireAdmin() {
  const isAdmin = useSession((session) => session.isAdmin);
  return isAdmin ? <Outlet /> : <Navigate to="/dashboard" replace />;
}

import { LogIn, LogOut } from "lucide-react";
import { Link, useNavigate } from "react-router-dom";
import { useSession } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { appTexts } from "./texts.ts";

/** Login for visitors, Logout for everybody else. */
export function SessionButton({ onUsed }: { onUsed?: () => void }) {
  const signedIn = useSession((session) => session.token !== null);
  const signOut = useSession((session) => session.signOut);
  const navigate = useNavigate();
  if (!signedIn) {
    return (
      <Link
        to="/login"
        onClick={onUsed}
        className={`${buttonClass({ variant: "secondary" })} early-member:invisible`}
      >
        <LogIn aria-hidden className="size-4" />
        {appTexts.login}
      </Link>
    );
  }
  const logOut = () => {
    onUsed?.();
    const { token, isAdmin } = useSession.getState();
    if (isAdmin && token) closeQueueOf(token).catch(() => null);
    signOut("logout");
    void navigate("/");
  };
  return (
    <Button variant="secondary" onClick={logOut}>
      <LogOut aria-hidden className="size-4" />
      {appTexts.logout}
    </Button>
  );
}

const closeQueueOf = async (token: string) =>
  (await import("../lib/api/close-queue.ts")).closeQueue(token);

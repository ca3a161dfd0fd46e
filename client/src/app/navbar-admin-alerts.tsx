import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { useSession } from "../lib/session.ts";
import { showToast } from "../ui/show-toast.ts";
import { describeAdminEvent } from "./describe-admin-event.ts";
import { adminLink, useUnseenAlerts } from "./nav-items.tsx";
import { notifyIfHidden } from "./unseen.ts";

/** Keeps the count across reloads of this tab. */
const KEY = "adminUnseen";

useUnseenAlerts.setState({ unseen: Number(sessionStorage.getItem(KEY)) || 0 });
useUnseenAlerts.subscribe(({ unseen }) => sessionStorage.setItem(KEY, String(unseen)));
useSession.subscribe((session, before) => {
  if (session.token !== before.token) seeAll();
});

const seeAll = () => useUnseenAlerts.setState({ unseen: 0 });
const isVisible = () => document.visibilityState === "visible";

export function NavbarAdminAlerts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isHere = pathname === adminLink.to;
  useEffect(() => {
    const open = () => void navigate(adminLink.to);
    const view = { label: "View", run: open };
    return onLiveEvent((event) => {
      const alert = describeAdminEvent(event);
      if (!alert) return;
      if (!isHere || !isVisible())
        useUnseenAlerts.setState(({ unseen }) => ({ unseen: unseen + 1 }));
      showToast({ ...alert, ...(!isHere && { action: view }) });
      notifyIfHidden(event, { title: alert.title, text: alert.description, open });
    });
  }, [isHere, navigate]);
  useEffect(() => {
    if (!isHere) return;
    const onVisible = () => isVisible() && seeAll();
    onVisible();
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, [isHere]);
  return null;
}

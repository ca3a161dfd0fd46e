import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { OVERVIEW_KEY, useOverview } from "../lib/admin-overview.ts";
import { refetch } from "../lib/query-client.ts";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { showToast } from "../ui/show-toast.ts";
import { describeAdminEvent } from "./describe-admin-event.ts";
import { adminLink, useWaitingCount } from "./nav-items.tsx";
import { notifyIfHidden } from "./unseen.ts";

/** Events come in bursts. One read serves them all. */
const REFRESH_DELAY_MS = 500;

export function NavbarAdminAlerts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { data } = useOverview();
  const isHere = pathname.startsWith(adminLink.to);
  useEffect(() => {
    if (data) useWaitingCount.setState({ waiting: data.proofs + data.problems.length });
  }, [data]);
  useEffect(() => () => useWaitingCount.setState({ waiting: 0 }), []);
  useEffect(followOverview, []);
  useEffect(() => {
    const open = () => void navigate(adminLink.to);
    const view = { label: "View", run: open };
    return onLiveEvent((event) => {
      const alert = describeAdminEvent(event);
      if (!alert) return;
      showToast({ ...alert, isEvent: true, ...(!isHere && { action: view }) });
      notifyIfHidden(event, { title: alert.title, text: alert.description, open });
    });
  }, [isHere, navigate]);
  return null;
}

/** Reads the counts again after events that may change them. Returns a function that stops it. */
function followOverview(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onLiveEvent(({ stream }) => {
    if (stream !== "admins") return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void refetch({ queryKey: OVERVIEW_KEY });
    }, REFRESH_DELAY_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** The script of the queue page: reads the lists of jobs from the API beside it, and changes jobs after a question. */

const STATES = ["running", "queued", "scheduled", "failed", "paused", "repeating", "completed"];
const PAGE_SIZE = 50;
/** What Agendash calls the sum of all kinds. */
const ALL_KINDS = "All Jobs";

/**
 * @typedef {import("@shared/contract/routes/queue-dashboard-routes.ts").QueuePage} QueuePage
 * @typedef {QueuePage["jobs"][number]} Entry
 * @typedef {Entry["job"]} Job
 * @typedef {"retry" | "pause" | "resume" | "delete"} Action
 * @typedef {Partial<{ job: string, state: string, skip: number }>} View
 */

const view = { job: "", state: "", skip: 0 };
/** Short, for phones. */
const timeFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/**
 * All text is set as text: names and reasons of failures are never read as HTML.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * @param {string} text
 * @param {() => void} onClick
 * @param {Record<string, string>} attributes
 */
function button(text, onClick, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", onClick);
  return made;
}

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no ${id}.`);
  return found;
}

/**
 * @param {string} id
 * @param {boolean} isDisabled
 */
const disable = (id, isDisabled) => byId(id).toggleAttribute("disabled", isDisabled);

function questionDialog() {
  const dialog = byId("question");
  if (!(dialog instanceof HTMLDialogElement)) throw new Error("The page has no dialog.");
  return dialog;
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function request(path, options = {}) {
  const answer = await fetch(path, options);
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  // The session has ended.
  if (answer.status === 401 || answer.status === 403) events.close();
  throw new Error(body.detail ?? "The server did not answer.");
}

/**
 * @param {string} text
 * @param {boolean} isFailure
 */
function say(text, isFailure = false) {
  const message = byId("message");
  message.textContent = text;
  message.className = isFailure ? "failure" : "";
}

/** @param {unknown} error */
const reasonOf = (error) => (error instanceof Error ? error.message : String(error));

async function refresh() {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE), skip: String(view.skip) });
  if (view.job) query.set("job", view.job);
  if (view.state) query.set("state", view.state);
  try {
    const page = await request(`api?${query}`);
    showFilters(page.overview);
    showJobs(page);
    byId("live").textContent = "Live";
  } catch (error) {
    byId("live").textContent = "Not live";
    say(reasonOf(error), true);
    if (events.readyState === EventSource.CLOSED) byId("jobs").replaceChildren();
  }
}

/** @param {View} change */
function choose(change) {
  Object.assign(view, { skip: 0 }, change);
  void refresh();
}

/**
 * @param {string} label
 * @param {number} count
 * @param {boolean} isChosen
 * @param {View} change
 */
const filterButton = (label, count, isChosen, change) =>
  button(`${label} ${count}`, () => choose(change), { "aria-pressed": String(isChosen) });

/**
 * @param {Record<string, string | number>[]} rows one for each kind, and one for all of them
 */
function showFilters(rows) {
  const overview = rows.filter(({ displayName }) => displayName !== ALL_KINDS);
  const sum = (/** @type {string} */ state) =>
    overview.reduce((total, kind) => total + Number(kind[state] ?? 0), 0);
  const states = STATES.filter((state) => sum(state) > 0 || state === view.state);
  byId("states").replaceChildren(
    filterButton("All", sum("total"), view.state === "", { state: "" }),
    ...states.map((state) =>
      filterButton(capital(state), sum(state), view.state === state, { state }),
    ),
  );
  const kinds = overview
    .map(({ displayName, total }) => ({ job: String(displayName), total: Number(total) }))
    .toSorted((a, b) => a.job.localeCompare(b.job));
  byId("kinds").replaceChildren(
    filterButton("All kinds", sum("total"), view.job === "", { job: "" }),
    ...kinds.map(({ job, total }) => filterButton(job, total, view.job === job, { job })),
  );
}

/** @param {string} word */
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** @param {QueuePage} page */
function showJobs({ jobs, total }) {
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? activeElement.dataset.key : undefined;
  byId("jobs").replaceChildren(...jobs.map(rowOf));
  for (const row of byId("jobs").querySelectorAll("button")) {
    if (focused && row.dataset.key === focused) row.focus();
  }
  byId("empty").hidden = jobs.length > 0;
  byId("table").hidden = jobs.length === 0;
  const last = Math.min(view.skip + PAGE_SIZE, total);
  byId("range").textContent = total > 0 ? `${view.skip + 1}–${last} of ${total}` : "";
  disable("previous", view.skip === 0);
  disable("next", last >= total);
}

/** @param {string | null | undefined} iso */
const timeText = (iso) => (iso ? timeFormat.format(new Date(iso)) : "–");

/** @param {Entry} entry */
function rowOf(entry) {
  const { job, needed } = entry;
  const states = Object.entries(entry).flatMap(([state, is]) => (is === true ? [state] : []));
  const failures = [job.failCount ? `${job.failCount}×` : "", job.failReason ?? ""].join(" ");
  const note = job.data?.analysisId ?? (needed ? "Always there" : "");
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, job.name, element("small", {}, note)),
    element(
      "td",
      {},
      ...STATES.filter((state) => states.includes(state)).map((state) =>
        element("span", { class: `state ${state}` }, capital(state)),
      ),
    ),
    element("td", { class: "time" }, timeText(job.nextRunAt)),
    element("td", { class: "time wide" }, timeText(job.lastFinishedAt)),
    element("td", { class: "reason wide" }, failures),
    element(
      "td",
      { class: "actions" },
      ...actionsOf(job, { needed, failed: states.includes("failed") }),
    ),
  );
}

/**
 * @param {Job} job
 * @param {{ needed: boolean, failed: boolean }} state
 */
function actionsOf(job, { needed, failed }) {
  /** @param {Action} action @param {string} [question] asked first */
  const actionButton = (action, question) =>
    button(capital(action), () => (question ? ask(action, job, question) : void act(action, job)), {
      "data-key": `${job._id}-${action}`,
      "aria-label": `${capital(action)} ${job.name}`,
      class: action === "delete" ? "danger" : "",
    });
  const pauseQuestion = needed
    ? "The product needs this job. It does not run until you resume it."
    : undefined;
  return [
    ...(failed ? [actionButton("retry")] : []),
    job.disabled ? actionButton("resume") : actionButton("pause", pauseQuestion),
    ...(needed
      ? []
      : [
          actionButton(
            "delete",
            "What this job would have done is not done. This cannot be undone.",
          ),
        ]),
  ];
}

/**
 * Asks before an action that loses something.
 * @param {Action} action
 * @param {Job} job
 * @param {string} question
 */
function ask(action, job, question) {
  const dialog = questionDialog();
  byId("question-title").textContent = `${capital(action)} ${job.name}?`;
  byId("question-text").textContent = question;
  const confirm = byId("confirm");
  confirm.textContent = capital(action);
  confirm.onclick = () => {
    dialog.close();
    void act(action, job);
  };
  dialog.showModal();
}

const done = {
  retry: "runs again",
  pause: "is paused",
  resume: "is resumed",
  delete: "is deleted",
};

/**
 * @param {Action} action
 * @param {Job} job
 */
async function act(action, job) {
  try {
    await request(`api/jobs/${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jobIds: [job._id] }),
    });
    say(`${job.name} ${done[action]}.`);
  } catch (error) {
    say(reasonOf(error), true);
  }
  await refresh();
}

byId("previous").addEventListener("click", () => {
  view.skip = Math.max(0, view.skip - PAGE_SIZE);
  void refresh();
});
byId("next").addEventListener("click", () => {
  view.skip += PAGE_SIZE;
  void refresh();
});
byId("cancel").addEventListener("click", () => questionDialog().close());

// The server asks to refresh as long as the session is valid. Afterwards, the next list says why it is not.
const events = new EventSource("api/events");
events.onmessage = () => {
  if (document.visibilityState === "visible" && !questionDialog().open) void refresh();
};
events.onerror = () => void refresh();
await refresh();

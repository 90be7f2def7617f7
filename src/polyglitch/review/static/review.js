// Moves through the queue, sends labels, says what happened. Everything works without it too, a page at a time.
import { keysAreOn, listen, switchKeys } from "./keys.js";

const byId = (id) => document.getElementById(id);
const query = document.body.dataset.query;
const base = document.body.dataset.base;
const token = document.querySelector("meta[name=token]").content;
const rows = byId("rows");
const main = byId("issue");
const judge = byId("judge");
const MOST_ROWS = 200;

const say = (text, bad = false) => {
  const said = byId("said");
  said.textContent = text;
  said.classList.toggle("bad", bad);
  said.classList.remove("fresh");
  void said.offsetWidth; // starts the fading anew
  said.classList.add("fresh");
};

const get = async (address) => {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`The server answered ${response.status}; load the page again.`);
  return response.text();
};

const post = async (address, fields) => {
  const response = await fetch(address, {
    method: "POST",
    credentials: "same-origin",
    headers: { Accept: "application/json", "X-Polyglitch-Token": token },
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new Error(`Not saved: the server answered ${response.status}; load the page again.`);
  return response.json();
};

// One thing at a time, in the order of the keys: a quick typist loses nothing.
let work = Promise.resolve();
const inTurn = (job) => {
  work = work.then(job).catch((error) => say(error.message, true));
};

const article = () => main.querySelector("article");
const rowOf = (id) => rows.querySelector(`li[data-id="${CSS.escape(id)}"]`);
const current = () => article() && rowOf(article().dataset.id);

const ahead = new Map();
const piece = (id) => {
  const found = ahead.get(id) ?? get(`${base}/issue/${encodeURIComponent(id)}`);
  ahead.delete(id);
  return found;
};
const fetchAhead = (row) => {
  if (!row || ahead.has(row.dataset.id)) return;
  const coming = get(`${base}/issue/${encodeURIComponent(row.dataset.id)}`);
  coming.catch(() => ahead.delete(row.dataset.id));
  ahead.set(row.dataset.id, coming);
  if (ahead.size > 8) ahead.delete(ahead.keys().next().value);
};

const fitJudge = (shown) => {
  byId("judged").value = shown.dataset.id;
  byId("note").value = shown.dataset.note;
  const cases = shown.dataset.cases.split(" ");
  const names = cases.map((id, place) => new Option(place ? `case ${place + 1}` : "worst case", id));
  byId("case").replaceChildren(...names);
  byId("case").value = shown.dataset.case || cases[0];
  byId("case-field").hidden = cases.length < 2;
  byId("wrong").value = shown.dataset.wrong || "";
  byId("also").value = shown.dataset.also || "";
  for (const button of judge.querySelectorAll("button[name]")) {
    const mine = button.name === "verdict" ? shown.dataset.verdict : shown.dataset.kind;
    button.setAttribute("aria-pressed", String(button.value === mine));
  }
};

// Scrolls the list alone: on a phone it is part of the page, which stays where it is.
const keepInView = (row) => {
  const list = byId("list");
  if (!row || list.scrollHeight <= list.clientHeight) return;
  const above = row.offsetTop - list.offsetTop - list.scrollTop;
  if (above < 0 || above + row.offsetHeight > list.clientHeight)
    list.scrollTop += above - list.clientHeight / 3;
};

const show = async (id) => {
  main.innerHTML = await piece(id);
  const shown = article();
  rows.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = rowOf(id);
  row?.querySelector("a").setAttribute("aria-current", "true");
  keepInView(row);
  fitJudge(shown);
  main.scrollTop = 0;
  window.scrollTo({ top: 0, behavior: "instant" });
  byId("issue-title").focus({ preventScroll: true });
  const address = new URLSearchParams(query);
  address.set("at", shown.dataset.position);
  history.replaceState(null, "", `${base}/?${address}`);
  fetchAhead(row?.nextElementSibling);
  growAhead(row);
};

const moreRows = async (row, onward) => {
  const address = new URLSearchParams(query);
  address.set(onward ? "after" : "before", row.dataset.position);
  const found = document.createElement("template");
  found.innerHTML = await get(`${base}/rows?${address}`);
  const made = found.content.children;
  if (onward) rows.append(...made);
  else rows.prepend(...made);
  while (rows.children.length > MOST_ROWS) (onward ? rows.firstElementChild : rows.lastElementChild).remove();
};

// The next rows are fetched before the last one is reached, and never twice at once.
const NEAR_THE_END = 5;
let growing = null;
const grow = (row, onward) => {
  growing ??= moreRows(row, onward).finally(() => {
    growing = null;
  });
  return growing;
};
const growAhead = (row) => {
  const left = rows.children.length - Array.prototype.indexOf.call(rows.children, row);
  if (row && left === NEAR_THE_END) grow(rows.lastElementChild, true).catch(() => {});
};

const neighbour = async (onward) => {
  const side = onward ? "nextElementSibling" : "previousElementSibling";
  const row = current();
  if (!row) return onward ? rows.firstElementChild : rows.lastElementChild;
  if (growing) await growing;
  if (!row[side]) await grow(row, onward);
  return row[side];
};

const step = async (onward) => {
  const row = await neighbour(onward);
  if (row) await show(row.dataset.id);
  else say(onward ? "This is the last one." : "This is the first one.");
  return row;
};

const noteAnswer = (answer) => {
  byId("done-count").textContent = answer.done.toLocaleString("en");
  byId("done").value = answer.done;
  const row = rowOf(answer.issue);
  if (row) {
    row.dataset.verdict = answer.verdict;
    row.querySelector(".verdict").textContent = answer.verdict;
  }
  ahead.set(answer.issue, Promise.resolve(answer.piece));
};

let leaving = false; // for the page after the last one: keys pressed until it is there do nothing
window.addEventListener("pageshow", () => {
  leaving = false;
});

const label = async (fields) => {
  if (leaving || !article()) return;
  const issue = article().dataset.id;
  const answer = await post(`${base}/label`, { issue, note: byId("note").value, case: byId("case").value, wrong: byId("wrong").value, also: byId("also").value, ...fields });
  noteAnswer(answer);
  if (!(await neighbour(true))) {
    await show(issue);
    say(`${answer.said}. This is the last one.`);
    leaving = answer.done >= answer.total;
    if (leaving) window.location.assign(`${base}/labels`);
  } else {
    await step(true);
    say(`${answer.said}. Now issue ${article().dataset.number}.`);
  }
};

const undo = async () => {
  const answer = await post(`${base}/undo`, {});
  say(answer.said);
  if (!answer.issue) return;
  noteAnswer(answer);
  await show(answer.issue);
};

const openHelp = () => {
  byId("keys-on").checked = keysAreOn();
  byId("help").showModal();
};
const openReviewers = async () => {
  byId("reviewers-body").innerHTML = await get(`${base}/reviewers`);
  byId("reviewers").showModal();
};
const drawTrees = async (details) => {
  const place = details.querySelector(".drawn");
  if (place.childElementCount) return;
  place.textContent = "Drawing…";
  try {
    place.innerHTML = await get(details.dataset.src);
    details.scrollIntoView({ block: "start" });
  } catch (error) {
    place.textContent = error.message;
  }
};
const toggleTrees = () => {
  const details = main.querySelector("details.trees");
  if (!details) return;
  details.open = !details.open;
  details.scrollIntoView({ block: details.open ? "start" : "nearest" });
};
const nextCase = () => {
  const cases = byId("case");
  if (cases.options.length < 2) return say("This issue has one case.");
  cases.selectedIndex = (cases.selectedIndex + 1) % cases.options.length;
  const further = main.querySelector("details.further");
  further.open ||= cases.selectedIndex > 0;
  const shown = further.querySelectorAll("section")[cases.selectedIndex - 1] ?? byId("issue-title");
  shown.scrollIntoView({ block: "nearest" });
  return say(`The bug is in ${cases.selectedIndex ? `case ${cases.selectedIndex + 1}` : "the worst case"}.`);
};
const fold = byId("filter-fold");
const inFilters = (field) => {
  fold.open = true;
  return field;
};
// On a phone the filters are folded, unless one is set.
fold.open = !window.matchMedia("(max-width: 52rem)").matches || query !== "?";
const leaveField = () => (byId("issue-title") ?? main).focus();

const kind = (number) => () => {
  const button = judge.querySelector(`button[name=kind][aria-keyshortcuts="${number}"]`);
  if (button) inTurn(() => label({ kind: button.value }));
};
const verdict = (value) => () => inTurn(() => label({ verdict: value }));
const actions = {
  j: () => inTurn(() => step(true)),
  k: () => inTurn(() => step(false)),
  z: () => inTurn(undo),
  r: () => inTurn(openReviewers),
  t: toggleTrees,
  m: () => byId("note")?.focus(),
  f: () => inFilters(byId("shelf")).focus(),
  "/": () => inFilters(byId("search")).select(),
  "?": openHelp,
};
if (judge) {
  Object.assign(actions, { c: nextCase, b: verdict("bug"), n: verdict("not a bug"), u: verdict("unsure") });
  for (let number = 1; number <= 9; number += 1) actions[number] = kind(number);
  judge.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    if (button?.id === "undo") inTurn(undo);
    else if (button?.name) inTurn(() => label({ [button.name]: button.value }));
  });
  byId("note").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // the first button of a form takes Enter: it would label a bug
    leaveField();
  });
  byId("next").addEventListener("click", actions.j);
  byId("previous").addEventListener("click", actions.k);
}
listen(actions, leaveField);

rows.addEventListener("click", (event) => {
  const row = event.target.closest("li");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  inTurn(() => show(row.dataset.id));
});
main.addEventListener("toggle", (event) => {
  if (event.target.matches("details.trees") && event.target.open) drawTrees(event.target);
}, true);
const filters = byId("filters");
filters.addEventListener("change", () => filters.requestSubmit());
filters.addEventListener("submit", () => {
  for (const field of filters.elements) field.disabled = field.name !== "" && field.value === "";
});
window.addEventListener("pageshow", () => {
  for (const field of filters.elements) field.disabled = false;
});
byId("help-button").addEventListener("click", openHelp);
byId("keys-on").addEventListener("change", (event) => switchKeys(event.target.checked));
byId("reviewers-link").addEventListener("click", (event) => {
  event.preventDefault();
  inTurn(openReviewers);
});
keepInView(current());
fetchAhead(current()?.nextElementSibling);
document.body.dataset.ready = "true";

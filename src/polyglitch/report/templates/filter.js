"use strict";
// Filters, sorts and links findings. The worst are drawn in the page; the rest lie packed in it and are drawn on demand.
(() => {
  const STEP = 200; // cards drawn more at a press
  const form = document.getElementById("filter");
  const list = document.getElementById("cards");
  const fields = Object.fromEntries(["text", "kind", "method", "tests", "label", "sort"].map((name) => [name, form.elements[name]]));
  const clearButton = document.getElementById("filter-clear");
  const moreButton = document.getElementById("more-button");
  const packs = Array.from(document.querySelectorAll("script.pack"));
  const toEntry = (index, element, pack, place) => ({ ...index, element, pack, place });
  const entries = Array.from(list.querySelectorAll("article.card"), (element, place) => ({
    ...toEntry(JSON.parse(element.dataset.index), element, null, place),
    read: null,
    get words() { return (this.read ??= element.textContent.toLowerCase()); }, // once a search asks for it
  }));
  const drawn = entries.length;
  let most = drawn;
  let turn = 0;

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  };
  let known = 0; // packs whose entries are there
  let turns = Promise.resolve();
  const know = (count) => (turns = turns.then(async () => {
    const some = packs.slice(known, count);
    known = Math.max(known, count);
    const found = await Promise.all(some.map((pack) => unpack(pack.dataset.index)));
    found.forEach((index, number) => index.forEach((one) => entries.push(toEntry(one, null, some[number], entries.length))));
  }));
  let indexed = null;
  const allEntries = () => (indexed ??= know(packs.length).then(() => offer()));
  const opened = new Map();
  const draw = async (entry) => {
    if (entry.element) return;
    if (!opened.has(entry.pack)) opened.set(entry.pack, unpack(entry.pack.textContent));
    const texts = await opened.get(entry.pack);
    const first = entries.findIndex((one) => one.pack === entry.pack);
    const made = document.createElement("template");
    made.innerHTML = texts[entry.place - first]; // written and escaped by the report itself
    entry.element = made.content.firstElementChild;
  };

  const tests = {
    text: (entry, value) => entry.words.includes(value.trim().toLowerCase()),
    kind: (entry, value) => entry.kind === value,
    method: (entry, value) => entry.methods.includes(value),
    tests: (entry, value) => entry.tests === value,
    label: (entry, value) => (value === "unlabelled" ? !entry.labels.length : entry.labels.includes(value)),
  };
  const keys = { kind: (e) => e.kind || "\uffff", method: (e) => e.methods[0], tests: (e) => e.tests, short: (e) => e.size };
  const chosen = () => Object.entries(tests).filter(([name]) => fields[name].value.trim());
  const matching = () => {
    const wanted = chosen();
    const found = entries.filter((entry) => wanted.every(([name, fits]) => fits(entry, fields[name].value)));
    const key = keys[fields.sort.value];
    if (!key) return found.sort((a, b) => a.place - b.place);
    return found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.place - b.place));
  };

  const show = async () => {
    const mine = ++turn;
    const narrowed = chosen().length > 0 || fields.sort.value !== "";
    if (narrowed || most > entries.length) await allEntries();
    const found = matching();
    const shown = found.slice(0, narrowed ? Math.max(most, STEP) : most);
    for (const entry of shown) await draw(entry);
    if (mine !== turn) return; // another filter was set meanwhile
    for (const entry of entries) if (entry.element) entry.element.hidden = true;
    for (const entry of shown) entry.element.hidden = false;
    const wanted = shown.map((entry) => entry.element);
    if (wanted.some((element, place) => list.children[place] !== element)) list.prepend(...wanted);
    tell(found.length, shown.length, narrowed);
  };
  const total = drawn + packs.reduce((sum, pack) => sum + Number(pack.dataset.count), 0);
  const say = (number) => number.toLocaleString("en");
  const tell = (found, shown, narrowed) => {
    const there = narrowed ? `${say(found)} of ${say(total)} match` : `${say(total)} findings`;
    document.getElementById("filter-count").textContent = shown < (narrowed ? found : total) ? `${there}, ${say(shown)} drawn` : there;
    document.getElementById("no-match").hidden = found > 0 || total === 0;
    clearButton.hidden = !narrowed;
    const left = (narrowed ? found : total) - shown;
    const note = document.getElementById("more");
    if (!note) return;
    note.hidden = left <= 0;
    document.getElementById("more-text").textContent = `${say(left)} more in this file are drawn on demand.`;
    moreButton.hidden = false;
    moreButton.textContent = `Show ${say(Math.min(STEP, left))} more`;
  };

  // What is printed is drawn, too, but after the page is open.
  const goal = Math.min(Math.max(Number(list.dataset.fill), drawn), total);
  const fill = async () => {
    if (goal <= drawn) return;
    let reach = drawn;
    await know(packs.findIndex((pack) => (reach += Number(pack.dataset.count)) >= goal) + 1);
    most = Math.max(most, goal);
    await show();
  };

  const offer = () => {
    const values = { kind: (e) => [e.kind], method: (e) => e.methods, tests: (e) => [e.tests], label: (e) => e.labels };
    for (const [name, read] of Object.entries(values)) {
      const counts = new Map();
      for (const entry of entries) for (const value of read(entry)) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
      if (name === "label" && counts.size) counts.set("unlabelled", entries.filter((e) => !e.labels.length).length);
      const field = fields[name];
      const before = field.value || wanted[name] || "";
      const names = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
      field.replaceChildren(field.options[0], ...names.map((value) => new Option(`${value} (${counts.get(value)})`, value)));
      field.value = names.includes(before) ? before : "";
      // A choice of one that all have is none.
      field.parentElement.hidden = !names.length || (names.length === 1 && counts.get(names[0]) === entries.length);
    }
  };

  // The address carries the filters or a finding, so that either can be sent to somebody.
  let wanted = {};
  const readAddress = async () => {
    const hash = decodeURIComponent(location.hash.slice(1));
    const number = /^issue-(\d+)$/.exec(hash)?.[1];
    if (number) {
      if (number > drawn) await allEntries();
      const entry = entries.find((one) => one.place === number - 1);
      if (!entry) return;
      await draw(entry);
      entry.element.hidden = false;
      if (!entry.element.isConnected) list.append(entry.element);
      entry.element.scrollIntoView();
    } else if (hash.includes("=")) {
      wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      if (packs.length) await allEntries();
      for (const [name, field] of Object.entries(fields)) field.value = wanted[name] ?? "";
      wanted = {};
      await show();
      form.scrollIntoView();
    }
  };
  const writeAddress = () => {
    const set = Object.entries(fields).filter(([, field]) => field.value.trim()).map(([name, field]) => [name, field.value]);
    history.replaceState(null, "", `#${set.length ? new URLSearchParams(set) : "issues"}`);
  };
  const change = () => {
    most = goal;
    writeAddress();
    show();
  };
  const clear = () => {
    form.reset();
    change();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", change);
  clearButton.addEventListener("click", clear);
  document.getElementById("no-match-clear").addEventListener("click", clear);
  moreButton?.addEventListener("click", () => {
    most += STEP;
    show();
  });
  window.addEventListener("hashchange", readAddress);
  const folded = [];
  window.addEventListener("beforeprint", () => {
    folded.push(...document.querySelectorAll("#issues details:not([open])"));
    for (const part of folded) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of folded.splice(0)) part.open = false;
  });
  form.hidden = total < 2;
  offer();
  const loaded = new Promise((done) => window.addEventListener("load", done));
  show().then(readAddress).then(() => loaded).then(() => setTimeout(fill));
})();

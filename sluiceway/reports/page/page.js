(() => {
  "use strict";

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const folded = (node) => node.textContent.toLowerCase();

  const tools = document.getElementById("tools");
  const query = document.getElementById("query");
  const state = document.getElementById("state");
  const together = document.querySelector("footer");
  const count = document.getElementById("count");
  const folds = all("details");
  const rows = all("article").map((node) => ({
    node,
    state: node.dataset.state,
    said: folded(node.querySelector("h2")) + all(".said", node).map(folded).join("\n"),
    lists: all(".list", node),
    items: all(".item", node).map((item) => ({ node: item, text: folded(item) })),
  }));
  const stackCount = `${rows.length} stack${rows.length === 1 ? "" : "s"}`;
  let before = null; // which folds were open when a search began

  const holds = (terms, text) => terms.every((term) => text.includes(term));

  function search() {
    const terms = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length && !before) before = folds.map((fold) => fold.open);
    let stacks = 0;
    let objects = 0;
    for (const row of rows) {
      const whole = holds(terms, row.said);
      const found = row.items.filter((item) => whole || holds(terms, `${row.said}\n${item.text}`));
      const fits = (!state.value || row.state === state.value) && (whole || found.length > 0);
      for (const item of row.items) item.node.hidden = !found.includes(item);
      for (const list of row.lists) list.hidden = all(".item:not([hidden])", list).length === 0;
      row.node.hidden = !fits;
      if (fits) {
        stacks += 1;
        objects += found.length;
      }
    }
    if (terms.length) folds.forEach((fold) => { fold.open = true; });
    else if (before) {
      folds.forEach((fold, index) => { fold.open = before[index]; });
      before = null;
    }
    const narrowed = terms.length > 0 || state.value !== "";
    if (together) together.hidden = narrowed; // it deploys what is hidden now, too
    const entries = `${objects} ${objects === 1 ? "entry" : "entries"}`;
    count.textContent = narrowed ? `${stacks} of ${stackCount} shown, with ${entries}.` : "";
  }

  if (tools) {
    tools.hidden = false;
    query.addEventListener("input", search);
    state.addEventListener("change", search);
    for (const [id, open] of [["open", true], ["close", false]]) {
      document.getElementById(id).addEventListener("click", () => folds.forEach((fold) => { fold.open = open; }));
    }
  }

  const theme = document.getElementById("theme");
  const preference = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const dark = () => (chosen === null ? preference.matches : chosen);
  const shade = () => {
    if (chosen !== null) document.documentElement.dataset.theme = chosen ? "dark" : "light";
    theme.setAttribute("aria-pressed", String(dark()));
  };
  theme.addEventListener("click", () => { chosen = !dark(); shade(); });
  preference.addEventListener("change", shade);
  theme.hidden = false;
  shade();

  for (const button of all("button.copy")) {
    const code = button.parentElement.querySelector("code");
    const told = button.parentElement.querySelector("[role=status]");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        told.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(code);
        told.textContent = "Selected: copy it with the keyboard.";
      }
    });
  }

  let shut = [];
  addEventListener("beforeprint", () => {
    shut = folds.filter((fold) => !fold.open);
    shut.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => { shut.forEach((fold) => { fold.open = false; }); });
})();

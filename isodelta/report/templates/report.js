"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const pages = [...document.querySelectorAll("main > .page")];
  const tabs = [...document.querySelectorAll("nav.tabs a")];

  // One page at a time; the address names the page, or anything in it.
  const show = () => {
    const named = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    const page = (named && named.closest(".page")) || pages[0];
    for (const other of pages) other.hidden = other !== page;
    for (const tab of tabs) {
      const own = byId(tab.hash.slice(1));
      if (own && page.contains(own)) {
        tab.setAttribute("aria-current", "page");
        const list = tab.closest("ul");
        list.scrollLeft = tab.offsetLeft - list.offsetLeft - 16;
      } else tab.removeAttribute("aria-current");
    }
    if (!named) return;
    for (let e = named; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    const own = named.matches("article.finding, .cause") && named.querySelector("details");
    if (own) own.open = true;
    if (tabs.some((tab) => tab.hash === location.hash)) scrollTo(0, 0);
    else named.scrollIntoView();
  };
  if (tabs.length && pages.length) {
    addEventListener("hashchange", show);
    show();
  }

  // Copy buttons.
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const pre of document.querySelectorAll("pre")) {
    const region = pre.closest(".scroll");
    if (!region) continue;
    const frame = document.createElement("div");
    frame.className = "with-copy";
    region.before(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await copied(pre.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    frame.append(region, button);
  }

  // A cell of the conflict table, chosen by pointer or arrow keys, says what every source says.
  for (const table of document.querySelectorAll("table.heat")) {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")]);
    const words = table.closest("figure").querySelector("output");
    let chosen = null;
    const choose = (cell) => {
      if (!cell || !cell.title) return;
      if (chosen) {
        chosen.classList.remove("chosen");
        chosen.tabIndex = -1;
      }
      chosen = cell;
      cell.classList.add("chosen");
      cell.tabIndex = 0;
      words.textContent = cell.title;
    };
    if (rows[0] && rows[0][0]) rows[0][0].tabIndex = 0;
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      choose(cell);
      if (cell) cell.focus();
    });
    table.addEventListener("focusin", (event) => choose(event.target.closest("td")));
    table.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      const row = rows.findIndex((cells) => cells.includes(event.target));
      if (!step || row < 0) return;
      const next = (rows[row + step[0]] || [])[rows[row].indexOf(event.target) + step[1]];
      if (!next || !next.title) return;
      event.preventDefault();
      choose(next);
      next.focus();
    });
  }

  // The scenario table: search, filters, sorting, and a part of the rows at a time.
  const table = byId("scenario-table");
  if (table) {
    const STEP = 40;
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const search = byId("scenario-search");
    const verdict = byId("scenario-verdict");
    const agreement = byId("scenario-agreement");
    const more = byId("more-scenarios");
    let most = STEP;
    const apply = () => {
      const wanted = search.value.trim().toLowerCase();
      let matching = 0;
      for (const row of body.rows) {
        const fits =
          (verdict.value === "" || row.dataset.verdict === verdict.value) &&
          (agreement.value === "" || row.dataset.agreement === agreement.value) &&
          (wanted === "" || row.textContent.toLowerCase().includes(wanted));
        if (fits) matching += 1;
        row.hidden = !fits || matching > most;
      }
      const shown = Math.min(matching, most);
      byId("scenarios-shown").textContent = `Showing ${shown} of ${matching} (${rows.length} in all)`;
      more.hidden = matching <= most;
    };
    const fresh = () => { most = STEP; apply(); };
    search.addEventListener("input", fresh);
    verdict.addEventListener("change", fresh);
    agreement.addEventListener("change", fresh);
    more.addEventListener("click", () => { most += 5 * STEP; apply(); });
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const text = (row) => row.cells[column].textContent.trim();
        const sorted = [...rows].sort((a, b) => text(a).localeCompare(text(b), "en", { numeric: true }));
        if (down) sorted.reverse();
        body.append(...sorted);
        apply();
      });
    });
    byId("scenario-filters").addEventListener("submit", (event) => event.preventDefault());
    byId("scenario-filters").hidden = false;
    apply();
  }
})();

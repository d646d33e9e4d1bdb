"use strict";
(() => {
  const articles = [...document.querySelectorAll("article.finding")];
  const byId = (id) => document.getElementById(id);
  const openTarget = () => {
    const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    const details = target && target.matches("article.finding") && target.querySelector("details");
    if (!details) return;
    target.hidden = false;
    details.open = true;
    target.scrollIntoView();
  };
  const form = byId("filters");
  if (form) {
    const level = byId("filter-level");
    const kind = byId("filter-class");
    const apply = () => {
      let shown = 0;
      for (const article of articles) {
        article.hidden =
          (level.value !== "" && article.dataset.level !== level.value) ||
          (kind.value !== "" && article.dataset.class !== kind.value);
        if (!article.hidden) shown += 1;
      }
      byId("shown").textContent = `Showing ${shown} of ${articles.length}`;
    };
    const openAll = (open) => {
      for (const article of articles) {
        if (!article.hidden) article.querySelector("details").open = open;
      }
    };
    level.addEventListener("change", apply);
    kind.addEventListener("change", apply);
    byId("open-all").addEventListener("click", () => openAll(true));
    byId("close-all").addEventListener("click", () => openAll(false));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }
  // Paper cannot be clicked: what is folded away on screen is printed open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
  addEventListener("hashchange", openTarget);
  openTarget();
})();

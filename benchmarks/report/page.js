"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const family = $("family"), config = $("config"), status = $("status"), search = $("search"), building = $("building");
  const plural = (n, what) => n + " " + what + (n === 1 ? "" : "s");

  // One bar of filters is for all tables: rows of runs, of instances (by any of their results) and of the summary.
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(w => w);
    const found = row => { const text = row.textContent.toLowerCase(); return words.every(w => text.includes(w)); };
    const off = (element, name, wanted) => wanted && element.dataset[name] !== wanted;
    let shown = 0;
    for (const row of $("table").tBodies[0].rows) {
      row.hidden = off(row, "family", family.value) || off(row, "config", config.value) || off(row, "status", status.value) || !found(row);
      if (!row.hidden) shown++;
    }
    $("shown").textContent = plural(shown, "run");
    shown = 0;
    for (const cell of $("grid").querySelectorAll("[data-config]")) cell.hidden = !!off(cell, "config", config.value);
    for (const row of $("grid").tBodies[0].rows) {
      const ended = !status.value || [...row.cells].some(c => !c.hidden && c.dataset.status === status.value);
      row.hidden = off(row, "family", family.value) || !ended || !found(row);
      if (!row.hidden) shown++;
    }
    $("gridshown").textContent = plural(shown, "instance");
    for (const row of document.querySelectorAll("#summary tbody tr")) row.hidden = !!off(row, "config", config.value);
    for (const view of document.querySelectorAll(".view")) view.hidden = view.dataset.family !== family.value;
  }

  // Heads of columns are buttons that sort: upwards, then downwards. Places without a value come last.
  const natural = new Intl.Collator("en", { numeric: true });
  function value(cell) {
    const d = cell.dataset, text = cell.textContent.trim();
    const number = building && building.checked && d.in !== undefined ? d.in : d.out !== undefined ? d.out : text;
    return text === "" || text === "–" ? null : isNaN(number) ? text : +number;
  }
  function sort(table, column, down) {
    const body = table.tBodies[0], heads = table.tHead.rows[0].cells;
    for (const h of heads) h.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].map(row => ({ row, v: value(row.cells[column]) }));
    rows.sort((a, b) => {
      if (a.v === null || b.v === null) return (a.v === null) - (b.v === null);
      const order = typeof a.v === "number" && typeof b.v === "number" ? a.v - b.v : natural.compare(a.v, b.v);
      return down ? -order : order;
    });
    body.append(...rows.map(r => r.row));
  }
  for (const table of document.querySelectorAll("table.sorted")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending"));
      head.append(button);
    }
  }

  // The scatter plot keeps its frame; only marks and labels change.
  const data = $("points") && JSON.parse($("points").textContent);
  function scatter() {
    if (!data) return;
    const i = +$("pairx").value, j = +$("pairy").value, built = building && building.checked;
    const chart = document.querySelector("#scatter .chart"), marks = chart.querySelector(".marks");
    const keys = document.querySelectorAll("#scatter .legend .mark");
    const place = v => Math.log(v / data.lo) / Math.log(data.hi / data.lo);
    const time = built ? ": CPU time with building [s]" : ": CPU time [s]";
    chart.querySelector(".labelx").textContent = data.configs[i] + time;
    chart.querySelector(".labely").textContent = data.configs[j] + time;
    marks.replaceChildren();
    let count = 0, across = 0, up = 0;
    for (const p of data.points) {
      const at = built ? p.built : p.at, x = at[i], y = at[j];
      if (!x || !y || (family.value && p.family !== family.value)) continue;
      count++;
      if (x < y) across++;
      if (y < x) up++;
      const mark = keys[p.verdict].cloneNode(true);
      const px = data.left + place(x) * (data.right - data.left);
      const py = data.bottom - place(y) * (data.bottom - data.top);
      mark.setAttribute("transform", `translate(${px.toFixed(1)} ${py.toFixed(1)})`);
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = `${p.name}: ${data.configs[i]} ${p.text[i]}, ${data.configs[j]} ${p.text[j]}`;
      mark.append(title);
      marks.append(mark);
    }
    $("tally").textContent = `${plural(count, "instance")}; ${data.configs[i]} ahead on ${across}, ${data.configs[j]} on ${up}`;
  }

  function times() {
    document.body.classList.toggle("building", building.checked);
    for (const head of document.querySelectorAll("#grid th[aria-sort]"))
      sort($("grid"), head.cellIndex, head.getAttribute("aria-sort") === "descending");
    scatter();
  }
  family.addEventListener("change", () => { filter(); scatter(); });
  for (const s of [config, status]) s.addEventListener("change", filter);
  search.addEventListener("input", filter);
  if (building) building.addEventListener("change", times);
  if (data) for (const id of ["pairx", "pairy"]) $(id).addEventListener("change", scatter);
  filter(); // a reloaded page keeps its choices
  if (building) times(); else scatter();
})();

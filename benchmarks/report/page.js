"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const family = $("family"), config = $("config"), status = $("status");

  function filterRuns() {
    let shown = 0;
    for (const row of $("table").tBodies[0].rows) {
      const d = row.dataset;
      row.hidden = (family.value && d.family !== family.value) ||
        (config.value && d.config !== config.value) || (status.value && d.status !== status.value);
      if (!row.hidden) shown++;
    }
    $("shown").textContent = shown + (shown === 1 ? " run" : " runs");
  }

  function showFamily() {
    for (const view of document.querySelectorAll(".view")) view.hidden = view.dataset.family !== family.value;
  }

  // The scatter plot keeps its frame; only marks and labels change.
  const data = $("points") && JSON.parse($("points").textContent);
  function scatter() {
    if (!data) return;
    const i = +$("pairx").value, j = +$("pairy").value;
    const chart = document.querySelector("#scatter .chart"), marks = chart.querySelector(".marks");
    const keys = document.querySelectorAll("#scatter .legend .mark");
    const place = v => Math.log(v / data.lo) / Math.log(data.hi / data.lo);
    chart.querySelector(".labelx").textContent = data.configs[i] + ": CPU time [s]";
    chart.querySelector(".labely").textContent = data.configs[j] + ": CPU time [s]";
    marks.replaceChildren();
    let count = 0, across = 0, up = 0;
    for (const p of data.points) {
      const x = p.at[i], y = p.at[j];
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
    $("tally").textContent = `${count} instances; ${data.configs[i]} ahead on ${across}, ${data.configs[j]} on ${up}`;
  }

  family.addEventListener("change", () => { showFamily(); filterRuns(); scatter(); });
  for (const s of [config, status]) s.addEventListener("change", filterRuns);
  if (data) for (const id of ["pairx", "pairy"]) $(id).addEventListener("change", scatter);
  showFamily(); // a reloaded page keeps its choices
  filterRuns();
  scatter();
})();

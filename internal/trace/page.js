"use strict";
(() => {
  const $ = id => document.getElementById(id);
  let data, cells, steps, lanes, reads, last, states, touched, active;

  function load(view) {
    data = view;
    cells = data.cells || [], steps = data.steps || [], lanes = data.lanes || [], reads = data.reads || [];
    last = $("slider").max = steps.length;
    // The state after step k: the start with the changes up to there.
    states = [data.start.values || []];
    for (const s of steps) {
      const next = states[states.length - 1].slice();
      for (const c of s.changes || []) next[c.cell] = c.new;
      states.push(next);
    }
    touched = new Set(reads.map(r => r.cell));
    for (const s of steps) for (const c of s.changes || []) touched.add(c.cell);
    active = new Set(lanes.map(l => l.name));
  }

  const el = (name, text, cls) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const relevantStep = k => k === 0 || !!steps[k - 1].errs || (steps[k - 1].changes || []).some(c => (c.for || []).length);
  const stepLink = k => {
    const a = el("a", k === 0 ? "the property" : "step " + k);
    if (k > 0) a.href = "#step-" + k;
    return k > 0 ? a : document.createTextNode("the property");
  };

  function title(k) {
    if (k === 0) {
      const p = (data.start.params || []).map(x => x.name + " = " + x.value).join(", ");
      return data.free ? "First state" : "Start: " + data.start.rule + (p ? " (" + p + ")" : "");
    }
    const s = steps[k - 1], p = (s.params || []).map(x => x.name + " = " + x.value).join(", ");
    return "Step " + k + ": " + s.rule + (p ? " (" + p + ")" : "") + (s.errs ? ": error" : "");
  }

  function suspicion(k) {
    const box = $("suspicion");
    box.replaceChildren();
    if (k === 0) return;
    for (const b of steps[k - 1].blind || []) {
      box.append(el("p", lanes[b.lane].name + " is changed, but the rule reads nothing of it", "badge"));
    }
  }

  function changes(k) {
    const box = $("changes");
    box.replaceChildren();
    if (k === 0) return;
    const s = steps[k - 1];
    for (const line of s.text || []) { const p = el("p"); p.append(el("code", line)); box.append(p); }
    if ((s.inputs || []).length) {
      const p = el("p", data.sliced ? "inputs that matter: " : "inputs: ");
      p.append(el("code", s.inputs.map(i => i.name + "=" + i.value).join(" ")));
      box.append(p);
    }
    if (!(s.changes || []).length) { if (!s.errs) box.append(el("p", "changes nothing", "soft")); return; }
    const table = el("table"), body = table.createTBody();
    for (const c of s.changes) {
      const row = body.insertRow();
      row.append(el("th", cells[c.cell].name));
      if (cells[c.cell].at) row.lastChild.append(el("div", cells[c.cell].at, "at"));
      const td = row.insertCell();
      if (cells[c.cell].set) {
        for (const e of c.gone || []) td.append(el("div", e, "gone"));
        for (const e of c.added || []) td.append(el("div", e, "added"));
      } else {
        td.append(c.old + " → ", el("b", c.new));
      }
      const why = row.insertCell();
      why.className = "since";
      const uses = c.for || [];
      if (uses.length) {
        why.append("for ");
        uses.slice(0, 4).forEach((u, i) => { if (i) why.append(", "); why.append(stepLink(u)); });
        if (uses.length > 4) why.append(", …");
      }
    }
    box.append(table);
  }

  function source(k) {
    const box = $("source");
    box.replaceChildren();
    if (k === 0) return;
    for (const b of steps[k - 1].source || []) {
      const pre = el("pre", undefined, "listing");
      pre.title = data.file + ", " + b.title;
      b.lines.forEach((line, i) => {
        pre.append(el("span", b.line + i, "n"));
        for (const p of line) pre.append(el("span", p.text, p.ran ? "" : "not"));
        pre.append("\n");
      });
      box.append(pre);
      // Of a long one, the last lines that ran, but for its end, and two before them.
      const ran = b.lines.map(line => line.some(p => p.ran && p.text.trim())), high = pre.scrollHeight / b.lines.length;
      let n = ran.lastIndexOf(true, -2);
      if (n * high < pre.clientHeight) continue;
      while (n > 0 && ran[n - 1]) n--;
      pre.scrollTop = (n - 2) * high;
    }
  }

  function state(k) {
    const box = $("state"), all = $("every").checked, now = states[k], before = k ? states[k - 1] : now;
    $("when").textContent = k === 0 ? "at the start" : steps[k - 1].errs ? "before the error" : "after step " + k;
    box.replaceChildren();
    const lit = new Set(k ? (steps[k - 1].changes || []).map(c => c.cell) : []);
    const blind = new Set(k ? (steps[k - 1].blind || []).flatMap(b => b.cells) : []);
    const fill = (td, i) => {
      if (i === undefined) return;
      if (now[i] === "Undefined") td.classList.add("undef");
      if (lit.has(i)) {
        td.classList.add("lit");
        td.classList.remove("undef");
        if (!cells[i].set) td.append(el("s", before[i]), " ");
        td.append(el("b", now[i]));
      } else {
        td.append(now[i] === "Undefined" ? "–" : now[i] === undefined ? "" : now[i]);
      }
      if (blind.has(i)) td.classList.add("blind");
      if (k === last && reads.some(r => r.cell === i)) td.classList.add("read");
      td.title = [cells[i].name, cells[i].at].filter(t => t).join(", ");
    };
    const columns = [], rows = new Map(), single = [], home = (lanes.find(l => l.shared) || { name: "global" }).name;
    cells.forEach((c, i) => {
      if (!c.lane && !all && !touched.has(i)) return;
      if (!c.lane && !lanes.length) { single.push(i); return; }
      if (c.lane && !all && !active.has(c.lane)) return;
      const lane = c.lane || home;
      if (!columns.includes(lane)) columns[c.lane ? "push" : "unshift"](lane);
      if (!rows.has(c.row)) rows.set(c.row, new Map());
      rows.get(c.row).set(lane, i);
    });
    const shown = [...rows].filter(([, of]) => all || [...of.values()].some(i => touched.has(i)));
    if (shown.length) {
      const wrap = el("div", undefined, "scroll"), table = el("table"), head = table.createTHead().insertRow(), body = table.createTBody();
      head.append(el("th"));
      for (const lane of columns) head.append(el("th", lane));
      for (const [name, of] of shown) {
        const row = body.insertRow();
        row.append(el("th", name));
        for (const lane of columns) fill(row.insertCell(), of.get(lane));
      }
      wrap.append(table);
      box.append(wrap);
    }
    if (single.length) {
      const table = el("table"), body = table.createTBody();
      for (const i of single) {
        const row = body.insertRow();
        row.append(el("th", cells[i].name));
        fill(row.insertCell(), i);
      }
      box.append(table);
    }
    if (!shown.length && !single.length) box.append(el("p", "nothing changes", "soft"));
  }

  let at = -1;
  function show(k, scroll) {
    k = Math.max(0, Math.min(last, k));
    at = k;
    $("slider").value = k;
    $("where").textContent = "step " + k + " of " + last;
    for (const g of document.querySelectorAll(".step")) {
      const here = +g.dataset.step === k;
      g.classList.toggle("here", here);
      if (here && scroll) {
        const box = g.closest(".scroll"), r = g.getBoundingClientRect(), o = box.getBoundingClientRect();
        if (box.scrollHeight > box.clientHeight && (r.top < o.top || r.bottom > o.bottom)) box.scrollTop += r.top - o.top - o.height / 2;
      }
    }
    $("title").textContent = title(k);
    suspicion(k);
    changes(k);
    source(k);
    state(k);
    document.body.dataset.step = k;
    document.dispatchEvent(new CustomEvent("shown", { detail: k }));
    history.replaceState(null, "", "#step-" + k);
  }
  function move(by) {
    let k = at + by;
    const only = $("relevant");
    while (only && only.checked && k > 0 && k < last && !relevantStep(k)) k += by;
    show(k, true);
  }
  function fromHash() {
    const m = /^#step-(\d+)$/.exec(location.hash);
    return m ? +m[1] : last;
  }

  $("first").onclick = () => show(0, true);
  $("back").onclick = () => move(-1);
  $("next").onclick = () => move(1);
  $("last").onclick = () => show(last, true);
  $("slider").oninput = e => show(+e.target.value, true);
  $("every").onchange = () => show(at);
  if ($("relevant")) $("relevant").onchange = e => document.body.classList.toggle("sliced", e.target.checked);
  addEventListener("click", e => {
    const g = e.target.closest(".step");
    if (g) show(+g.dataset.step);
  });
  document.addEventListener("view", e => { // of a page that grows
    load(e.detail.view);
    show(e.detail.step, true);
  });
  addEventListener("hashchange", () => show(fromHash(), true));
  addEventListener("keydown", e => {
    if (e.target.type === "text" || e.target.type === "range" && e.key.startsWith("Arrow")) return;
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[e.key];
    if (by) { move(by); e.preventDefault(); }
    if (e.key === "Home") { show(0, true); e.preventDefault(); }
    if (e.key === "End") { show(last, true); e.preventDefault(); }
  });
  for (const under of document.querySelectorAll("h1, .kicker")) { // a path may break behind a slash
    for (const text of [...under.childNodes].filter(n => n.nodeType === Node.TEXT_NODE)) {
      text.replaceWith(...text.data.split(/(?<=\/)/).flatMap((part, i) => i ? [el("wbr"), part] : [part]));
    }
  }
  load(JSON.parse($("data").textContent));
  show(fromHash(), true);
})();

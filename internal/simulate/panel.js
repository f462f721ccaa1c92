"use strict";
(() => {
  const $ = id => document.getElementById(id);
  let at = -1, ready = false, queue = Promise.resolve();

  const el = (name, text, cls) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const button = (text, line, cls) => {
    const b = el("button", text, cls);
    b.type = "button";
    b.onclick = () => say(line);
    return b;
  };

  function draw(now) {
    at = now.at;
    const run = now.run || [], moves = now.moves || [], props = now.props || []; // Go writes null for none
    document.body.classList.toggle("none", at < 0);
    $("crumbs").replaceChildren(...run.map((name, k) => button(name, "jump " + k, k === at ? "here" : k > at ? "ahead" : "")));
    const here = document.querySelector("#crumbs .here");
    if (here) $("crumbs").scrollTop = here.offsetTop - $("crumbs").offsetTop;
    if (now.loop >= 0) $("crumbs").append(button("↺ " + now.loop, "jump " + now.loop));
    $("from").textContent = at < 0 ? "Start states" : moves.length ? "Steps from here" : "No step can be made";
    $("moves").replaceChildren(...moves.map((m, i) => {
      const li = el("li", "");
      li.append(button(m.name, String(i + 1)));
      for (const t of m.text || []) li.append(el("code", t));
      for (const c of m.changes || ["changes nothing"]) li.append(el("code", c));
      return li;
    }));
    $("props").replaceChildren(...props.map(p => el("li", (p.kind === p.name ? "" : p.kind + " ") + p.name + ": " + p.says, p.says === "violated" ? "bad" : p.says === "not violated" ? "good" : "")));
    $("said").textContent = now.said;
    document.querySelector(".left .scroll").innerHTML = now.sequence;
    document.dispatchEvent(new CustomEvent("view", { detail: { view: now.view, step: Math.max(at, 0) } }));
  }

  // Commands are carried out one after the other.
  function say(line) {
    queue = queue.then(async () => {
      try {
        const r = await fetch("do", { method: "POST", body: line });
        if (!r.ok) throw new Error(await r.text());
        ready = false;
        draw(await r.json());
        ready = true;
      } catch (e) {
        $("said").textContent = "no answer: " + e.message;
      }
    });
  }

  document.addEventListener("shown", e => { if (ready && e.detail !== at) say("jump " + e.detail); });
  let asked = "";
  for (const b of document.querySelectorAll("#ask button")) b.onclick = () => { asked = b.dataset.do; };
  $("line").onkeydown = e => {
    if (e.key !== "Enter") return;
    e.preventDefault();
    say($("line").value);
  };
  $("ask").onsubmit = e => {
    e.preventDefault();
    say((asked + " " + $("line").value).trim());
  };
  addEventListener("load", () => say(""));
})();

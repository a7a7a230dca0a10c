// The interactive view of a graph: one ready picture (SVG) and one record per value, both made in Python.
// Plain JavaScript: no library, no build step, no network. Runs as an anywidget and in a page of its own.

const HELP = "Click a value or a line of code. ← → step, Home End, / find, f fit, o open or close, Esc back, + − zoom.";
const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function toolbar(data) {
  const choice = (name, label, options) => options.length < 2 ? "" :
    `<label>${label} <select data-choice="${name}">${options.map((o) => `<option>${o}</option>`).join("")}</select></label>`;
  const levels = data.levels.length < 2 ? "" :
    `<label class="sg-detail">detail <input type="range" data-choice="level" min="0" max="${data.levels.length - 1}" step="1"
      aria-label="level of detail"><output></output></label>`;
  return `<div class="sg-bar" role="toolbar">
    <button data-act="first" title="before the first step (Home)" aria-label="first">|◀</button>
    <button data-act="previous" title="one step back (←)" aria-label="previous">◀</button>
    <button data-act="next" title="one step on (→)" aria-label="next">▶</button>
    <button data-act="last" title="all steps (End)" aria-label="last">▶|</button>
    <input type="range" class="sg-step" min="0" aria-label="step"><span class="sg-message" aria-live="polite"></span>
    ${levels}${choice("mode", "adjoints", data.modes)}
    <input type="search" placeholder="find  /" aria-label="find a value"><span class="sg-found"></span>
    <button data-act="close" title="out of the box (Esc)" hidden>◂ back</button>
    <button data-act="fit" title="show all (f)">fit</button>
    <select class="sg-save" aria-label="save as"><option value="">save</option>${
      ["SVG", "PNG", "DOT", "Mermaid"].map((k) => `<option>${k}</option>`).join("")}</select></div>`;
}

function render({ model, el }) {
  const given = model.get("payload");
  const data = typeof given === "string" ? JSON.parse(given) : given;
  const nodes = new Map(data.nodes.map((n) => [n.id, n]));
  const sequence = [...data.forward.map((id) => [id, false]), ...data.backward.map((id) => [id, true])];
  const forwardPlace = new Map(data.forward.map((id, i) => [id, i]));
  const backwardPlace = new Map(data.backward.map((id, i) => [id, data.forward.length + i]));
  const root = document.createElement("div");
  root.className = "sg-root";
  root.tabIndex = 0;
  root.setAttribute("aria-label", `graph of ${data.name}`);
  root.innerHTML = `${toolbar(data)}<svg class="sg-glyphs" aria-hidden="true" width="0" height="0"><defs>${data.glyphs}</defs></svg>
    <div class="sg-canvas"></div><div class="sg-side"><div class="sg-info" aria-live="polite"></div>
    <div class="sg-code" role="list" aria-label="emitted code"></div></div>`;
  el.appendChild(root);
  const $ = (query) => root.querySelector(query);
  const slider = $(".sg-step"), message = $(".sg-message"), info = $(".sg-info"), code = $(".sg-code"), canvas = $(".sg-canvas");
  slider.max = sequence.length;

  // ---- emitted code
  data.code.forEach((text, i) => {
    const line = document.createElement("div");
    line.dataset.line = i;
    line.textContent = text || " ";
    line.setAttribute("role", "listitem");
    code.appendChild(line);
  });
  if (!data.code.length) code.hidden = true;
  const ofLine = new Map();
  const note = (line, id, rank) => {
    const known = ofLine.get(line);
    if (!known || rank < known.rank) ofLine.set(line, { id, rank });
  };
  for (const n of data.nodes) {
    n.lines.forEach((l) => note(l, n.id, 0));
    n.backLines.forEach((l) => note(l, n.id, 1));
    n.within.forEach((l) => note(l, n.id, 2));
    n.backWithin.forEach((l) => note(l, n.id, 3));
  }

  // ---- the picture
  let svg, home, view, boxes, edges, boxOf;
  function mount() {
    const held = canvas.contains(document.activeElement);
    canvas.innerHTML = model.get("drawing");
    if (held) root.focus({ preventScroll: true }); // the keys go on working when the box that had them is gone
    svg = canvas.querySelector("svg.sg-svg");
    home = svg.getAttribute("viewBox").split(" ").map(Number);
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    boxes = [...svg.querySelectorAll(".sg-box")].map((element) => ({
      element, key: element.dataset.key, back: element.dataset.key.startsWith("bar"),
      members: element.dataset.members.split(" ").map(Number),
      value: element.querySelector(".sg-value"), bar: element.querySelector(".sg-bar"),
    }));
    edges = [...svg.querySelectorAll(".sg-edge")];
    boxOf = new Map();
    for (const box of boxes) if (!box.back) box.members.forEach((m) => boxOf.set(m, box));
    look(readable());
    $("[data-act=close]").hidden = !(data.insides && model.get("opened").length);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      zoom(Math.exp(event.deltaY * 0.0015), place(event));
    }, { passive: false });
    let drag = null;
    svg.addEventListener("pointerdown", (event) => { drag = { from: place(event), moved: false }; });
    svg.addEventListener("pointermove", (event) => {
      if (!drag || !event.buttons) return;
      const at = place(event), dx = drag.from.x - at.x, dy = drag.from.y - at.y;
      if (drag.moved || Math.hypot(dx, dy) > 3 * view[2] / svg.clientWidth) {
        drag.moved = true;
        look([view[0] + dx, view[1] + dy, view[2], view[3]]);
      }
    });
    svg.addEventListener("click", (event) => {
      const hit = event.target.closest(".sg-box");
      if (hit && !(drag && drag.moved)) select(head(hit));
      drag = null;
    });
    svg.addEventListener("dblclick", (event) => { const hit = event.target.closest(".sg-box"); if (hit) toggle(hit); });
    show(model.get("step"), false);
    mark();
  }
  const head = (element) => { const m = element.dataset.members.split(" "); return +m[m.length - 1]; };
  const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const look = (box) => { view = box; svg.setAttribute("viewBox", box.map((v) => v.toFixed(1)).join(" ")); };
  const zoom = (k, at) => look([at.x + (view[0] - at.x) * k, at.y + (view[1] - at.y) * k, view[2] * k, view[3] * k]);
  function fitted() { // a small picture is not blown up beyond one and a half times its size
    const scale = Math.max(1, canvas.clientWidth / 1.5 / home[2]);
    const wide = home[2] * scale, high = Math.max(home[3], canvas.clientHeight / canvas.clientWidth * wide || home[3]);
    return [home[0] - (wide - home[2]) / 2, home[1] - (high - home[3]) / 2, wide, high];
  }
  function readable() { // a large picture opens at its inputs, at a size at which it can be read
    const all = fitted(), most = canvas.clientWidth * 1.6;
    if (!canvas.clientWidth || all[2] <= most) return all;
    const high = most * canvas.clientHeight / canvas.clientWidth;
    return [home[0], home[1] + (home[3] - high) / 2, most, high];
  }
  function reveal(element) { // move the view when the box is outside of it
    const outer = canvas.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    const box = element.getBBox(), at = element.transform.baseVal.consolidate().matrix;
    look([at.e + box.width / 2 - view[2] / 2, at.f + box.height / 2 - view[3] / 2, view[2], view[3]]);
  }
  function toggle(element) {
    if (!data.opens) return;
    const opened = [...model.get("opened")], key = element.dataset.key, group = element.dataset.group;
    if (element.dataset.opens && !(data.insides && opened.includes(key))) opened.push(key);
    else if (data.insides) opened.pop();
    else if (group && opened.includes(group)) opened.splice(opened.indexOf(group), 1);
    else return;
    model.set("opened", opened);
    model.save_changes();
  }

  // ---- selection: value, panel and line are one; shared with Python as `selected`
  let selected = -1;
  function select(id, sync = true) {
    selected = nodes.has(id) ? id : -1;
    mark();
    panel();
    if (sync) { model.set("selected", selected); model.save_changes(); }
  }
  function mark() {
    const box = boxOf.get(selected), key = box && box.key;
    const users = new Set((nodes.get(selected) || { users: [] }).users);
    for (const b of boxes) {
      b.element.classList.toggle("sg-selected", b.members.includes(selected));
      b.element.classList.toggle("sg-user", !b.back && b.members.some((m) => users.has(m)));
    }
    for (const e of edges) {
      const { source, target } = e.dataset;
      e.classList.toggle("sg-into", key !== undefined && target === key && !e.classList.contains("sg-back"));
      e.classList.toggle("sg-out", key !== undefined && source === key && !e.classList.contains("sg-back"));
    }
    if (box) reveal(box.element);
  }
  function panel() {
    for (const line of code.children) line.className = "";
    const n = nodes.get(selected);
    if (!n) { info.innerHTML = `<p class="sg-help">${HELP}</p><p class="sg-help">Values: ${data.nodes.length}. Written
      inside formulas (constants, signs, reads): ${data.hidden}.${data.code.length ? "" : " Emitted code is shown for functions of up to 1500 values that can be compiled."}</p>`; return; }
    const formulas = (n.formulas || [{ title: "operation", latex: n.text, plain: true }]).map((f, i) =>
      `<h4>${f.title}</h4><div class="sg-f" data-i="${i}" title="click to copy the LaTeX">${f.svg || `<code>${escapeText(f.latex)}</code>`}</div>`);
    const row = (name, value) => value === undefined || value === "" ? "" : `<tr><th>${name}</th><td>${escapeText(value)}</td></tr>`;
    const lines = (own, within) => own.length ? own.map((l) => l + 1).join(", ") : within.length ? `inside ${within.map((l) => l + 1).join(", ")}` : "";
    const links = (ids) => ids.length ? ids.slice(0, 12).map((i) => `<a href="#" data-go="${i}">${escapeText(nodes.get(i).name)}</a>`).join(" ") +
      (ids.length > 12 ? " …" : "") : "none";
    info.innerHTML = `${formulas.join("")}<table>${row("value", n.value)}${row("adjoint", n.adjoint)}${
      row("shape", n.axes.join(", ") || "number")}${row("dtype", n.dtype)}${row("cost", n.cost ? `${n.cost} (an addition: 1)` : "")}
      <tr><th>from</th><td>${links(n.arguments)}</td></tr><tr><th>users</th><td>${links(n.users)}</td></tr>${
      row("loops", n.loops.join(" › "))}${row("kept in", n.variable)}${row("lines", lines(n.lines, n.within))}${
      row("adjoint lines", lines(n.backLines, n.backWithin))}</table>${
      n.detail ? `<pre>${escapeText(n.detail)}</pre>` : ""}${n.adjointDetail ? `<pre class="sg-bar-text">${escapeText(n.adjointDetail)}</pre>` : ""}`;
    info.querySelectorAll("[data-go]").forEach((a) => { a.onclick = (e) => { e.preventDefault(); select(+a.dataset.go); }; });
    info.querySelectorAll(".sg-f").forEach((f) => { f.onclick = () => navigator.clipboard?.writeText(n.formulas[+f.dataset.i].latex); });
    let first = null;
    for (const [list, css] of [[n.within, "sg-w"], [n.backWithin, "sg-w"], [n.lines, "sg-lf"], [n.backLines, "sg-lb"]])
      for (const l of list) { code.children[l].className = css; if (css !== "sg-w" || first === null) first = first ?? l; }
    const own = [...n.lines, ...n.within, ...n.backLines, ...n.backWithin];
    if (own.length) {
      const line = code.children[own[0]];
      if (line.offsetTop < code.scrollTop || line.offsetTop > code.scrollTop + code.clientHeight - 20) code.scrollTop = line.offsetTop - code.clientHeight / 2;
    }
    if (!n.formulas) { model.set("wanted", selected); model.save_changes(); }
  }
  code.addEventListener("click", (event) => {
    const line = event.target.closest("[data-line]"), hit = line && ofLine.get(+line.dataset.line);
    if (hit) select(hit.id);
  });

  // ---- stepping through both passes, in execution order
  function show(step, sync = true) {
    step = Math.max(0, Math.min(sequence.length, step));
    slider.value = step;
    const now = step ? sequence[step - 1] : null;
    const hasValue = (id) => !forwardPlace.has(id) || forwardPlace.get(id) < step;
    const hasBar = (id) => backwardPlace.has(id) && backwardPlace.get(id) < step;
    for (const box of boxes) {
      const last = box.members[box.members.length - 1];
      const done = box.back ? box.members.some(hasBar) : box.members.some(hasValue);
      const here = now !== null && step < sequence.length && box.members.includes(now[0]) && (now[1] === box.back || !boxes.some((b) => b.back));
      box.element.classList.toggle("sg-wait", !done);
      box.element.classList.toggle("sg-now", here);
      if (box.value) box.value.style.visibility = hasValue(last) ? "" : "hidden";
      if (box.bar) box.bar.style.visibility = hasBar(last) ? "" : "hidden";
    }
    const half = data.forward.length;
    if (!step) message.textContent = "inputs only";
    else {
      const n = nodes.get(now[0]), text = now[1] ? n.adjoint : n.value;
      const said = text === undefined ? n.name : `${now[1] ? "adjoint of " : ""}${n.name} = ${text}`;
      message.textContent = `${now[1] ? `backward ${step - half}/${data.backward.length}` : `forward ${step}/${half}`}: ${said}`;
      if (sync && step < sequence.length) select(now[0]);
    }
    if (sync) { model.set("step", step); model.save_changes(); }
  }
  slider.oninput = () => show(+slider.value);

  // ---- choices, search, saving, keys
  const level = $("[data-choice=level]"), mode = $("[data-choice=mode]");
  const choose = (name, value) => { model.set("opened", []); model.set(name, value); model.save_changes(); };
  const chosen = () => {
    if (level) { level.value = data.levels.indexOf(model.get("level")); level.nextElementSibling.textContent = model.get("level"); }
    if (mode) mode.value = model.get("mode");
  };
  if (level) level.onchange = () => choose("level", data.levels[+level.value]);
  if (mode) mode.onchange = () => choose("mode", mode.value);
  const search = $("input[type=search]"), found = $(".sg-found");
  let hits = [], hit = -1;
  search.oninput = () => {
    const words = search.value.trim().toLowerCase();
    hits = words ? data.nodes.filter((n) => n.text.toLowerCase().includes(words)).map((n) => n.id) : [];
    const set = new Set(hits);
    for (const box of boxes) box.element.classList.toggle("sg-miss", words !== "" && !box.members.some((m) => set.has(m)));
    found.textContent = words ? `${hits.length} found` : "";
    hit = -1;
    if (hits.length) following();
  };
  const following = () => { if (hits.length) { hit = (hit + 1) % hits.length; select(hits[hit]); } };
  search.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") following();
    if (event.key === "Escape") { search.value = ""; search.oninput(); root.focus(); }
  });
  const download = (blob, name) => {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
  };
  const savers = {
    SVG: () => download(new Blob([model.get("drawing")], { type: "image/svg+xml" }), `${data.name}.svg`),
    DOT: () => download(new Blob([data.dot], { type: "text/vnd.graphviz" }), `${data.name}.dot`),
    Mermaid: () => download(new Blob([data.mermaid], { type: "text/plain" }), `${data.name}.mmd`),
    PNG: () => {
      const image = new Image();
      image.onload = () => {
        const paper = document.createElement("canvas"), scale = Math.min(2, 8000 / Math.max(home[2], home[3]));
        paper.width = home[2] * scale;
        paper.height = home[3] * scale;
        paper.getContext("2d").drawImage(image, 0, 0, paper.width, paper.height);
        paper.toBlob((blob) => download(blob, `${data.name}.png`));
      };
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(model.get("drawing"))}`;
    },
  };
  $(".sg-save").onchange = (event) => { savers[event.target.value]?.(); event.target.value = ""; };
  const middle = () => ({ x: view[0] + view[2] / 2, y: view[1] + view[3] / 2 });
  const acts = {
    first: () => show(0), previous: () => show(+slider.value - 1), next: () => show(+slider.value + 1), last: () => show(sequence.length),
    fit: () => look(fitted()), find: () => search.focus(), closer: () => zoom(0.8, middle()), farther: () => zoom(1.25, middle()),
    close: () => { if (!model.get("opened").length) return; model.set("opened", model.get("opened").slice(0, -1)); model.save_changes(); },
    open: () => { const box = root.querySelector(".sg-box:focus") || (boxOf.get(selected) || {}).element; if (box) toggle(box); },
  };
  root.querySelectorAll("[data-act]").forEach((b) => { b.onclick = () => acts[b.dataset.act](); });
  const keys = { ArrowRight: "next", ArrowLeft: "previous", Home: "first", End: "last", f: "fit", "/": "find", "+": "closer", "-": "farther", o: "open", Escape: "close" };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === "Enter" && event.target.classList.contains("sg-box")) select(head(event.target));
    else if (keys[event.key] && !(event.target.type === "range" && event.target !== slider)) acts[keys[event.key]]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  model.on("change:drawing", mount);
  model.on("change:level", chosen);
  model.on("change:mode", chosen);
  model.on("change:selected", () => { if (model.get("selected") !== selected) select(model.get("selected"), false); });
  model.on("change:step", () => { if (model.get("step") !== +slider.value) show(model.get("step"), false); });
  model.on("change:formulas", () => {
    const answer = model.get("formulas"), n = nodes.get(answer.id);
    if (n && !n.formulas) {
      n.formulas = answer.formulas;
      const more = document.createElement("div");
      more.innerHTML = `<svg class="sg-glyphs" aria-hidden="true" width="0" height="0"><defs>${answer.glyphs}</defs></svg>`;
      root.appendChild(more.firstChild);
      if (selected === n.id) panel();
    }
  });
  chosen();
  mount();
  select(model.get("selected"), false);
  new ResizeObserver(() => { if (!canvas.dataset.seen && canvas.clientWidth) { canvas.dataset.seen = 1; look(readable()); } }).observe(canvas);
}

export default { render };

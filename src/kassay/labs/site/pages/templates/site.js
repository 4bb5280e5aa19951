// SPDX-License-Identifier: GPL-2.0-only
// Filters, sorting and the comparison of any two kernels. Every page is complete without it.
"use strict";
(() => {
  const root = document.body.dataset.root;
  document.documentElement.classList.add("js");
  const NAMES = ["q", "function", "min", "way", "all", "arch", "a", "b"];
  const SHARED = ["q", "function", "min", "way", "all"];
  const fields = () => document.querySelectorAll(".filters [name], #all");
  const state = new URLSearchParams(location.search);

  if (location.protocol.startsWith("http") && location.pathname.endsWith("/index.html"))
    history.replaceState(null, "", location.pathname.slice(0, -10) + location.search + location.hash);

  const has = {};
  for (const field of fields()) has[field.name] = true;
  // A filter of another page that this one has no field for stays in the address, and hides nothing.
  const wanted = (name) => (has[name] && state.get(name)) || "";
  const value = (field) => (field.type === "checkbox" ? (field.checked ? "1" : "") : field.value.trim());
  function read() {
    for (const field of fields()) {
      const given = state.get(field.name);
      if (given === null) continue;
      if (field.type === "checkbox") field.checked = given === "1";
      else field.value = given;
    }
  }
  function write() {
    for (const field of fields()) {
      const now = value(field);
      if (now) state.set(field.name, now);
      else state.delete(field.name);
    }
    const text = state.toString();
    history.replaceState(null, "", location.pathname + (text ? "?" + text : "") + location.hash);
  }
  // A link to another page of the site keeps the filters, also when it is copied or opened in a new tab.
  function keep(event) {
    const link = event.target.closest && event.target.closest("a[href]");
    if (!link) return;
    const href = link.getAttribute("href");
    if (/^(#|[a-z]+:|\/\/)/i.test(href) || !/index\.html([?#]|$)/.test(href)) return;
    link.dataset.plain ??= href;
    const [, path, query, hash] = /^([^?#]*)\??([^#]*)(#.*)?$/.exec(link.dataset.plain);
    const kept = new URLSearchParams(query);
    for (const name of SHARED) if (state.get(name) && !kept.has(name)) kept.set(name, state.get(name));
    const text = kept.toString();
    link.setAttribute("href", path + (text ? "?" + text : "") + (hash || ""));
  }
  for (const kind of ["mouseover", "focusin", "touchstart", "click"]) document.addEventListener(kind, keep, true);

  function fits(row) {
    const q = wanted("q").toLowerCase();
    const name = (row.querySelector("th") || row).textContent.toLowerCase() + " " + (row.dataset.g || "").toLowerCase();
    if (q && !q.split(/\s+/).every((word) => name.includes(word))) return false;
    const named = wanted("function");
    if (named && row.dataset.f !== undefined && !row.dataset.f.split(" ").some((one) => one.includes(named))) return false;
    const least = parseFloat(wanted("min"));
    if (least && row.dataset.c !== undefined && parseFloat(row.dataset.c) * 100 < least) return false;
    const way = wanted("way");
    return !way || row.dataset.o === undefined || row.dataset.o.split(" ").includes(way);
  }
  function filter() {
    let shown = 0, total = 0;
    for (const row of document.querySelectorAll("table.filtered tbody tr:not(.group), ul.filtered li")) {
      row.hidden = !fits(row);
      total += 1;
      shown += row.hidden ? 0 : 1;
    }
    for (const part of document.querySelectorAll("[data-part=found]"))
      part.textContent = SHARED.some((name) => name !== "all" && wanted(name)) ? `${shown} of ${total} rows match` : "";
  }

  // Any two kernels: both files hold values alone, loaded as scripts so that file:// works.
  const loaded = {}, loading = {};
  window.siteData = (name, data) => { loaded[name] = data; };
  const load = (name) => loading[name] ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = root + name.split("/").map(encodeURIComponent).join("/") + ".js";
    script.onload = () => done(loaded[name]);
    script.onerror = () => done(null);
    document.head.append(script);
  });
  const form = document.getElementById("compare");
  const number = (x) => {
    if (x === null) return "–";
    const text = x === Math.round(x) ? String(x) : Math.abs(x) >= 100 ? x.toFixed(1) : String(parseFloat(x.toPrecision(4)));
    const [whole, broken] = text.split(".");
    return whole.replace(/\B(?=(\d{3})+$)/g, " ") + (broken ? "." + broken : "");
  };
  function element(kind, text, name) {
    const made = document.createElement(kind);
    made.textContent = text;
    if (name) made.className = name;
    return made;
  }
  let missing = "";
  function chooseKernels() {
    const arch = form.elements.arch.value;
    missing = "";
    for (const select of [form.elements.a, form.elements.b]) {
      for (const option of select.options) option.hidden = option.disabled = option.dataset.arch !== arch;
      const own = [...select.options].filter((option) => !option.disabled);
      const name = state.get(select.name);
      // "6.1" is the newest 6.1.x.
      const given = own.find((option) => option.value === name) || own.findLast((option) => name && option.value.startsWith(name + "."));
      if (name && !given) missing += ` No kernel of ${arch} is called ${name}.`;
      if (given) given.selected = true;
      else if (own.length) own[select.name === "b" ? own.length - 1 : Math.max(0, own.length - 2)].selected = true;
    }
  }
  // Rows that execute the function on one of the kernels; a kernel without an entry of its own has the one before it.
  async function payers(name, arch) {
    const names = Object.entries((await load("data/functions/names")) || {});
    const files = await Promise.all(names.filter(([, ones]) => ones.some((one) => one.includes(name))).map(([file]) => load(file)));
    const found = files.flatMap((file) => (file ? file.functions : []).filter((one) => one.name.includes(name)));
    const order = new Map([...form.elements.a.options].filter((one) => !one.disabled).map((one, place) => [one.value, place]));
    const at = [form.elements.a, form.elements.b].map((select) => order.get(select.value));
    const cost = (entries, place) => (entries.filter((entry) => order.get(entry[0]) <= place).pop() || [0, 0])[1];
    const rows = found.flatMap((one) => one.costs.filter((row) => row[0] === arch));
    return new Set(rows.filter((row) => at.some((place) => cost(row[2], place) > 0)).map((row) => row[1]));
  }
  // Further differences between both kernels: the compiler's, and the columns in which another kind changed.
  function mixed() {
    const own = [...form.elements.a.options].filter((option) => !option.disabled);
    const places = [form.elements.a, form.elements.b].map((select) => own.findIndex((one) => one.value === select.value));
    const [a, b] = places.map((place) => own[place].dataset.compiler), texts = [], kinds = new Map();
    if (a && b && a !== b) texts.push(`compiler: ${a}, then ${b}`);
    for (const one of own.slice(Math.min(...places) + 1, Math.max(...places) + 1))
      for (const kind of one.dataset.kinds.split(",").filter((kind) => kind && kind !== "compiler"))
        kinds.set(kind, [...(kinds.get(kind) || []), one.textContent]);
    for (const [kind, names] of kinds) texts.push(`${kind}: changed in ${names.join(", ")}`);
    const part = document.querySelector("[data-part=mixed]");
    part.hidden = !texts.length;
    part.textContent = `More than the source differs: ${texts.join("; ")}.`;
  }
  function verdict(a, b) {
    const [before, after] = [form.elements.a.value, form.elements.b.value];
    const [word, x, y] = b[6][before] || [], [back, from, to] = a[6][after] || [];
    if (word) return [word, x ?? a[2], y ?? b[2]];
    if (back) return [{ worse: "better", better: "worse" }[back] || back, to ?? a[2], from ?? b[2]];  // the other way round
    return ["", a[2], b[2]];
  }
  let asked = 0;
  async function compare() {
    const turn = ++asked;
    const arch = form.elements.arch.value;
    const files = [form.elements.a, form.elements.b].map((select) => select.selectedOptions[0]?.dataset.file);
    if (!files[0] || !files[1]) return;
    mixed();
    const [rows, before, after] = await Promise.all([load("data/rows"), load(files[0]), load(files[1])]);
    const named = wanted("function");
    const paying = named ? await payers(named, arch) : null;
    if (turn !== asked) return;  // the form has changed since
    const left = new Map(before.map((cell) => [cell[0], cell])), right = new Map(after.map((cell) => [cell[0], cell]));
    const counts = { equal: 0, small: 0, shown: 0, refused: 0, inconclusive: 0 }, found = [];
    for (const [own, key, unit, better, group, workload] of rows) {
      const a = left.get(key), b = right.get(key);
      if (own !== arch || !a || !b || a[2] === null || b[2] === null) continue;
      if (paying && !paying.has(key)) continue;
      // The verdict of a stored comparison, with the values of that comparison, else that of both cells.
      const [stored, x, y] = verdict(a, b);
      const change = x === y ? 0 : y / x - 1;
      let word = change === 0 ? "equal" : Math.abs(change) <= Math.max(0.01, a[4] || 0, b[4] || 0) ? "small" : (change > 0) === (better === "lower") ? "worse" : "better";
      if (a[7] !== b[7]) word = "refused";  // no admitted comparisons lead from one to the other
      if (stored) word = stored;
      counts[word === "worse" || word === "better" ? "shown" : word] += 1;
      found.push({ key, unit, group, workload, a, b, x, y, change, word });
    }
    found.sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
    const body = document.querySelector("#compared tbody");
    body.replaceChildren(...found.map((one) => {
      const row = document.createElement("tr");
      const shown = one.word === "worse" || one.word === "better";
      row.dataset.c = Math.abs(one.change);
      row.dataset.o = one.word;
      row.dataset.g = one.group;
      if (!shown) row.className = "quiet";
      const head = element("th", "");
      head.scope = "row";
      const link = element("a", one.key);
      link.href = root + "workload/" + encodeURIComponent(one.workload) + "/index.html";
      head.append(link);
      const percent = Math.abs(one.change) >= 0.001 ? (one.change * 100).toFixed(1) : (one.change * 100).toFixed(3);
      const text = one.word === "refused" || one.word === "inconclusive" ? one.word : one.change === 0 ? "= 0 %" : (shown ? (one.change > 0 ? "▲ " : "▼ ") : "≈ ") + (one.change > 0 ? "+" : "") + percent + " %" + (shown ? " " + one.word : "");
      const cell = element("td", "", one.word + " n"), address = one.b[5][form.elements.a.value];
      const inner = element(address ? "a" : "span", text);
      if (address) inner.href = root + address;
      cell.append(inner);
      row.append(head, cell, element("td", number(one.x), "n"), element("td", number(one.y), "n"), element("td", one.unit), element("td", one.a[3] + " + " + one.b[3], "n"));
      row.hidden = !fits(row);
      return row;
    }));
    document.querySelector("[data-part=counts]").textContent = `${found.length} ${found.length === 1 ? "cell" : "cells"} compared${named ? " that execute " + named : ""}, ${counts.equal} equal to the digit, ${counts.small} below the floor or the margin, ${counts.shown} shown, ${counts.refused} refused${counts.inconclusive ? `, ${counts.inconclusive} inconclusive` : ""}. Kernels that were compared have the verdict of their comparison. For others the floor is that of the two. They have no verdict where no admitted comparisons lead from one to the other.${missing}`;
  }

  // The newest kernels are on the right.
  for (const table of document.querySelectorAll(".matrix")) table.parentElement.scrollLeft = table.scrollWidth;
  read();
  if (form) chooseKernels();
  function changed(event) {
    if (form && event && event.target.name === "arch") { state.delete("a"); state.delete("b"); chooseKernels(); }
    write();
    filter();
    if (form) compare();
  }
  document.addEventListener("input", (event) => { if (event.target.matches(".filters [name], #all")) changed(event); });
  document.addEventListener("submit", (event) => event.preventDefault());
  if (form) { write(); compare(); }
  filter();
})();

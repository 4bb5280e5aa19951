// SPDX-License-Identifier: GPL-2.0-only
// Call stacks, drawn when their section is opened. Names reach the page as text only.
"use strict";
const specification = SPECIFICATION;
const figure = value => {
  const size = Math.abs(value), digits = size >= 100 || size === 0 ? 1 : Math.min(6, 3 - Math.floor(Math.log10(size)));
  return String(Number(value.toFixed(digits)));
};
const signed = value => (value > 0 ? "+" : "") + figure(value);

/* Rows for two of the kernels, or one: counts become cost per operation, of the node itself and with all below it. */
function rows(data, base, head) {
  const own = kernel => node => kernel === null ? 0 : node[2][kernel] / data.operations[kernel];
  const [a, b] = [own(base), own(head)];
  const found = data.nodes.map((node, i) => {
    const name = data.names[node[1]], above = node[0];
    return {id: i + 1, parent: above, name, base: a(node), head: b(node), baseAll: a(node), headAll: b(node)};
  });
  found.unshift({id: 0, parent: null, name: "all", base: 0, head: 0, baseAll: 0, headAll: 0, context: "", path: "all"});
  for (const row of found.slice(1)) {
    const above = found[row.parent];
    row.context = row.parent === 0 ? row.name : above.context;
    row.path = row.parent === 0 ? row.name : `${above.path} › ${row.name}`;
  }
  for (let i = found.length - 1; i > 0; i--) {
    found[found[i].parent].baseAll += found[i].baseAll;
    found[found[i].parent].headAll += found[i].headAll;
  }
  for (const row of found) {
    row.width = Math.max(row.base, row.head);
    row.change = row.headAll - row.baseAll;
    row.text = sentence(row, base !== null, data.unit);
  }
  return found;
}

function sentence(row, differs, unit) {
  const both = (x, y) => differs ? `${figure(x)} → ${figure(y)} (${signed(y - x)})` : figure(y);
  return `${row.path}: ${both(row.baseAll, row.headAll)} ${unit}, of it itself ${both(row.base, row.head)}`;
}

/* The cost of everything below the topmost functions that match, so that nothing is counted twice. */
function matches(found, wanted, unit, differs) {
  const hit = row => row.id !== 0 && row.name.toLowerCase().includes(wanted);
  const inside = found.map(() => false);
  let [count, base, head] = [0, 0, 0];
  for (const row of found) {
    const above = row.parent !== null && inside[row.parent];
    inside[row.id] = above || hit(row);
    count += hit(row);
    if (hit(row) && !above) [base, head] = [base + row.baseAll, head + row.headAll];
  }
  const sum = differs ? `${figure(base)} → ${figure(head)}` : figure(head);
  return count ? `${count} found, together ${sum} ${unit}` : "not found";
}

async function draw(box) {
  const part = name => box.querySelector(`[data-part="${name}"]`);
  const data = JSON.parse(part("data").textContent);
  const options = {mode: "vega", renderer: "svg", actions: false, tooltip: false};
  const {view} = await vegaEmbed(part("drawing"), specification, options);
  let found = [];
  const chosen = name => part(name).value === "" ? null : Number(part(name).value);
  const search = () => {
    const wanted = part("find").value.trim().toLowerCase();
    part("found").textContent = wanted && matches(found, wanted, data.unit, chosen("base") !== null);
    return view.signal("wanted", wanted).runAsync();
  };
  const show = () => {
    const [base, head] = [chosen("base"), chosen("head")];
    found = rows(data, base, head);
    const depth = found.map(() => 0);
    for (const row of found.slice(1)) depth[row.id] = depth[row.parent] + 1;
    const executed = found.filter(row => row.id === 0 || row.baseAll || row.headAll);
    const deepest = executed.reduce((most, row) => Math.max(most, depth[row.id]), 0);
    const most = executed.reduce((most, row) => Math.max(most, Math.abs(row.change)), 0);
    view.signal("differs", base !== null).signal("most", most || 1).signal("zoom", [0, 1]);
    view.height((deepest + 1) * view.signal("row")).data("tree", executed);
    part("readout").textContent = found[0].text;
    return search();
  };
  view.addEventListener("mouseover", (_, item) => { if (item?.datum?.text) part("readout").textContent = item.datum.text; });
  view.addEventListener("click", (_, item) => { if (item?.datum?.text) part("readout").textContent = item.datum.text; });
  for (const name of ["base", "head"]) part(name).addEventListener("change", show);
  part("find").addEventListener("input", search);
  part("whole").addEventListener("click", () => view.signal("zoom", [0, 1]).runAsync());
  return show();
}

for (const box of document.querySelectorAll("details.icicle")) {
  box.addEventListener("toggle", () => {
    if (!box.open || box.dataset.drawn) return;
    box.dataset.drawn = "begun";
    draw(box).then(() => { box.dataset.drawn = "done"; });
  });
}

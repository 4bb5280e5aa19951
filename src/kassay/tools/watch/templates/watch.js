// SPDX-License-Identifier: GPL-2.0-only
// Renews what changes of the page; goes to the report when an experiment that was not finished is.
"use strict";
const main = document.querySelector("main"), gone = document.querySelector("#gone");
const ended = () => main.firstElementChild.dataset.ended === "yes";
const before = ended();
const renew = async () => {
  try {
    const answer = await fetch("part" + location.search, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.statusText);
    const open = [...main.querySelectorAll("details[open]")].map(details => details.id);
    main.innerHTML = await answer.text();
    open.forEach(id => { const details = document.getElementById(id); if (details) details.open = true; });
    document.title = main.firstElementChild.dataset.title;
    gone.hidden = true;
  } catch {
    gone.hidden = false;
  }
  const link = main.querySelector("a.report");
  if (ended() && !before && link) location.assign(link.href);
  else setTimeout(renew, {{ every_ms }});
};
setTimeout(renew, {{ every_ms }});

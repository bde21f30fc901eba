// One game at a time, by tabs that are links: the address names the game, and works without this script too.

const tabs = [...document.querySelectorAll("nav.tabs a")];
const panels = [...document.querySelectorAll("article.game")];
const drawn = new Set();
const positions = new Map(); // of each game that was drawn: what opens a position by its name

function show(index) {
  tabs.forEach((tab, k) => {
    tab.classList.toggle("current", k === index);
    if (k === index) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  });
  panels.forEach((panel, k) => { panel.hidden = k !== index; });
  if (!drawn.has(index)) { // a game is drawn when it is first looked at
    drawn.add(index);
    draw(panels[index], new Game(report.games[index]), index);
  }
}

/** What the address names: #number-flip is a game, #number-flip/8,7 a position of it. */
function fromAddress() {
  let [name, position] = location.hash.slice(1).split("/");
  try {
    name = decodeURIComponent(name);
  } catch {
    return null; // no name that we have written
  }
  const index = panels.findIndex((panel) => panel.id === name);
  return index < 0 ? null : { index, position };
}

function follow() {
  const place = fromAddress();
  if (place === null) return;
  show(place.index);
  if (place.position !== undefined) positions.get(place.index)?.(place.position);
}

function startTabs() {
  for (const link of document.querySelectorAll("a[data-tab]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const index = Number(link.dataset.tab);
      show(index);
      history.replaceState(null, "", `#${panels[index].id}`);
      if (!tabs.includes(link)) document.getElementById("games").scrollIntoView();
    });
  }
  addEventListener("hashchange", follow);
  show(fromAddress()?.index ?? 0);
  follow();
}

function startTheme() {
  const button = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  let at = 0;
  button.hidden = false;
  button.addEventListener("click", () => {
    at = (at + 1) % themes.length;
    button.textContent = `theme: ${themes[at]}`;
    if (at) document.documentElement.dataset.theme = themes[at];
    else delete document.documentElement.dataset.theme;
  });
}

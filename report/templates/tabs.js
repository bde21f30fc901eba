// One game at a time, by tabs that are links: the address names the game, and works without this script too.

const tabs = [...document.querySelectorAll("nav.tabs a")];
const panels = [...document.querySelectorAll("article.game")];
const drawn = new Set();

function show(index) {
  tabs.forEach((tab, k) => {
    tab.classList.toggle("current", k === index);
    if (k === index) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  });
  panels.forEach((panel, k) => { panel.hidden = k !== index; });
  if (!drawn.has(index)) { // a game is drawn when it is first looked at
    drawn.add(index);
    draw(panels[index], new Game(report.games[index]));
  }
}

function fromAddress() {
  const found = location.hash.match(/^#game-(\d+)$/);
  return found && Number(found[1]) < panels.length ? Number(found[1]) : null;
}

function startTabs() {
  for (const link of document.querySelectorAll("a[data-tab]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const index = Number(link.dataset.tab);
      show(index);
      history.replaceState(null, "", `#game-${index}`);
      if (!tabs.includes(link)) document.getElementById("games").scrollIntoView();
    });
  }
  addEventListener("hashchange", () => { if (fromAddress() !== null) show(fromAddress()); });
  show(fromAddress() ?? 0);
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
